"""A memory's columns as the ledger keeps them, and back."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import models
from django.utils.dateparse import parse_datetime

from memory.models import Memory

# Columns by their attribute name, so that links are kept as ids.
COLUMNS: dict[str, models.Field] = {
    field.attname: field for field in Memory._meta.concrete_fields if field.name != "id"
}
# What a change of state moves and an undo puts back.
BOOKKEEPING = frozenset({"revision", "updated_at"})


def snapshot(memory: Memory) -> dict[str, Any]:
    """Every column, in plain JSON types."""
    return {name: _plain(getattr(memory, name)) for name in COLUMNS}


def restored(values: dict[str, Any]) -> dict[str, Any]:
    """A snapshot's values as a model takes them."""
    return {name: _typed(COLUMNS[name], value) for name, value in values.items() if name in COLUMNS}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        # In UTC, as the table gives it back: an undo compares the two.
        return value.astimezone(UTC).isoformat()
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, str):
        return str(value)
    return value


def _typed(field: models.Field, value: Any) -> Any:
    if value is None:
        return None
    target = field.target_field if field.is_relation else field
    if isinstance(target, models.DateTimeField):
        return parse_datetime(value)
    if isinstance(target, models.UUIDField):
        return UUID(value)
    return value
