"""Cells of a table that a spreadsheet opens: nothing in them runs, and the way back is exact."""

import re

# What begins a formula somewhere, also behind a byte order mark or in its full-width form.
_LIVE = re.compile("'*[=+\\-@\t\r\n\ufeff＝＋－＠]")
# A minus before a number is no formula; "-2+3" is one.
_NUMBER = re.compile(r"-(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d+)?%?\Z", re.ASCII)


def safe_cell(text: str) -> str:
    """The text as a spreadsheet takes it for text: what it would run gets an apostrophe before it,
    negative numbers stay numbers. `original_cell` gives back every text exactly."""
    return f"'{text}" if _LIVE.match(text) and not _NUMBER.match(text) else text


def original_cell(cell: str) -> str:
    """What `safe_cell` was given; a cell that it did not make is mostly left as it is."""
    return cell[1:] if cell.startswith("'") and _LIVE.match(cell) else cell
