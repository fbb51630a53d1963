"""Other readings of a text: what is written so that a person does not see it and a model does."""

import base64
import binascii
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .views import Views

# Characters of base64 that are decoded of one text, and of one piece.
_PIECES, _LONGEST = 32, 4096
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")
# Plane-14 tags repeat ASCII invisibly; flags of regions use a few of them.
_TAGS = re.compile("[\U000e0020-\U000e007e]{8,}")
_TURNED = re.compile("\u202e([^\u202c\u2069\n]{8,1000})")
_ENTITIES = re.compile(r"(?:&#x?[0-9A-Fa-f]{2,6};[ ]?){6,400}")


@dataclass(frozen=True)
class Reading:
    """`view.original` is read; `span` is where in the text it was hidden, None for the text
    itself."""

    how: str
    view: Views
    span: tuple[int, int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        return self.span or (start, end)


def readings(views: Views) -> Iterator[Reading]:
    """The text as written, then what is hidden in base64, in invisible tags, behind a turned
    writing direction, in numbered HTML entities. What is found is not decoded again."""
    text = views.original
    yield Reading("as written", views)
    for match in () if text.isascii() else _TAGS.finditer(text):
        told = "".join(chr(ord(char) - 0xE0000) for char in match[0][:_LONGEST])
        yield Reading("in invisible tags", Views(told), match.span())
    for match in () if text.isascii() else _TURNED.finditer(text):
        yield Reading("written backwards", Views(match[1][::-1]), match.span())
    for match in _ENTITIES.finditer(text) if "&#" in text else ():
        yield Reading("in HTML entities", Views(html.unescape(match[0])), match.span())
    plain = views.plain
    for count, match in enumerate(_BASE64.finditer(plain.text)):
        if count == _PIECES:
            break
        if told := _decoded(match[0][:_LONGEST]):
            yield Reading("in base64", Views(told), plain.place(*match.span()))


def _decoded(piece: str) -> str | None:
    piece = piece.rstrip("=").translate(str.maketrans("-_", "+/"))
    piece = piece[: len(piece) - (len(piece) % 4 == 1)]
    try:
        told = base64.b64decode(piece + "=" * (-len(piece) % 4)).decode("utf-8", "strict")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return told if all(char.isprintable() or char.isspace() for char in told) else None
