"""Bringing a file in: read, check each row, plan by the write road, apply; or only say what would
come of it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from memory.index.policies import ruling
from memory.models import Batch, ForbiddenMove, Scope, ScopeError
from memory.write import queue
from memory.write.apply import apply
from memory.write.erase.tombstones import BROUGHT_BACK, note_brought_back
from memory.write.imported.brought import Brought, Known, digests_of, known
from memory.write.imported.planner import ImportPlanner
from memory.write.imported.road import bring
from memory.write.plan import Applied, Conflict, Plan, StalePlan
from memory.write.proposal import InvalidInput
from memory.write.transaction import write_transaction

from .bring_logs import keep_shown, keep_turns
from .checked import checked
from .formats import AUTO, Options, chosen
from .record import Item, Record, Reject, Said, Shown
from .source import FormatError, Source
from .told import Report, Told, rejected

# Rows in one batch: a new one takes 15 ms, and other writers wait 5 s at most.
BATCH = 100
MOST_ROWS = 200_000
# A trial plans so many rows as they would be written, in about a minute, and only checks the rest.
TRIED = 10_000
Progress = Callable[[int, int], None]
_RETRIED = (Conflict, ForbiddenMove, StalePlan)


@dataclass(frozen=True)
class Overview:
    """A file read through once: how many rows, and which users they name, each with the one in
    whose name they are kept."""

    total: int
    users: dict[str, str]


class Incoming:
    """One file for one scope; with `bring_back` also what of it was erased here. Raises
    `FormatError` when it cannot be read."""

    def __init__(
        self, scope: Scope, path: Path, *, name: str = "", form: str = AUTO,
        options: Options | None = None, bring_back: bool = False,
    ) -> None:  # fmt: skip
        options = options or Options()
        self.scope, self.bring_back = scope, bring_back
        self.options = replace(options, user_id=options.user_id or scope.user_id or "")
        self.source = Source(path, name)
        self.format = chosen(self.source, form)

    @cached_property
    def overview(self) -> Overview:
        """Reads the whole file, so that one that breaks off in its middle is refused before
        anything is written."""
        total, named = 0, set()
        for item in self._read():
            total += 1
            if total > MOST_ROWS:
                raise FormatError("too_large", f"has more than {MOST_ROWS:,} rows; divide it")
            if not isinstance(item, Reject) and item.user_id:
                named.add(item.user_id)
        # The file of one person is taken for whom it is brought for; several stay apart.
        asked = self.options.user_id
        is_one = len(named) == 1 and asked
        return Overview(total, {user: asked if is_one else user for user in sorted(named)})

    def pieces(self, after: int = 0) -> Iterator[list[Item]]:
        """The rows after the first `after`, in pieces of at most `BATCH`."""
        items = islice(self._read(), after, None)
        while piece := list(islice(items, BATCH)):
            yield [self._renamed(item) for item in piece]

    def report(self, *, dry_run: bool) -> Report:
        told = self.overview
        return Report(self.format.name, self.source.sha256, dry_run, told.total, told.users)

    def _read(self) -> Iterator[Item]:
        try:
            # Without the one asked for: so it shows which rows name somebody themselves.
            yield from self.format.read(self.source, replace(self.options, user_id=""))
        except (RecursionError, MemoryError) as error:
            raise FormatError("unreadable", "is nested too deeply or too large") from error

    def _renamed(self, item: Item) -> Item:
        if isinstance(item, Reject):
            return item
        named = self.overview.users.get(item.user_id, item.user_id)
        return replace(item, user_id=named or self.options.user_id)


@dataclass(frozen=True)
class Prepared:
    """A piece whose turns are kept and whose rows are checked, as they need no lock for long."""

    piece: Sequence[Item]
    turns: "dict[int, Told]"
    found: "Found"


def prepare(incoming: Incoming, piece: Sequence[Item]) -> Prepared:
    """Keep the turns of a piece and check its rows. Doing it again changes nothing. Raises
    `QueueTimeout`."""
    turns = keep_turns(incoming.scope, incoming.format.name, _of(piece, Said))
    return Prepared(piece, turns, _checked(incoming, piece))


def write_prepared(
    incoming: Incoming, prepared: Prepared, reason: str = ""
) -> tuple[list[Told], list[Batch]]:
    """Write a piece, each of its rows or not at all; what became of each, in order. Doing it again
    changes nothing. Raises `QueueTimeout`."""
    with queue.turn():
        told, batches = _write(incoming, prepared.found, reason)
        if erased := _erased(incoming, prepared.found, told):
            back, made = _write(incoming, erased, reason, bring_back=True)
            told, batches = told | back, batches + made
        given = _of(prepared.piece, Shown)
        told |= prepared.turns | keep_shown(incoming.scope, incoming.format.name, given)
    return _in_order(prepared.piece, told), batches


class Trial:
    """What writing would come to, planned on by piece after piece, nothing written."""

    def __init__(self, incoming: Incoming) -> None:
        self._incoming = incoming
        self._planner = ImportPlanner(incoming.scope)
        self._store, self._planned = Known(), 0

    def piece(self, piece: Sequence[Item]) -> list[Told]:
        found = _checked(self._incoming, piece, turns=False)
        self._planned += len(piece)
        if self._planned > TRIED:
            told = {
                n: one if isinstance(one, Told) else Told(item.number, "checked", text=item.text)
                for n, (item, one) in found.items()
            }
        else:
            told = _planned(self._planner, self._incoming, found, self._store)
            if erased := _erased(self._incoming, found, told):
                back = {"bring_back": True}
                told |= _planned(self._planner, self._incoming, erased, self._store, **back)
        scope, origin = self._incoming.scope, self._incoming.format.name
        told |= keep_turns(scope, origin, _of(piece, Said), dry_run=True)
        told |= keep_shown(scope, origin, _of(piece, Shown), dry_run=True)
        return _in_order(piece, told)


def preview(incoming: Incoming, progress: Progress = lambda done, total: None) -> Report:
    """What writing the file would come to: the same road, nothing applied."""
    report, trial = incoming.report(dry_run=True), Trial(incoming)
    for piece in incoming.pieces():
        report.add(trial.piece(piece))
        progress(report.done, report.total)
    return report


def bring_in(
    incoming: Incoming, reason: str = "", progress: Progress = lambda done, total: None
) -> Report:
    """Write the file, a batch for each `BATCH` rows. Raises `QueueTimeout`: what was written
    until then is kept, and doing it again goes on from there."""
    report = incoming.report(dry_run=False)
    for piece in incoming.pieces():
        told, batches = write_prepared(incoming, prepare(incoming, piece), reason)
        report.add(told)
        report.batches += batches
        progress(report.done, report.total)
    return report


Found = dict[int, tuple[Record, "Brought | Told"]]


def _checked(incoming: Incoming, piece: Sequence[Item], *, turns: bool = True) -> Found:
    found: Found = {}
    for n, item in enumerate(piece):
        if not isinstance(item, Record):
            continue
        try:
            found[n] = item, checked(incoming.scope, incoming.format.name, item, turns=turns)
        except InvalidInput as error:
            fields = "; ".join(f"{name}: {message}" for name, message in error.errors)
            found[n] = item, rejected(item, error.code, fields)
        except ScopeError:
            told = "user_id: outside the scope of this credential"
            found[n] = item, rejected(item, "outside_scope", told)
    return found


def _erased(incoming: Incoming, found: Found, told: dict[int, Told]) -> Found:
    """What of a piece was refused as erased and is to come back."""
    if not incoming.bring_back:
        return {}
    return {n: one for n, one in found.items() if told[n].code == "erased"}


def _write(
    incoming: Incoming, found: Found, reason: str, *, bring_back: bool = False
) -> tuple[dict[int, Told], list[Batch]]:
    """What was erased comes back in a batch of its own, and its tombstones tell of it."""
    planner = ImportPlanner(incoming.scope)
    told = _planned(planner, incoming, found, Known(), bring_back=bring_back)
    try:
        if bring_back:
            applied = _apply_back(planner.plan("bring_back", reason), found, told)
        else:
            applied = apply(planner.plan("import", reason))
    except _RETRIED as error:
        if len(found) == 1:
            ((n, (item, _)),) = found.items()
            return {n: rejected(item, "conflict", str(error))}, []
        # One of them stands in the way of all: each by itself.
        told, batches = {}, []
        for n, one in found.items():
            alone, made = _write(incoming, {n: one}, reason, bring_back=bring_back)
            told |= alone
            batches += made
        return told, batches
    return told, [applied.batch] if applied.batch else []


def _apply_back(plan: Plan, found: Found, told: dict[int, Told]) -> Applied:
    came = (found[n][1] for n, one in told.items() if one.code == BROUGHT_BACK)
    digests = {digest for one in came for digest in digests_of(one)}
    with write_transaction():
        applied = apply(plan)
        if applied.batch:
            note_brought_back(plan.scope, digests, applied.batch)
    return applied


def _planned(
    planner: ImportPlanner, incoming: Incoming, found: Found, store: Known, *,
    bring_back: bool = False,
) -> dict[int, Told]:  # fmt: skip
    brought = [one for _, one in found.values() if isinstance(one, Brought)]
    store.join(known(incoming.scope, brought))
    policies = ruling(incoming.scope.workspace_id)
    told = {}
    for n, (item, one) in found.items():
        if isinstance(one, Told):
            told[n] = one
            continue
        try:
            outcome = bring(planner, one, policies, store, bring_back=bring_back)
        except InvalidInput as error:
            fields = "; ".join(f"{name}: {message}" for name, message in error.errors)
            told[n] = rejected(item, error.code, fields)
            continue
        memory = outcome.memory
        told[n] = Told(
            item.number,
            outcome.action,
            BROUGHT_BACK if bring_back and outcome.action != "skipped" else outcome.reason,
            text=memory.text if memory else "",
            memory_id=memory and memory.public_id,
        )
        if one.left_out:
            told[n] = replace(told[n], message="; ".join(one.left_out))
    return told


def _in_order(piece: Sequence[Item], told: dict[int, Told]) -> list[Told]:
    rejects = {
        n: rejected(item, item.code, item.message)
        for n, item in enumerate(piece)
        if isinstance(item, Reject)
    }
    found = told | rejects
    return [found[n] for n in sorted(found)]


def _of(piece: Sequence[Item], kind: type) -> dict[int, Any]:
    return {n: item for n, item in enumerate(piece) if isinstance(item, kind)}
