"""One record for each recall."""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from memory import clock
from memory.index.search import Hit
from memory.models import Memory, Recall, Status
from memory.text.terms import VERSION
from memory.write.held import without_secrets
from memory.write.transaction import write_transaction

from .recorder import Entry, keep, recorder

if TYPE_CHECKING:
    from .road import Answer


def record(answer: "Answer", now: datetime) -> Recall:
    """Keep what was asked, found, given and dropped; `now` is when the store was looked at."""
    kept, candidates = drafted(answer, now)
    keep(kept, candidates)
    return kept


def drafted(answer: "Answer", now: datetime) -> Entry:
    """The record and its candidates' columns as `record` keeps them, but not kept."""
    request = answer.request
    kept = Recall(
        workspace_id=request.scope.workspace_id,
        user_id=request.scope.user_id or "",
        agent_id=request.agent_id,
        session_id=request.session_id,
        at=now,
        actor=request.scope.actor,
        surface=request.scope.surface,
        query=request.query,
        query_used=answer.question.used,
        moves=[asdict(move) for move in answer.question.moves],
        triggered=answer.question.trigger.triggered,
        trigger_reason=answer.question.trigger.reason,
        terms={
            "used": [term.text for term in answer.query.terms],
            "dropped": [list(pair) for pair in answer.query.dropped],
            **({"meaning": answer.near.as_record()} if answer.near else {}),
            **({"hops": [hop.as_record() for hop in answer.hops]} if answer.hops else {}),
            **_working(answer),
        },
        filters=request.filters(),
        as_of=request.as_of,
        profile=request.profile,
        analyser=VERSION,
        context=answer.context.text,
        tokens=answer.context.tokens,
        blocks=answer.context.blocks | {"counted_by": answer.context.counted_by},
        served=len(answer.items),
        turns_seen=list(answer.turns_seen),
        took_ms=round(answer.took_ms, 3),
    )
    candidates = [
        _candidate(
            item.memory,
            rank=number,
            score=item.score,
            parts=item.parts,
            matched=[[match.term, match.how] for match in item.matches],
            reason=str(item.hop or ""),
            stale=_is_stale(item.memory, now) and request.as_of is None,
        )
        for number, item in enumerate(answer.items, start=1)
    ]
    candidates += [
        _candidate(
            drop.memory, gate=drop.gate, reason=drop.reason, score=drop.score, parts=drop.parts
        )
        for drop in answer.dropped
    ]
    return kept, candidates + _turns(answer)


def _working(answer: "Answer") -> dict:
    """What there was to give, so that the record can be replayed when it is gone."""
    held = answer.request.working if answer.question.trigger.triggered else ()
    return {"working": [one.as_record() for one in held]} if held else {}


def _turns(answer: "Answer") -> list[dict]:
    given = [
        {
            "turn_id": item.turn.public_id,
            "rank": number,
            "score": item.score,
            "parts": item.parts,
            "matched": [[match.term, match.how] for match in item.matches],
        }
        for number, item in enumerate(answer.turns, start=1)
    ]
    dropped = [
        {
            "turn_id": drop.turn.public_id,
            "gate": drop.gate,
            "reason": drop.reason,
            "score": drop.score,
            "parts": drop.parts,
        }
        for drop in answer.dropped_turns
    ]
    return given + dropped


def _candidate(memory: Memory | Hit, **columns) -> dict:
    return {
        "memory_id": memory.public_id,
        "status": memory.status,
        "revision": memory.revision,
        **columns,
    }


def _is_stale(memory: Memory | Hit, now) -> bool:
    expired = memory.expires_at is not None and memory.expires_at <= now
    return memory.status != Status.ACTIVE or expired


def add_outcome(kept: Recall, *, prompt: str, answer: str) -> Recall:
    """Keep what the agent's model was sent and what it said, beside what it was given; what looks
    like a secret is masked."""
    if kept.pk is None:
        recorder.settle()
    kept.prompt, kept.answer = without_secrets(prompt), without_secrets(answer)
    kept.answered_at = clock.now()
    with write_transaction():
        kept.save(update_fields=["prompt", "answer", "answered_at"])
    return kept
