"""Memories: write, list, read, correct."""

from uuid import UUID

from ninja import Query, Router

from memory.index import past
from memory.models import Memory, Status
from memory.write.accesses import note
from memory.write.apply import apply
from memory.write.outcome import Outcome
from memory.write.plan import Applied, StalePlan
from memory.write.planner import Planner
from memory.write.remember import remember
from memory.write.revise import find, plan_amend, plan_confirm, plan_restore, plan_retract

from .auth import needs
from .bodies import MemoryIn, MemoryPatch
from .changed import Changed, Remembered, changed_form
from .fields import Reasoned
from .form import MemoryForm, etag, memory_forms
from .history import ChangeForm, HistoryPaging, change_form, changes_of
from .include import MemoryWithMore, OneMemory, included
from .listing import AsOf, MemoryFilters, listed
from .messages import remember_messages
from .paging import Page, counted, page_form, page_of
from .problems import GONE, READ, READ_ONE, WRITE, WRITE_ONE, Problem
from .reply import reply

router = Router(tags=["memories"])


class HistoryOf(HistoryPaging, AsOf):
    """A page of the ledger's entries of one fact."""


@router.post("", auth=needs("write"), response={201: Remembered, WRITE: Problem})
def write(request, body: MemoryIn):
    """Write a memory, or what a dialogue says. Needs `write`.

    Secrets never reach the store: a memory that holds one is refused (422, `secret_refused`), in
    a turn it is masked. Personal data is held, masked or kept by policy; a planted instruction is
    held. A source never replaces the value of one that is trusted more: user_said and
    external_sync (and what names no source), then imported, then inferred: what speaks against
    it becomes a "candidate".
    """
    scope = request.scope.narrow(body.user_id)
    if body.messages is not None:
        taken = remember_messages(scope, body)
        answer = changed_form(request, taken.batch, taken.outcomes)
        queued = [str(turn_id) for turn_id in taken.queued]
    else:
        proposals = [body.proposal(scope)]
        written = remember(scope, proposals, reason=body.reason, infer=body.infer)
        answer, queued = changed_form(request, written.batch, written.outcomes), []
    return reply(answer | {"queued": queued}, 201)


@router.get("", auth=needs("read"), response={200: Page[MemoryForm], READ: Problem})
def list_memories(request, asked: Query[MemoryFilters]):
    """Memories, active ones unless `status` says otherwise ("any" for all). Needs `read`."""
    with past.as_of(asked.as_of):
        rows, after, total = listed(request.scope.narrow(asked.user_id), asked)
        forms = memory_forms(request, rows)
    note(request.scope, rows, "list")
    return reply(page_form([forms[row.public_id] for row in rows], after, total))


@router.get(
    "/{memory_id}", auth=needs("read"), response={200: MemoryWithMore, READ_ONE | GONE: Problem}
)
def read(request, memory_id: UUID, asked: Query[OneMemory]):
    """One memory in whatever state, with its `ETag`; with `as_of` as it was then, 404 where it was
    not there yet, and without an `ETag`: the past cannot be corrected. Needs `read`."""
    with past.as_of(asked.as_of):
        memory = find(request.scope, memory_id)
        form = memory_forms(request, [memory])[memory.public_id]
        form |= included(request, memory, asked.parts)
    note(request.scope, [memory], "one")
    return reply(form, headers={} if asked.as_of else {"ETag": etag(memory)})


@router.patch(
    "/{memory_id}",
    auth=needs("correct"),
    response={200: Changed, WRITE_ONE | GONE | {412}: Problem},
)
def correct(request, memory_id: UUID, body: MemoryPatch):
    """Correct a memory: a new version supersedes it. `If-Match` with its `ETag` refuses to
    overwrite what somebody else changed meanwhile (412). What a person has to look at first
    (personal data by policy, a planted instruction) is "quarantined" and supersedes nothing yet.
    Needs `correct`."""
    memory = find_matching(request, memory_id)
    planner = plan_amend(request.scope, memory, body.changes())
    applied = apply(planner.plan("correct", body.reason))
    new = next(row for row in applied.memories.values() if row.public_id != memory.public_id)
    action = "superseded" if new.status == Status.ACTIVE else new.status
    result = Outcome(action, new, applied.memories.get(memory.public_id, memory))
    answer = changed_form(request, applied.batch, [result])
    return reply(answer, headers={"ETag": etag(new)})


