"""A ledger entry as people read it: what a statement was, what it became, what else moved."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery
from django.utils.translation import gettext_lazy as _

from memory.index.capped import CappedCount
from memory.models import Batch, Change, Memory, Scope
from memory.write.snapshot import snapshot

from .differences import ALL, Difference, differences
from .keyset import COUNT_CAP

# By stored name, so that the catalogue holds them; `label` translates them.
VERBS = {
    "remember": _("remember"),
    "amend": _("amend"),
    "correct": _("correct"),
    "confirm": _("confirm"),
    "retract": _("retract"),
    "restore": _("restore"),
    "expire": _("expire"),
    "policy": _("policy"),
    "doubt": _("doubt"),
    "undo": _("undo"),
    "approve": _("approve"),
    "reject": _("reject"),
    "merge": _("merge"),
    "hold": _("hold"),
    "fill": _("fill"),
    "sync": _("sync"),
    "snapshot": _("snapshot"),
    "erase": _("erase"),
    "import": _("import"),
    "bring_back": _("bring back"),
}
ACTIONS = {
    "add": _("add"), "supersede": _("supersede"), "relink": _("relink"), "promote": _("promote"),
    "edit": _("edit"), "erase_reason": _("erase reason"), **VERBS,
}  # fmt: skip
SURFACES = {
    "api": _("api"), "console": _("console"), "command": _("command"), "question": _("question"),
    "mcp": "MCP",
}  # fmt: skip

# The statement has its own diff, and its summary would say the same again.
COMPARED = tuple(name for name in ALL if name not in ("text", "summary"))


@dataclass(frozen=True)
class Shown:
    """One entry. `before` is "" where a statement is new; a value that takes another's place is
    shown against the one it replaces. `erased`: only the entry's own columns are left."""

    entry: Change
    before: str
    after: str
    fields: Sequence[Difference] = ()
    replaces: UUID | None = None
    erased: bool = False

    @property
    def text_moved(self) -> bool:
        return self.before != self.after


def shown(scope: Scope, entries: Sequence[Change]) -> list[Shown]:
    """The entries in their order; one query, whatever their number, for what they replace."""
    known = {entry.memory_id: entry.before or entry.after for entry in entries if entry.payload}
    missing = {_replaced(entry) for entry in entries} - {None, *known}
    if missing:
        rows = Memory.objects.within(scope).filter(public_id__in=missing)
        known |= {row.public_id: snapshot(row) for row in rows}
    return [_show(entry, known) for entry in entries]


def first_shown(scope: Scope, batches: Iterable[Batch], each: int) -> dict[int, list[Shown]]:
    """The first entries of each batch, at most `each`. What another entry of the same batch
    replaces is told by that one."""
    own = Change.objects.filter(batch=OuterRef("pk")).order_by("pk").values("pk")
    # Twice as many: of a replaced value and its successor only one is shown.
    further = Subquery(own[2 * each : 2 * each + 1])
    rows = Batch.objects.within(scope).filter(pk__in=[batch.pk for batch in batches])
    chosen = Q(pk__in=())
    for pk, end in rows.values_list("pk", further):
        chosen |= Q(batch=pk) if end is None else Q(batch=pk, pk__lt=end)
    entries = list(Change.objects.filter(chosen).order_by("pk"))
    told = {(entry.batch_id, _replaced(entry)) for entry in entries}
    found: dict[int, list[Shown]] = {}
    for item in shown(scope, entries):
        if (item.entry.batch_id, item.entry.memory_id) not in told:
            found.setdefault(item.entry.batch_id, []).append(item)
    return {pk: items[:each] for pk, items in found.items()}


def counts(scope: Scope, batches: Iterable[Batch]) -> dict[int, int]:
    """How many entries each batch has, at most `COUNT_CAP` + 1."""
    entries = Change.objects.filter(batch=OuterRef("pk")).order_by().values("pk")
    rows = Batch.objects.within(scope).filter(pk__in=[batch.pk for batch in batches])
    return dict(rows.values_list("pk", CappedCount(entries[: COUNT_CAP + 1])))


def _replaced(entry: Change) -> UUID | None:
    replaced = entry.after["supersedes_id"] if entry.after and entry.before is None else None
    return UUID(replaced) if replaced else None


def _show(entry: Change, known: dict[UUID, dict]) -> Shown:
    if entry.payload is None:
        return Shown(entry, "", "", erased=True)
    before, replaced = entry.before, _replaced(entry)
    if before is None and replaced is not None:
        before = known.get(replaced)
    moved = differences(before, entry.after, COMPARED) if before else ()
    return Shown(entry, before["text"] if before else "", entry.after["text"], moved, replaced)
