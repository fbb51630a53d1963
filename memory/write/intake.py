"""A dialogue comes in: every turn is kept, and what is worth remembering becomes memories.

Without a model, rules read the turns at once. With one nobody waits for it: the turns are stored
together with the asking to read them, and `read` does that later, in the background.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.utils.dateparse import parse_datetime

from memory import clock
from memory.models import Batch, Extraction, Scope, Source, Turn, TurnRole

from . import model, passage
from .held import Look, SecretRefused, holds_a_mask, look, without_secrets
from .outcome import Outcome
from .passage import Found, Read
from .proposal import Proposal
from .relations import relations
from .remember import offered, write
from .spoken import put_right, takes_back
from .transaction import write_transaction
from .turns import Utterance, append_turns, drawn_up, entries_of

logger = logging.getLogger(__name__)

# What a writer says of every memory of a dialogue.
_COMMON = (
    "kind", "domain", "tags", "links", "source", "importance", "confidence", "valid_from",
    "valid_to", "expires_at", "metadata",
)  # fmt: skip
# After an error that nobody foresaw: 1, 2, 4 … minutes, then once an hour.
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)
_NOTE_LIMIT = 300
_REFUSED = Outcome("rejected", None, None, SecretRefused.code)

Offers = list[tuple[Turn, Look | Outcome]]


@dataclass(frozen=True)
class Taken:
    """What became of a dialogue. Each turn is in an outcome or two, by its `turn_id`, or among
    `queued`: those that are read in the background. A turn that took something back changed it in
    a batch of its own; `batch` is the first of them all."""

    batch: Batch | None
    outcomes: tuple[Outcome, ...]
    queued: tuple[UUID, ...]


def take_in(
    scope: Scope,
    utterances: Sequence[Utterance],
    common: Proposal,
    *,
    reason: str = "",
    infer: bool = True,
) -> Taken:
    """Store turns, and what is to be remembered of them, in one transaction.

    `common` says what holds of every memory. Without `infer` every user turn is remembered as it
    stands. Raises `InvalidInput`, `ScopeError`, `queue.QueueTimeout`; then nothing is stored.
    """
    # A secret in what is said of all of them is refused here, before it lies in the queue.
    look(replace(common, text="…").checked())
    turns = drawn_up(scope, utterances)
    entries = entries_of(turns)
    read_later = infer and model.is_configured()
    offers = {
        turn.public_id: _offers(scope, turn, common, _read_now(turn, infer))
        for turn in turns
        if not (read_later and turn.role == TurnRole.USER)
    }
    doubtful = {t.public_id for t in turns if infer and _may_take_back(t)}
    with write_transaction():
        append_turns(turns, entries)
        batch, outcomes, later = None, [], []
        ready: Offers = []
        for turn in turns:
            if turn.public_id in doubtful:
                # What was said before it is what it may take back.
                batch, outcomes, ready = _written(scope, ready, reason, batch, outcomes)
                if righted := put_right(scope, turn):
                    outcomes.append(replace(righted.outcome, turn_id=turn.public_id))
                    batch = batch or righted.batch
                    continue
            if turn.public_id in offers:
                ready += offers[turn.public_id]
            else:
                later.append(turn)
        batch, outcomes, _ = _written(scope, ready, reason, batch, outcomes)
        Extraction.objects.bulk_create(
            [_asked(scope, turn, common, without_secrets(reason)) for turn in later]
        )
    return Taken(batch, tuple(outcomes), tuple(turn.public_id for turn in later))


def _may_take_back(turn: Turn) -> bool:
    return turn.role == TurnRole.USER and bool(turn.user_id) and takes_back(turn.content)


def _written(
    scope: Scope, offers: Offers, reason: str, batch: Batch | None, outcomes: list[Outcome]
) -> tuple[Batch | None, list[Outcome], Offers]:
    """What is ready is written; the first batch, all outcomes so far, and nothing left."""
    if not offers:
        return batch, outcomes, []
    written = write(scope, _timed(offers), reason=reason, each=True)
    told = zip(offers, written.outcomes, strict=True)
    outcomes = outcomes + [replace(one, turn_id=turn.public_id) for (turn, _), one in told]
    return batch or written.batch, outcomes, []


def due(limit: int = 100) -> list[int]:
    """The extractions that wait to be read and may be now, those that waited longest first."""
    rows = Extraction.objects.filter(done_at__isnull=True, due_at__lte=clock.now())
    return list(rows.order_by("due_at", "pk").values_list("pk", flat=True)[:limit])


def read(extraction_id: int) -> Extraction:
    """Read one turn and store what is found, together with that it is done: a worker that is
    killed loses nothing, and two that read the same turn store it once.

    An error that nobody foresaw is noted, and the reading put off. Raises
    `Extraction.DoesNotExist`, and `queue.QueueTimeout` when not even that could be stored.
    """
    asked = Extraction.objects.select_related("turn").get(pk=extraction_id)
    if asked.done_at is not None:
        return asked
    try:
        return _carry_out(asked)
    except Exception as error:
        logger.error("extraction %s was put off", extraction_id, exc_info=error)
        return _put_off(extraction_id, type(error).__name__)


def _carry_out(asked: Extraction) -> Extraction:
    turn = asked.turn
    scope = Scope(asked.workspace_id, asked.actor, asked.surface, turn.user_id or None)
    found = passage.by_model(scope, turn)
    offers = [offer for _, offer in _offers(scope, turn, _common(asked.fields), found)]
    # Only what the model's absence changed belongs into the ledger.
    why = found.note if found.read_by == passage.RULES else ""
    with write_transaction():
        asked = Extraction.objects.get(pk=asked.pk)
        if asked.done_at is not None:
            return asked
        reason = "; ".join(filter(None, (asked.reason, why)))
        written = write(scope, offers, reason=reason, each=True)
        refused = sum(outcome.action == "rejected" for outcome in written.outcomes)
        notes = (found.note, f"{refused} refused" if refused else "")
        asked.done_at = clock.now()
        asked.read_by, asked.batch = found.read_by, written.batch
        asked.note = "; ".join(filter(None, notes))[:_NOTE_LIMIT]
        asked.save(update_fields=["done_at", "read_by", "batch", "note"])
    return asked


def _put_off(extraction_id: int, note: str) -> Extraction:
    with write_transaction():
        asked = Extraction.objects.get(pk=extraction_id)
        if asked.done_at is None:
            wait = min(_FIRST_WAIT * 2 ** min(asked.attempts, 10), _LONGEST_WAIT)
            asked.attempts += 1
            asked.due_at, asked.note = clock.now() + wait, note[:_NOTE_LIMIT]
            asked.save(update_fields=["attempts", "due_at", "note"])
    return asked


def _read_now(turn: Turn, infer: bool) -> Read:
    if infer or turn.role != TurnRole.USER:
        return passage.by_rules(turn.content, turn.role)
    return passage.as_it_stands(turn.content)


def _offers(scope: Scope, turn: Turn, common: Proposal, found: Read) -> Offers:
    if not found.found:
        hidden = turn.role == TurnRole.USER and holds_a_mask(turn.content)
        return [(turn, _REFUSED if hidden else Outcome("skipped", None, None, found.reason))]
    return [(turn, _offer(scope, turn, common, one)) for one in found.found]


def _offer(scope: Scope, turn: Turn, common: Proposal, found: Found) -> Look | Outcome:
    item, doubt = found.item, found.doubt
    # The turn has a mask where the secret was; there is nothing left to remember.
    if holds_a_mask(item.value or item.content):
        return _REFUSED
    proposal = replace(
        common,
        user_id=turn.user_id,
        agent_id=turn.agent_id,
        session_id=turn.session_id,
        text=item.content,
        entity=item.entity,
        attribute=item.attribute,
        value=item.value,
        links=common.links or relations(item.content),
        kind=common.kind or item.kind,
        confidence=found.confidence if common.confidence is None else common.confidence,
        source=common.source or (Source.INFERRED if doubt else Source.USER_SAID).value,
        turn_id=turn.public_id,
        quote=item.quote,
        occurred_at=turn.occurred_at,
        doubts=(doubt,) if doubt else (),
    )
    return offered(scope, proposal, infer=False, each=True)


def _timed(offers: Offers) -> Iterator[Look | Outcome]:
    """With the times of their turns, which are set when these are stored."""
    for turn, offer in offers:
        if isinstance(offer, Look):
            proposal = replace(offer.proposal, occurred_at=turn.occurred_at)
            yield replace(offer, proposal=proposal)
        else:
            yield offer


def _asked(scope: Scope, turn: Turn, common: Proposal, reason: str) -> Extraction:
    said = {name: getattr(common, name) for name in _COMMON}
    return Extraction(
        turn=turn,
        workspace_id=scope.workspace_id,
        fields={name: _plain(value) for name, value in said.items() if value not in (None, "", ())},
        actor=scope.actor,
        surface=scope.surface,
        reason=reason,
        asked_at=turn.created_at,
        due_at=turn.created_at,
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _common(fields: dict[str, Any]) -> Proposal:
    said: dict[str, Any] = dict(fields)
    for name in ("valid_from", "valid_to", "expires_at"):
        if name in said:
            said[name] = parse_datetime(said[name])
    for name in ("tags", "links"):
        if name in said:
            said[name] = tuple(said[name])
    return Proposal(**said)
