"""Adding and updating, as both of mem0's surfaces do."""

from typing import Any

from memory.models import Memory, Scope, Status
from memory.text.normalise import key
from memory.text.statement import parse_statement
from memory.write.apply import apply
from memory.write.outcome import Outcome
from memory.write.revise import plan_amend

from ..messages import remember_messages
from .bodies import AddIn, UpdateIn
from .form import APP, mem0_form

EVENTS = {
    "added": "ADD",
    "superseded": "UPDATE",
    "confirmed": "NOOP",
    "merged": "NOOP",
    "candidate": "ADD",
    "quarantined": "ADD",
}


def added(scope: Scope, body: AddIn) -> dict[str, Any]:
    """Remember a dialogue. What a configured model has yet to read is "PENDING": its event is
    that of the first such turn; all else is done with this answer."""
    said = body.memory_in(scope)
    taken = remember_messages(scope.narrow(said.user_id), said)
    event = taken.batch.public_id if taken.batch else None
    if taken.queued:
        event = taken.queued[0]
    told = [_told(outcome) for outcome in taken.outcomes if outcome and outcome.memory]
    return {
        "results": told,
        "event_id": event and str(event),
        "status": "PENDING" if taken.queued else "SUCCEEDED",
        "message": "Turns wait to be read" if taken.queued else "Memories added",
    }


def updated(scope: Scope, memory: Memory, body: UpdateIn) -> Memory:
    """The version that an update leaves: a new one, which supersedes, or where nothing changes
    the same. One that a person has to look at first waits, and the current one is answered."""
    changes = {n: v for n, v in body.changes().items() if getattr(memory, n) != v}
    if APP in memory.metadata and "metadata" in changes:
        changes["metadata"] = {APP: memory.metadata[APP]} | changes["metadata"]
    if not changes:
        return memory
    planner = plan_amend(scope, memory, _with_parts(memory, changes))
    rows = apply(planner.plan("correct", "")).memories.values()
    return next((row for row in rows if row.status == Status.ACTIVE), memory)


def _with_parts(memory: Memory, changes: dict[str, Any]) -> dict[str, Any]:
    """Of a memory with a value: the one that the new text gives, or none where the text is about
    something else. mem0's client knows of texts only."""
    if "text" not in changes or not memory.value:
        return changes
    said = parse_statement(changes["text"])
    if said and (key(said.entity), key(said.attribute)) == (
        memory.entity_key,
        memory.attribute_key,
    ):
        return changes | {"value": said.value}
    return changes | {"entity": "", "attribute": "", "value": ""}


def _told(outcome: Outcome) -> dict[str, Any]:
    event = EVENTS.get(outcome.action, "NOOP")
    form = mem0_form(outcome.memory) | {"event": event, "action": outcome.action}
    if outcome.previous is not None and event == "UPDATE":
        form["previous_memory"] = outcome.previous.text
    return form | {"data": {"memory": outcome.memory.text}}
