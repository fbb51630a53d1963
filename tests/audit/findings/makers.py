"""Records of recalls as somebody else than our own road might write them."""

from datetime import datetime
from uuid import UUID

from audit.models import Finding
from memory import clock
from memory.models import Memory, Recall, Scope
from memory.recall.recorder import store
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make


def recorded(
    served: Memory | UUID,
    *,
    in_scope: Scope | None = None,
    at: datetime | None = None,
    surface: str = "api",
    query: str = "what does the freight cost",
    user_id: str = "ann",
    agent_id: str = "guide",
    answered_at: datetime | None = None,
    as_of: datetime | None = None,
    **columns,
) -> Recall:
    """A record in which one memory was served; its candidate says what `columns` say."""
    kept = Recall(
        workspace_id=(in_scope or make.scope()).workspace_id,
        user_id=user_id,
        agent_id=agent_id,
        at=at or clock.now(),
        actor="key:bot",
        surface=surface,
        query=query,
        query_used=query,
        terms={"used": [], "dropped": []},
        profile="balanced",
        analyser="test",
        served=1,
        took_ms=1.0,
        answered_at=answered_at,
        as_of=as_of,
    )
    memory_id = served.public_id if isinstance(served, Memory) else served
    store([(kept, [{"memory_id": memory_id, "rank": 1, "score": 0.5} | columns])])
    return kept


def retracted(in_scope: Scope | None = None, **fields) -> Memory:
    in_scope = in_scope or make.scope()
    memory = make.remember(in_scope, **fields)
    return apply(plan_retract(in_scope, [memory]).plan("retract", "wrong")).memories[
        memory.public_id
    ]


def retract(memory: Memory) -> None:
    apply(plan_retract(make.scope(), [memory]).plan("retract", "wrong"))


def findings(in_scope: Scope | None = None) -> list[Finding]:
    return list(Finding.objects.within(in_scope or make.scope()).order_by("pk"))
