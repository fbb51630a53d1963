"""mem0: what get_all, search, the v3 pages and the export give, in their four wrappers."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, each
from memory.exchange.record import Item, Record, Reject
from memory.exchange.source import FormatError, Source

from . import Format, Options

WRAPPERS = ("results", "memories", "data", "items")
TEXTS = ("memory", "text", "content", "data", "value")
_KEPT = (
    "hash", "app_id", "actor_id", "role", "attributed_to", "categories", "structured_attributes",
    "replaced_by", "synthesized", "lifecycle_state",
)  # fmt: skip


def rows_of(document: Any) -> list[Any]:
    """The rows in a bare list or in one of the wrappers. Raises `FormatError`."""
    if isinstance(document, list):
        return document
    if isinstance(document, Mapping):
        for name in WRAPPERS:
            inner = document.get(name)
            if isinstance(inner, list):
                return inner
            if isinstance(inner, Mapping):
                return rows_of(inner)
    raise FormatError("no_rows", f"holds no list of memories: a list, or one in {WRAPPERS}")


def memory_of(number: int, row: Mapping[str, Any], options: Options) -> Record | Reject:
    """One row of mem0's, or of anybody who calls things as mem0 or this store does."""
    payload = row.get("payload")
    if isinstance(payload, Mapping):
        # A raw point of a vector store: the memory is what it carries.
        row = {**payload, **{name: row[name] for name in row if name != "payload"}}
    fields = Fields(number, row)
    value = fields.text("value") if row.get("entity") else ""
    text = fields.text(*[name for name in TEXTS if name != "value" or not value])
    ends = fields.moment("expires_at", "expiration_date")
    if ends and "expiration_date" in row and len(str(row["expiration_date"])) <= len("2026-01-01"):
        # A day names when it is over, not when it begins.
        ends += timedelta(days=1)
    run = row.get("run_id") or row.get("session_id")
    kept = {name: row[name] for name in _KEPT if row.get(name) not in (None, "", [], {})}
    return fields.record(
        text=text,
        entity=fields.text("entity"),
        attribute=fields.text("attribute"),
        value=value,
        user_id=fields.text("user_id") or options.user_id,
        agent_id=fields.text("agent_id") or options.agent_id,
        session_id=run if isinstance(run, str) else "",
        kind=fields.kind(),
        domain=fields.text("domain"),
        tags=fields.names("tags", "categories"),
        links=fields.names("links"),
        importance=fields.importance(),
        confidence=fields.number_in("confidence", 0, 1),
        created_at=fields.moment("occurred_at", "created_at"),
        updated_at=fields.moment("updated_at"),
        valid_from=fields.moment("valid_from"),
        valid_to=fields.moment("valid_to"),
        expires_at=ends,
        state=fields.state("lifecycle_state", "status", "state"),
        external_id=fields.text("id", "uuid", "memory_id"),
        metadata=fields.metadata() | ({"mem0": kept} if kept else {}),
    )


def _sniff(source: Source) -> bool:
    start = source.beginning
    if not start.startswith(("[", "{")):
        return False
    try:
        rows = rows_of(source.document)
    except FormatError:
        return False
    first = next((row for row in rows if isinstance(row, Mapping)), {})
    return not rows or any(name in first for name in (*TEXTS, "payload"))


def _read(source: Source, options: Options) -> Iterator[Item]:
    rows = rows_of(source.document)
    yield from each(rows, lambda number, row: memory_of(number, row, options))


FORMAT = Format("mem0", _("mem0: memories in JSON"), _sniff, _read)
