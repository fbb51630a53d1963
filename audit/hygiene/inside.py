"""The look at an export, within a store of its own that is thrown away after it.

The rows go in as they are: what the road in would refuse, hold or merge is what is looked for.
"""

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from audit.health import registry
from audit.health.check import MemoryCheck
from audit.health.checks.missing_metadata import LACKS
from audit.health.figures import Report
from audit.health.report import run_report
from memory import clock
from memory.exchange.formats import Options, chosen
from memory.exchange.record import Item, Record, Reject
from memory.exchange.source import FormatError, Source
from memory.models import Memory, Policies, Scope, Status, Workspace, policies_of
from memory.models.ids import new_id
from memory.text.statement import parse_statement
from memory.write.draft import columns
from memory.write.proposal import InvalidInput, Proposal
from memory.write.put_back import put_memories
from memory.write.sameness import open_pairs, sweep

# What an export can tell; the others ask the ledger, the index or the recalls of a living store.
CHECKS = (
    "exact_duplicates", "near_duplicates", "conflicting_actives", "expired_active",
    "secrets_at_rest", "personal_data_at_rest", "planted_instructions", "junk",
    "missing_metadata", "low_confidence", "unconfirmed_long", "unsearchable_chinese",
)  # fmt: skip
AT_ONCE = 500
MOST_ROWS = 50_000
# Looking for near duplicates takes some 3 ms a row; a larger export is not looked through.
PAIR_SECONDS = 120.0
_TAKEN = (
    "user_id", "text", "entity", "attribute", "value", "agent_id", "session_id", "summary", "kind",
    "domain", "tags", "links", "source", "importance", "confidence", "valid_from", "valid_to",
    "expires_at", "quote", "external_id", "metadata",
)  # fmt: skip
Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Row:
    """Where a row stands in its file: its number, and which one of that number it is."""

    number: int
    nth: int
    external_id: str

    @property
    def place(self) -> list[int]:
        return [self.number, self.nth]


def look_over(path: Path, name: str, form: str, progress: Progress) -> dict[str, Any]:
    """The report on an export in plain JSON types, with what each check found row by row. Raises
    `FormatError`."""
    source = Source(path, name)
    format_ = chosen(source, form)
    scope = Scope(Workspace.objects.create(name="export").pk, "hygiene", "command")
    lab = _Lab(scope, progress)
    for item in format_.read(source, Options()):
        lab.take(item)
    lab.flush()
    swept = _pairs(scope, progress)
    progress("checks", 0)
    report = run_report(scope, CHECKS)
    return {
        "format": format_.name,
        "rows": lab.count,
        "rejects": lab.rejects,
        "pairs_complete": swept,
        "report": _told(report, lab.rows),
        "found": {check: _found(check, scope, lab.rows) for check in CHECKS},
        "same": _same(scope, lab.rows),
        "alike": _alike(scope, lab.rows),
        "lacking": _lacking(scope, lab.rows),
        "ids": [[*row.place, row.external_id] for row in lab.rows.values() if row.external_id],
    }


def _told(report: Report, rows: dict[UUID, Row]) -> dict[str, Any]:
    """The report, in which a row goes by its name in the file."""
    figures = report.figures()
    for check in figures["checks"]:
        known = [rows[UUID(one)] for one in check["sample"] if UUID(one) in rows]
        check["sample"] = [row.external_id or f"row {row.number}" for row in known]
    return figures


