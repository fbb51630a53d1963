"""Rows that a check should or should not find."""

from datetime import timedelta

from django.db import connection

from memory import clock
from memory.models import Change, Memory, Recall, RecallCandidate, Scope
from memory.models.ids import new_id
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

COMPLETE = {
    "user_id": "ann",
    "agent_id": "helper",
    "session_id": "s1",
    "source": "user_said",
    "confidence": 0.9,
}


def complete(in_scope: Scope, **fields) -> Memory:
    """An active memory that no check has anything against."""
    now = clock.now()
    return make.remember(in_scope, **COMPLETE | {"occurred_at": now - timedelta(days=1)} | fields)


def twins(in_scope: Scope, text: str, **fields) -> tuple[Memory, Memory]:
    """The same statement kept twice: by two agents of one user."""
    return (
        complete(in_scope, text=text, agent_id="helper", **fields),
        complete(in_scope, text=text, agent_id="planner", **fields),
    )


def overdue(in_scope: Scope, **fields) -> Memory:
    return complete(in_scope, expires_at=clock.now() - timedelta(hours=1), **fields)


def retracted(in_scope: Scope, **fields) -> Memory:
    memory = complete(in_scope, **fields)
    done = apply(plan_retract(in_scope, [memory]).plan("retract", "said to be wrong"))
    return done.memories[memory.public_id]


def served(
    in_scope: Scope, memory: Memory, *, stale: bool, days_ago: float = 1, rank: int | None = 1
) -> RecallCandidate:
    """A recall record in which `memory` stands."""
    recall = Recall.everywhere.create(
        workspace_id=in_scope.workspace_id,
        user_id=memory.user_id,
        at=clock.now() - timedelta(days=days_ago),
        actor="key:bot",
        surface="api",
        query="what now",
        query_used="what now",
        profile="balanced",
        analyser="test",
        served=0 if rank is None else 1,
        took_ms=1.0,
    )
    return RecallCandidate.objects.create(
        recall=recall, memory_id=memory.public_id, rank=rank, status=memory.status, stale=stale
    )


def altered(memory: Memory, **fields) -> Memory:
    """Change a row behind the engine's back, as an old version or a hand in the file may have."""
    Memory.everywhere.filter(pk=memory.pk).update(**fields)
    memory.refresh_from_db()
    return memory


def kept_as(in_scope: Scope, text: str, **fields) -> Memory:
    """An active memory of a text that would not have come in as it is."""
    return altered(complete(in_scope, text=f"placeholder {new_id()}", **fields), text=text)


def lose_from_index(memory: Memory) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM memory_fts_recall WHERE rowid = %s", [memory.pk])


def leave_in_index(rowid: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO memory_fts_recall(rowid, words, bigrams) VALUES (%s, 'ghost', '')", [rowid]
        )


def forge(memory: Memory) -> None:
    """Change a ledger entry of `memory` behind the guard's back."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER memory_change_no_update")
    Change.objects.filter(memory_id=memory.public_id).update(action="praise")
