"""Pages that hide nothing: what a text holds that nobody sees is shown as a badge, and a text that
runs from right to left stays in its place.

It works on the finished page, so that no template can forget it: the program's own words hold
none of these characters, so whatever is found came from a memory, an agent or an import.
"""

import re
from html import escape, unescape

from memory.text.reveal import may_be_odd, oddities

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_TAG = re.compile(
    r"<!--.*?-->|<(script|style|textarea)\b.*?</\1>|</?[a-z](?:[^>\"']|\"[^\"]*\"|'[^']*')*>",
    re.DOTALL | re.IGNORECASE,
)
# Elements that hold text and no elements.
_BARE = re.compile(r"<(title|option|text)\b", re.IGNORECASE)
_SHOWN = re.compile(r"""(\s(?:title|aria-label|alt|placeholder)=")([^"]*)(?=")""")
# What the pages put between two texts.
_BETWEEN = re.compile(r"( (?:·|=|→) )")


def revealed(page: str) -> str:
    """The HTML of a page with nothing hidden in it. Values of fields, scripts and what a button
    copies stay as they are."""
    if not may_be_odd(page) and not _RIGHT_TO_LEFT.search(page):
        return page
    out, last, is_bare = [], 0, False
    for tag in _TAG.finditer(page):
        out.append(_text(page[last : tag.start()], is_bare))
        out.append(tag[0] if tag[1] else _SHOWN.sub(_attribute, tag[0]))
        if not tag[1]:
            is_bare = bool(_BARE.match(tag[0]))
        last = tag.end()
    return "".join([*out, _text(page[last:], is_bare)])


def _attribute(match: re.Match) -> str:
    return match[1] + _text(match[2], is_bare=True)


def _text(text: str, is_bare: bool) -> str:
    if not text or text.isspace():
        return text
    if may_be_odd(text):
        text = _with_badges(text, is_bare)
    if not is_bare and _RIGHT_TO_LEFT.search(text):
        text = "".join(
            f"<bdi>{part}</bdi>" if _RIGHT_TO_LEFT.search(part) else part
            for part in _BETWEEN.split(text)
        )
    return text


def _with_badges(text: str, is_bare: bool) -> str:
    plain = unescape(text)
    out, last = [], 0
    for odd in oddities(plain):
        letter = plain[odd.start : odd.end] if odd.kind == "lookalike" else ""
        out.append(escape(plain[last : odd.start]) + letter)
        name = escape(odd.name)
        out.append(
            f"[{odd.label}]"
            if is_bare
            else f'<span class="unseen" title="{name}">{escape(odd.label)}'
            f'<span class="visually-hidden"> {name}</span></span>'
        )
        last = odd.end
    return "".join([*out, escape(plain[last:])])
