"""What differs between two versions of a memory, in words that a page can show."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.utils.dateparse import parse_datetime

from memory.models import Memory

from .templatetags.console import absolute, label

# What a memory says, and the rest that a reader may care about; keys and links are neither.
SAID = (
    "value", "text", "entity", "attribute", "kind", "domain", "tags", "links", "source",
    "importance", "confidence", "confirmations", "user_id", "agent_id", "session_id",
)  # fmt: skip
ALL = (
    *SAID, "summary", "occurred_at", "valid_from", "valid_to", "confirmed_at", "expires_at",
    "quote", "external_id", "metadata",
)  # fmt: skip


@dataclass(frozen=True)
class Difference:
    """One field, before and after, as text; "" is nothing."""

    label: str
    old: str
    new: str


def differences(
    before: Mapping[str, Any], after: Mapping[str, Any], names: tuple[str, ...] = SAID
) -> list[Difference]:
    """The fields of two snapshots (as the ledger keeps them) that differ, in order."""
    return [
        Difference(field_label(name), shown(name, before.get(name)), shown(name, after.get(name)))
        for name in names
        if before.get(name) != after.get(name)
    ]


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
