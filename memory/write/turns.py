"""Adding to the dialogue log."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memory import clock
from memory.models import Scope, Turn, TurnRole
from memory.text.normalise import UnstorableText, clean

from .proposal import NAME_LIMIT, InvalidInput, not_storable
from .transaction import write_transaction

CONTENT_LIMIT = 100_000


@dataclass(frozen=True)
class Utterance:
    """One turn as it is offered; `occurred_at` None means now."""

    role: str
    content: str
    user_id: str = ""
    agent_id: str = ""
    session_id: str = ""
    occurred_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


def add_turns(scope: Scope, utterances: Sequence[Utterance]) -> list[Turn]:
    """Append turns in the order given, all or none. Raises `InvalidInput`, `ScopeError`."""
    now = clock.now()
    turns = []
    for utterance in utterances:
        scope.narrow(utterance.user_id or scope.user_id)
        checked = _checked(replace(utterance, user_id=utterance.user_id or scope.user_id or ""))
        turns.append(
            Turn(
                workspace_id=scope.workspace_id,
                created_at=now,
                **{**vars(checked), "occurred_at": checked.occurred_at or now},
            )
        )
    with write_transaction():
        for turn in turns:
            turn.save(force_insert=True)
    return turns


def _checked(utterance: Utterance) -> Utterance:
    errors, cleaned = [], {}
    limits = {"content": CONTENT_LIMIT} | dict.fromkeys(
        ("user_id", "agent_id", "session_id"), NAME_LIMIT
    )
    for name, limit in limits.items():
        try:
            cleaned[name] = clean(getattr(utterance, name), limit)
        except UnstorableText as error:
            errors.append((name, str(error)))
    if utterance.role not in TurnRole.values:
        errors.append(("role", f"one of {', '.join(TurnRole.values)}"))
    if not utterance.content.strip():
        errors.append(("content", "is empty"))
    if wrong := not_storable(utterance.metadata):
        errors.append(("metadata", wrong))
    if utterance.occurred_at is not None and utterance.occurred_at.tzinfo is None:
        errors.append(("occurred_at", "a time needs its offset, such as +08:00"))
    if errors:
        raise InvalidInput(errors)
    return replace(utterance, **cleaned)
