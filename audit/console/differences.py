"""What differs between two versions of a memory, in words that a page can show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils.dateparse import parse_datetime
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from memory.models import Memory
from memory.text.diff import Piece
from memory.text.diff import word_diff as pieces_of

from .templatetags.console import absolute, label, word_diff

# What a memory says, and the rest that a reader may care about; keys and links are neither.
SAID = (
    "value", "text", "entity", "attribute", "kind", "domain", "tags", "links", "source",
    "importance", "confidence", "confirmations", "user_id", "agent_id", "session_id",
)  # fmt: skip
ALL = (
    *SAID, "summary", "occurred_at", "valid_from", "valid_to", "confirmed_at", "expires_at",
    "quote", "external_id", "metadata",
)  # fmt: skip
PROSE = frozenset({"text", "summary", "quote"})


@dataclass(frozen=True)
class Difference:
    """One field, before and after, as text; "" is nothing. `is_prose`: sentences, not a value."""

    label: str
    old: str
    new: str
    is_prose: bool = False

    @property
    def marked(self) -> SafeString:
        return word_diff(self.old, self.new) if self.is_prose else value_diff(self.old, self.new)


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], names: tuple[str, ...] = SAID
) -> list[Difference]:
    """The fields of two snapshots (as the ledger keeps them) that differ, in order."""
    return [
        Difference(
            field_label(name),
            shown(name, before.get(name)),
            shown(name, after.get(name)),
            name in PROSE,
        )
        for name in names
        if before.get(name) != after.get(name)
    ]


def value_diff(old: str, new: str) -> SafeString:
    """`old` → `new`, with the words that left marked in the one and those that came in the other;
    a short value reads better so than with both woven into one. Nothing on a side: no arrow."""
    pieces = pieces_of(old, new)
    left = _marked("<del>{}</del>", [piece for piece in pieces if piece.op != "add"])
    right = _marked("<ins>{}</ins>", [piece for piece in pieces if piece.op != "del"])
    return format_html(
        '<span class="diff">{}{}{}</span>', left, " → " * bool(left and right), right
    )


def side_by_side(one: str, other: str) -> tuple[SafeString, SafeString]:
    """Both texts whole, in each the words marked that the other does not say."""
    pieces = pieces_of(one, other)
    left = _marked("<mark>{}</mark>", [piece for piece in pieces if piece.op != "add"])
    right = _marked("<mark>{}</mark>", [piece for piece in pieces if piece.op != "del"])
    return format_html('<span class="plain">{}</span>', left), format_html(
        '<span class="plain">{}</span>', right
    )


def _marked(mark: str, pieces: list[Piece]) -> SafeString:
    marked = (p.text if p.op == "same" else format_html(mark, p.text) for p in pieces)
    return format_html_join("", "{}", ((text,) for text in marked))


def field_label(name: str) -> str:
    return str(Memory._meta.get_field(name).verbose_name)


def shown(name: str, value: Any) -> str:
    """A snapshot's value as text."""
    field = Memory._meta.get_field(name)
    if value is None or value == "" or value == [] or value == {}:
        return ""
    if isinstance(field, models.DateTimeField):
        return absolute(parse_datetime(value))
    if field.choices:
        return label(value)
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{key}: {item}" for key, item in value.items())
    return str(value)
