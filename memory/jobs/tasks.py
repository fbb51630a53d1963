"""The engine's own jobs."""

import time

from memory.models import Memory, Scope, Status, Workspace
from memory.write import accesses, answers, intake, sameness, snapshots, sweep
from memory.write.erase import files

from . import work
from .registry import TURN_SECONDS, job
from .upkeep import upkeep as _upkeep


@job(every=1, is_due=lambda: bool(intake.due(1)))
def read_turns() -> dict:
    """Read what was said for what is worth remembering, with the model."""
    end, read = time.monotonic() + TURN_SECONDS, 0
    while waiting := intake.due(20):
        for extraction_id in waiting:
            if time.monotonic() > end:
                return {"read": read}
            intake.read(extraction_id)
            read += 1
    return {"read": read}


@job(every=60, is_due=sweep.is_due)
def expire() -> dict:
    """Expire the memories whose time is over."""
    return {"expired": sweep.expire_due()}


class _Seen:
    """How far this process has looked; its first look is at all there is. `memories` by
    workspace."""

    turn = change = 0
    memories: dict[int, int] = {}


def _goes_on() -> bool:
    return snapshots.newest_turn() > _Seen.turn or snapshots.newest_change() > _Seen.change


@job(every=30, is_due=_goes_on)
def take_snapshots() -> dict:
    """Sum up the sessions that have come to their next so many turns, and again those of which
    something no longer holds."""
    end = time.monotonic() + TURN_SECONDS
    newest = (snapshots.newest_turn(), snapshots.newest_change())
    taken, left = 0, False
    for session in snapshots.due(_Seen.turn):
        if time.monotonic() > end or not snapshots.is_read(session):
            left = True
            continue
        taken += snapshots.take_snapshot(session) is not None
    for session in snapshots.outdated(_Seen.change):
        if time.monotonic() > end:
            left = True
            break
        taken += snapshots.take_again(session) is not None
    if not left:
        _Seen.turn, _Seen.change = newest
    return {"taken": taken}


# It takes 3 ms a row and is nobody's hurry: a writer looks at its own rows already.
SWEEP_SECONDS, SWEEP_ROWS = 5.0, 100


def _unswept() -> list[tuple[Workspace, int]]:
    """The workspaces with rows that were not looked at, each with its newest active row."""
    found = []
    for workspace in Workspace.objects.all():
        rows = Memory.objects.within(Scope(workspace.pk, "maintenance", "command"))
        newest = rows.filter(status=Status.ACTIVE).order_by("-pk").values_list("pk", flat=True)
        if (last := newest.first() or 0) > _Seen.memories.get(workspace.pk, 0):
            found.append((workspace, last))
    return found


@job(every=60, is_due=lambda: bool(_unswept()))
def find_duplicates() -> dict:
    """Look for memories that say the same in other words, for a person to decide on."""
    end, looked, found = time.monotonic() + SWEEP_SECONDS, 0, 0
    for workspace, newest in _unswept():
        last: int | None = _Seen.memories.get(workspace.pk, 0)
        while last is not None and time.monotonic() < end:
            swept = sameness.sweep(workspace, SWEEP_ROWS, last)
            last = swept.last
            looked, found = looked + swept.looked, found + swept.found
            _Seen.memories[workspace.pk] = newest if last is None else last
    return {"looked": looked, "found": found}


@job(every=30, is_due=files.is_due)
def scrub_files() -> dict:
    """Free the files of what was erased, where a reader or a large index stood in the way."""
    return {"scrubbed": files.scrub(seconds=10 * TURN_SECONDS)}


@job(every=1, is_due=work.is_due)
def work_on_jobs() -> dict:
    """Carry out what people and agents asked for."""
    return work.work()


@job(every=3600)
def forget() -> dict:
    """Remove what was only to be kept for a while: notes of who read what, answers for requests
    that are sent again."""
    return {"accesses": accesses.forget_old(), "answers": answers.forget_old()}


@job(every=600)
def upkeep() -> dict:
    """Indexes, log, ends by policy, notes of old tasks."""
    done = _upkeep()
    return {"redated": done.redated, "forgotten": done.forgotten, "folded": done.folded}
