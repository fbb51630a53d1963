"""Adding to the dialogue log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from memory import clock
from memory.index.entry import Entry
from memory.index.rows import merge_a_little
from memory.index.turn_rows import is_indexed, put_turns, turn_entry
from memory.models import Scope, Turn, TurnRole
from memory.text.normalise import UnstorableText, clean

from . import queue
from .apply import MERGE_EVERY
from .held import SecretRefused, metadata_without_secrets, secrets_in, without_secrets
from .proposal import NAME_LIMIT, InvalidInput, not_storable
from .transaction import write_transaction

CONTENT_LIMIT = 100_000
_IDS = ("user_id", "agent_id", "session_id")


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
    """Append turns in the order given, all or none, and make them searchable. Secrets in what
    was said, and in the metadata, are masked.

    Raises `InvalidInput` (`SecretRefused` for a secret in an id), `ScopeError`,
    `queue.QueueTimeout`.
    """
    turns = drawn_up(scope, utterances)
    append_turns(turns, entries_of(turns))
    return turns


def drawn_up(scope: Scope, utterances: Sequence[Utterance]) -> list[Turn]:
    """The turns that these utterances make, not yet stored. Raises as `add_turns` does."""
    turns = []
    for utterance in utterances:
        scope.narrow(utterance.user_id or scope.user_id)
        checked = _checked(replace(utterance, user_id=utterance.user_id or scope.user_id or ""))
        turns.append(Turn(workspace_id=scope.workspace_id, **vars(checked)))
    return turns


def entries_of(turns: Sequence[Turn]) -> dict[UUID, Entry]:
    """Their entries in the index: made before the lock is taken, for a long turn costs 50 ms."""
    return {turn.public_id: turn_entry(turn) for turn in turns if is_indexed(turn)}


def append_turns(turns: Sequence[Turn], entries: Mapping[UUID, Entry]) -> None:
    """Store turns that were `drawn_up`, with their `entries_of`."""
    with write_transaction():
        # The order of their times is the order in which turns are stored.
        now = clock.now()
        for turn in turns:
            turn.created_at, turn.occurred_at = now, turn.occurred_at or now
        Turn.everywhere.bulk_create(turns)
        put_turns(turns, entries)
        transaction.on_commit(lambda: _merge_when_due(turns))


def _merge_when_due(turns: Sequence[Turn]) -> None:
    if any(turn.pk % MERGE_EVERY == 0 for turn in turns):
        with queue.turn():
            merge_a_little()


def _checked(utterance: Utterance) -> Utterance:
    errors, cleaned = [], {}
    limits = {"content": CONTENT_LIMIT} | dict.fromkeys(_IDS, NAME_LIMIT)
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
    if found := secrets_in({name: cleaned[name] for name in _IDS}):
        raise SecretRefused(found)
    return replace(
        utterance,
        **cleaned
        | {
            "content": without_secrets(cleaned["content"]),
            "metadata": metadata_without_secrets(utterance.metadata),
        },
    )