@router.get(
    "/{memory_id}/history",
    auth=needs("read"),
    response={200: Page[ChangeForm], READ_ONE | GONE: Problem},
)
def history(request, memory_id: UUID, asked: Query[HistoryOf]):
    """Every version and change of this memory's fact, oldest first; with `as_of` those up to then.
    Needs `read`."""
    with past.as_of(asked.as_of):
        memory = find(request.scope, memory_id)
        rows = changes_of(request.scope, memory)
        entries, after = page_of(rows, "id", asked)
        items = [change_form(entry, request.auth.workspace.name) for entry in entries]
        page = page_form(items, after, counted(rows))
    note(request.scope, [memory], "history")
    return reply(page)


@router.post(
    "/{memory_id}/confirm",
    auth=needs("correct"),
    response={200: Changed, WRITE_ONE | GONE | {412}: Problem},
)
def confirm(request, memory_id: UUID, body: Reasoned | None = None):
    """Say that a memory still holds; `If-Match` as of a correction, here as below. Needs
    `correct`."""
    planner = plan_confirm(request.scope, find_matching(request, memory_id))
    return _changed_in_place(request, memory_id, planner, "confirm", "confirmed", body)


@router.post(
    "/{memory_id}/retract",
    auth=needs("correct"),
    response={200: Changed, WRITE_ONE | GONE | {412}: Problem},
)
def retract(request, memory_id: UUID, body: Reasoned | None = None):
    """Say that a memory is wrong; it stays in the history. Needs `correct`."""
    planner = plan_retract(request.scope, [find_matching(request, memory_id)])
    return _changed_in_place(request, memory_id, planner, "retract", "retracted", body)


@router.post(
    "/{memory_id}/restore",
    auth=needs("correct"),
    response={200: Changed, WRITE_ONE | GONE | {412}: Problem},
)
def restore(request, memory_id: UUID, body: Reasoned | None = None):
    """Make a memory current again, as a new version where another took its place. Needs
    `correct`."""
    planner = plan_restore(request.scope, find_matching(request, memory_id))
    applied = apply(planner.plan("restore", _reason(body)))
    new = _now_active(applied)
    replaced = [row for row in applied.memories.values() if row.superseded_by_id == new.public_id]
    result = Outcome("restored", new, replaced[0] if replaced else None)
    answer = changed_form(request, applied.batch, [result])
    return reply(answer, headers={"ETag": etag(new)})


def _changed_in_place(
    request, memory_id: UUID, planner: Planner, verb: str, action: str, body: Reasoned | None
):
    applied = apply(planner.plan(verb, _reason(body)))
    result = Outcome(action, applied.memories[memory_id])
    answer = changed_form(request, applied.batch, [result])
    return reply(answer, headers={"ETag": etag(result.memory)})


def _now_active(applied: Applied) -> Memory:
    return next(row for row in applied.memories.values() if row.status == Status.ACTIVE)


def _reason(body: Reasoned | None) -> str:
    return body.reason if body else ""


def find_matching(request, memory_id: UUID) -> Memory:
    """The memory, for a change of it. Raises as `find`, and `StalePlan` where `If-Match` names
    another state of it than there is now."""
    memory = find(request.scope, memory_id)
    wanted = request.headers.get("If-Match", "*")
    tags = {tag.strip() for tag in wanted.split(",")}
    if not tags & {"*", etag(memory)}:
        raise StalePlan([memory.public_id])
    return memory
