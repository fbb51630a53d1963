"""Carrying out what is advised where a memory was not recalled."""

from dataclasses import replace
from datetime import datetime

from memory.index.upkeep import rebuild
from memory.models import Memory
from memory.recall import RecallRequest, recall
from memory.recall.why_not import why_not
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.revise import find, plan_amend, plan_restore
from tests import factories as make

START = make.instant("2026-03-01 09:00")


def asked(query: str, user: str = "ann", **fields) -> RecallRequest:
    return RecallRequest(make.scope(user_id=user), query, **fields)


def move(row: Memory, *states: str) -> None:
    for state in states:
        planner = Planner(make.scope())
        planner.change(find(make.scope(), row.public_id), "move", status=state)
        apply(planner.plan("move", ""))


def do(request: RecallRequest, row: Memory, advice) -> tuple[RecallRequest, Memory]:
    """Carry out one advice; the question and the memory as they are then."""
    values, scope = advice.values, make.scope()
    row = find(scope, row.public_id)
    match advice.kind:
        case "restore" | "extend_expiry":
            planner = (
                plan_restore(scope, row)
                if advice.kind == "restore"
                else plan_amend(
                    scope, row, {"expires_at": datetime.fromisoformat(values["expires_at"])}
                )
            )
            after = apply(planner.plan(advice.kind, "")).memories.values()
            return request, next(memory for memory in after if memory.status == "active")
        case "approve":
            move(row, "active")
            return request, row
        case "remember":
            return request, make.remember(**{k: v for k, v in values.items() if k != "replaces"})
        case "reindex":
            rebuild()
            return request, row
        case "ask_for_user":
            return replace(request, scope=make.scope(user_id=values["user_id"])), row
        case "widen_time":
            wider = {name: datetime.fromisoformat(text) for name, text in values.items()}
            return replace(request, **wider), row
        case "ask_with_term" | "ask_without_term":
            return replace(request, query=values["query"]), row
        case "raise_limit" | "raise_budget":
            return replace(request, **values), row
    name = advice.kind.removeprefix("drop_filter:")
    empty = {"kinds": (), "domains": (), "agent_id": ""}.get(name)
    return replace(request, **{name: empty}), row


def served(request: RecallRequest, row: Memory) -> bool:
    return row.public_id in [item.memory.public_id for item in recall(request).items]


def recalled_as_advised(request: RecallRequest, row: Memory, *kinds: str) -> bool:
    """Whether the advice is of these kinds, and does what it promises, and not before the last."""
    answer = why_not(request, row.public_id, make.scope())
    assert tuple(advice.kind for advice in answer.advice) == kinds
    for advice in answer.advice:
        assert not served(request, row)
        request, row = do(request, row, advice)
    return served(request, row)
