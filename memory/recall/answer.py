"""An answer as plain data, the same for HTTP, the command and every later surface."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from memory.index.turns import TurnHit
from memory.models import Memory

from .fusion import Near
from .rank import Hop, Ranked
from .relevance import Match
from .road import Answer, DroppedMemory, DroppedTurn


def as_dict(answer: Answer, memories: dict[int, dict] | None = None) -> dict[str, Any]:
    """`memories` may bring each memory's full form by primary key; else its core is given."""
    forms = memories or {}
    return {
        "recall_id": str(answer.record.public_id),
        "triggered": answer.record.triggered,
        "trigger_reason": answer.record.trigger_reason,
        "query_used": answer.record.query_used,
        "moves": answer.record.moves,
        "filters": answer.record.filters,
        "terms": {
            "used": [term.text for term in answer.query.terms],
            "dropped": [{"text": t, "reason": why} for t, why in answer.query.dropped],
            "truncated": answer.query.truncated,
        },
        **_compared(answer.near),
        "items": [
            {
                "rank": number,
                "score": item.score,
                "parts": item.parts,
                "matched_terms": _matched(item.matches),
                **_met(item, answer.near),
                **_reached(item.hop),
                "memory": forms.get(item.memory.pk) or core(item.memory),
            }
            for number, item in enumerate(answer.items, start=1)
        ],
        "turns": [
            {
                "rank": number,
                "score": item.score,
                "parts": item.parts,
                "matched_terms": _matched(item.matches),
                "turn": said(item.turn),
            }
            for number, item in enumerate(answer.turns, start=1)
        ],
        "dropped": [
            *(_dropped(drop.memory.public_id, drop, turn=False) for drop in answer.dropped),
            *(_dropped(drop.turn.public_id, drop, turn=True) for drop in answer.dropped_turns),
        ],
        "context": {
            "text": answer.context.text,
            "tokens": answer.context.tokens,
            "counted_by": answer.context.counted_by,
            "blocks": answer.context.blocks,
            "working": [{"id": one.id, "key": one.key} for one in answer.context.working],
        },
        "took_ms": round(answer.took_ms, 3),
    }


def core(memory: Memory) -> dict[str, Any]:
    return {
        "id": str(memory.public_id),
        "entity": memory.entity,
        "attribute": memory.attribute,
        "value": memory.value,
        "text": memory.text,
        "kind": memory.kind,
        "status": memory.status,
        "confidence": memory.confidence,
        "source": memory.source,
    }


def said(turn: TurnHit) -> dict[str, Any]:
    return {
        "id": str(turn.public_id),
        "role": turn.role,
        "content": turn.content,
        "session_id": turn.session_id,
        "agent_id": turn.agent_id,
        "occurred_at": turn.occurred_at.isoformat(),
    }


def _compared(near: Near | None) -> dict[str, Any]:
    """What compared meanings, or why nothing did; no word of it where the settings name none."""
    return {"meaning": {"model": near.model, "problem": near.problem}} if near else {}


def _met(item: Ranked, near: Near | None) -> dict[str, Any]:
    return {"matched_by": item.matched_by, "cosine": item.cosine} if near else {}


def _reached(hop: Hop | None) -> dict[str, Any]:
    """The name that led to it, and the memory that says it too; no word of it where none did."""
    return {"through": {"name": hop.key, "memory_id": str(hop.via)}} if hop else {}


def _matched(matches: Sequence[Match]) -> list[dict[str, Any]]:
    return [{"term": match.term, "as": match.how, "weight": match.weight} for match in matches]


def _dropped(public_id: UUID, drop: DroppedMemory | DroppedTurn, *, turn: bool) -> dict[str, Any]:
    return {"id": str(public_id), "turn": turn, "gate": drop.gate, "reason": drop.reason}
