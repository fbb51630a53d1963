"""MemOS cubes: textual_memory.json as a list, or as a tree of nodes and edges."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, each
from memory.exchange.record import Item
from memory.exchange.source import FormatError, Source
from memory.models import Kind

from . import Format, Options

_KINDS = {"procedure": Kind.PROCEDURE, "fact": Kind.FACT, "event": Kind.EVENT,
          "preference": Kind.PREFERENCE}  # fmt: skip
_KEPT = ("key", "memory_type", "type", "sources", "background", "source", "visibility")


def _sniff(source: Source) -> bool:
    if not source.beginning.startswith(("[", "{")):
        return False
    try:
        rows = _rows(source.document)
    except FormatError:
        return False
    first = next((row for row in rows if isinstance(row, Mapping)), {})
    told = _payload(first).get("metadata")
    is_theirs = isinstance(told, Mapping) and ("memory_type" in told or "vector" in first)
    return "memory" in _payload(first) and is_theirs


def _rows(document: Any) -> list[Any]:
    if isinstance(document, Mapping):
        document = document.get("nodes")
    if not isinstance(document, list):
        raise FormatError("no_rows", "holds no nodes")
    return document


def _payload(row: Mapping[str, Any]) -> Mapping[str, Any]:
    inner = row.get("payload")
    return inner if isinstance(inner, Mapping) else row


def _read(source: Source, options: Options) -> Iterator[Item]:
    rows = _rows(source.document)
    yield from each(rows, lambda number, row: _node(number, row, options))


def _node(number: int, row: Mapping[str, Any], options: Options) -> Item:
    payload = _payload(row)
    told = payload.get("metadata") if isinstance(payload.get("metadata"), Mapping) else {}
    # What is memory, not what finds it.
    flat = {name: value for name, value in {**told, **payload}.items() if name != "embedding"}
    fields = Fields(number, flat)
    kept = {name: told[name] for name in _KEPT if told.get(name) not in (None, "", [])}
    return fields.record(
        text=fields.text("memory"),
        user_id=fields.text("user_id") or options.user_id,
        agent_id=options.agent_id,
        session_id=fields.text("session_id"),
        kind=_KINDS.get(str(told.get("type")), ""),
        tags=fields.names("tags"),
        confidence=_share(fields),
        created_at=fields.moment("created_at", "memory_time"),
        updated_at=fields.moment("updated_at"),
        state=fields.state("status"),
        external_id=fields.text("id") or str(row.get("id") or ""),
        metadata={"memos": kept} if kept else {},
    )


def _share(fields: Fields) -> float | None:
    """Some versions write per cent."""
    number = fields.number_in("confidence", 0, 100)
    return number / 100 if number is not None and number > 1 else number


FORMAT = Format("memos", _("MemOS: textual memory"), _sniff, _read)
