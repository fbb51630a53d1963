"""An answer as plain data, the same for HTTP, the command and every later surface."""

from typing import Any

from memory.models import Memory

from .road import Answer


def as_dict(answer: Answer, memories: dict[int, dict] | None = None) -> dict[str, Any]:
    """`memories` may bring each memory's full form by primary key; else its core is given."""
    forms = memories or {}
    return {
        "recall_id": str(answer.record.public_id),
        "triggered": answer.record.triggered,
        "trigger_reason": answer.record.trigger_reason,
        "query_used": answer.record.query_used,
        "moves": answer.record.moves,
        "terms": {
            "used": [term.text for term in answer.query.terms],
            "dropped": [{"text": t, "reason": why} for t, why in answer.query.dropped],
            "truncated": answer.query.truncated,
        },
        "items": [
            {
                "rank": number,
                "score": item.score,
                "parts": item.parts,
                "matched_terms": [
                    {"term": match.term, "as": match.how, "weight": match.weight}
                    for match in item.matches
                ],
                "memory": forms.get(item.memory.pk) or core(item.memory),
            }
            for number, item in enumerate(answer.items, start=1)
        ],
        "dropped": [
            {"id": str(drop.memory.public_id), "gate": drop.gate, "reason": drop.reason}
            for drop in answer.dropped
        ],
        "context": {
            "text": answer.context.text,
            "tokens": answer.context.tokens,
            "counted_by": answer.context.counted_by,
            "blocks": answer.context.blocks,
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