class _Lab:
    """Takes the rows of a file in, as they come."""

    def __init__(self, scope: Scope, progress: Progress) -> None:
        self._scope, self._progress = scope, progress
        self._policies: Policies = policies_of(scope.workspace_id)
        self._waiting: list[dict[str, Any]] = []
        self._last = (0, -1)
        self.rows: dict[UUID, Row] = {}
        self.rejects: list[dict[str, Any]] = []
        self.count = 0

    def take(self, item: Item) -> None:
        number, nth = self._last
        self._last = (item.number, nth + 1 if item.number == number else 0)
        if isinstance(item, Reject):
            self._reject(item.number, item.code, item.message)
        elif isinstance(item, Record):
            self.count += 1
            if self.count > MOST_ROWS:
                raise FormatError("too_large", f"has more than {MOST_ROWS:,} memories; divide it")
            try:
                row = _row(item, self._policies, self._scope)
            except InvalidInput as error:
                self._reject(item.number, error.code, str(error))
                return
            self.rows[row["public_id"]] = Row(*self._last, item.external_id)
            self._waiting.append(row)
            if len(self._waiting) == AT_ONCE:
                self.flush()

    def flush(self) -> None:
        if self._waiting:
            put_memories(self._scope, self._waiting, "")
            self._waiting = []
            self._progress("rows", self.count)

    def _reject(self, number: int, code: str, message: str) -> None:
        self.rejects.append({"row": number, "code": code, "message": message})


def _row(record: Record, policies: Policies, scope: Scope) -> dict[str, Any]:
    proposal = Proposal(**{name: getattr(record, name) for name in _TAKEN})
    proposal = replace(proposal, occurred_at=record.created_at).checked()
    said = parse_statement(proposal.text) if proposal.text and not proposal.entity else None
    if said:
        proposal = replace(proposal, entity=said.entity, attribute=said.attribute, value=said.value)
    kind = proposal.kind or ("fact" if proposal.attribute else "other")
    row = columns(proposal, policies.of(kind, proposal.domain), None, scope)
    memory_id, now = new_id(), clock.now()
    made: datetime = min(record.created_at or now, now)
    return row | {
        "public_id": memory_id,
        "fact": memory_id,
        "status": record.state,
        # Values that conflict stand side by side here.
        "single_valued": False,
        "created_at": made,
        "updated_at": max(record.updated_at or made, made),
        "confirmed_at": record.updated_at or made,
    }


def _pairs(scope: Scope, progress: Progress) -> bool:
    """Look for near duplicates; False where there was no time for all rows."""
    end, after, looked = time.monotonic() + PAIR_SECONDS, 0, 0
    while after is not None:
        if time.monotonic() > end:
            return False
        found = sweep(Workspace.objects.get(pk=scope.workspace_id), after=after)
        after, looked = found.last, looked + found.looked
        progress("pairs", looked)
    return True


def _found(check_id: str, scope: Scope, rows: dict[UUID, Row]) -> list[list[int]]:
    """The places of the rows that a check counts."""
    if not isinstance(registry.check(check_id), MemoryCheck):
        return []
    ids = registry.rows_of(check_id, scope).values_list("public_id", flat=True)
    return sorted(rows[one].place for one in ids if one in rows)


def _same(scope: Scope, rows: dict[UUID, Row]) -> list[list[list[int]]]:
    """Places of rows that say exactly the same, the one to keep first: the surest, then the
    oldest."""
    groups = defaultdict(list)
    found = registry.rows_of("exact_duplicates", scope)
    for memory in found.order_by("pk").iterator(AT_ONCE):
        groups[memory.user_id, memory.fingerprint].append(memory)
    return [
        [rows[one.public_id].place for one in sorted(group, key=_worth)]
        for group in groups.values()
    ]


def _worth(memory: Memory) -> tuple:
    return -(memory.confidence or 0), memory.created_at, memory.pk


def _alike(scope: Scope, rows: dict[UUID, Row]) -> list[list[list[int]]]:
    pairs = open_pairs(scope).values_list("first", "second")
    return sorted([rows[a].place, rows[b].place] for a, b in pairs)


def _lacking(scope: Scope, rows: dict[UUID, Row]) -> dict[str, list[list[int]]]:
    """The places of the active rows that lack each of the fields."""
    active = Memory.objects.within(scope).filter(status=Status.ACTIVE)
    return {
        name: sorted(
            rows[one].place for one in active.filter(lack).values_list("public_id", flat=True)
        )
        for name, lack in LACKS.items()
    }
