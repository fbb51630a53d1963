"""Memories as a table: one row each, safe to open in a spreadsheet.

A cell that a spreadsheet would run as a formula has an apostrophe before it, which an import takes
away again (`memory.text.cells`). Numbers stand as they are, negative ones too. Long figures, such
as an id of twenty digits, are whole in the file, but a spreadsheet that opens it by a double click
shows them rounded: import it there as text. Lists and metadata are JSON.
"""

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from memory.models import Memory
from memory.text.cells import safe_cell

from .choice import PAGE, Choice

BOM = b"\xef\xbb\xbf"
COLUMNS = (
    "public_id", "fact", "version", "status", "user_id", "agent_id", "session_id", "entity",
    "attribute", "value", "text", "summary", "kind", "layer", "domain", "tags", "links", "source",
    "importance", "confidence", "confirmations", "occurred_at", "created_at", "updated_at",
    "confirmed_at", "valid_from", "valid_to", "expires_at", "supersedes_id", "superseded_by_id",
    "turn_id", "evidence_start", "evidence_end", "quote", "held_for", "conflicts_with",
    "external_id", "metadata",
)  # fmt: skip
_HEADS = {"public_id": "id", "supersedes_id": "supersedes", "superseded_by_id": "superseded_by"}


def pieces(chosen: Choice, *, bom: bool = False) -> Iterator[bytes]:
    """The table, some rows at a time, in UTF-8; with `bom` Excel knows it for that."""
    if bom:
        yield BOM
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow([_HEADS.get(name, name) for name in COLUMNS])
    for number, memory in enumerate(chosen.rows.order_by("public_id").iterator(PAGE), start=1):
        writer.writerow([_cell(memory, name) for name in COLUMNS])
        if not number % PAGE:
            yield _emptied(buffer)
    yield _emptied(buffer)


def _cell(memory: Memory, name: str) -> str:
    value: Any = getattr(memory, name)
    if value is None or value == [] or value == {}:
        return ""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, list | dict):
        value = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return safe_cell(str(value))


def _emptied(buffer: io.StringIO) -> bytes:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text.encode("utf-8", "replace")
