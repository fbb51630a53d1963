"""A table as comma, semicolon or tab separated values."""

import csv
from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from memory.exchange.record import Item
from memory.exchange.source import FormatError, Source

from . import Format, Options
from .table import is_table, records

csv.field_size_limit(1_000_000)
_DELIMITERS = ",;\t"


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)


def _sniff(source: Source) -> bool:
    first = source.beginning.partition("\n")[0]
    try:
        return is_table(next(csv.reader([first], delimiter=_delimiter(first)), []))
    except csv.Error:
        return False


def _read(source: Source, options: Options) -> Iterator[Item]:
    """The number of a row is that of its last line in the file."""
    text = source.text.lstrip("\ufeff")
    first = text.partition("\n")[0]
    reader = csv.reader(text.splitlines(keepends=True), delimiter=_delimiter(first), strict=False)
    try:
        heading = next(reader, [])
        rows = ((reader.line_num, row) for row in reader)
        yield from records(rows, heading, options, {"file_sha256": source.sha256})
    except csv.Error as error:
        raise FormatError("bad_csv", f"line {reader.line_num}: {error}") from error


FORMAT = Format("csv", _("Table: CSV"), _sniff, _read)
