"""From what a file says to what the road in takes: checked, screened, each complaint by its
field."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from memory import clock
from memory.models import Scope, Source, Status, Turn
from memory.text.normalise import key
from memory.write.held import Look
from memory.write.imported.brought import MARK, Brought
from memory.write.outcome import Outcome
from memory.write.proposal import InvalidInput, Proposal
from memory.write.remember import offered

from .bring_logs import turn_id_of
from .record import Older, Record

TIMES = "times_at_source"


def checked(scope: Scope, origin: str, record: Record, *, turns: bool = True) -> Brought:
    """What is brought in for a record. An earlier value that cannot be kept is left out and told
    of. Raises `InvalidInput`, `ScopeError`. With `turns` what it was said in is its evidence."""
    if not (record.user_id or scope.user_id):
        raise InvalidInput([("user_id", "is needed: the file names none")])
    if len(record.external_id) > 300:
        raise InvalidInput([("id", "is longer than 300 characters")])
    record = _as_it_is_now(record)
    last = _proposal(scope, origin, record, turns)
    looks = _looks(scope, last, record.older)
    if isinstance(looks[-1], InvalidInput):
        raise looks[-1]
    began = [*(one.began for one in record.older), record.created_at or record.valid_from]
    kept = [n for n, look in enumerate(looks) if isinstance(look, Look)]
    left_out = [
        f"earlier value {n + 1} left out: {look.code}"
        for n, look in enumerate(looks)
        if isinstance(look, InvalidInput)
    ]
    return Brought(
        versions=tuple(looks[n] for n in kept),
        began=tuple(began[n] for n in kept),
        state=record.state,
        origin=origin,
        external_id=record.external_id,
        content=record.content_hash(),
        ended_at=record.ended_at or record.valid_to,
        left_out=tuple(left_out),
    )


def _looks(scope: Scope, last: Proposal, older: tuple[Older, ...]) -> list[Look | InvalidInput]:
    """A look at each value. A text is taken apart into entity, attribute and value only where
    all of its values speak of the same."""
    proposals = [_earlier(last, one) for one in older] + [last]
    looks = [_look(scope, one, infer=True) for one in proposals]
    places = {_key(look) for look in looks if isinstance(look, Look)}
    if len(places) > 1:
        looks = [_look(scope, one, infer=False) for one in proposals]
    return looks


def _look(scope: Scope, proposal: Proposal, *, infer: bool) -> Look | InvalidInput:
    try:
        seen = offered(scope, proposal, infer=infer)
    except InvalidInput as error:
        return error
    if isinstance(seen, Outcome):
        return InvalidInput([("text", seen.reason)])
    return seen


def _key(look: Look) -> tuple[str, str]:
    return key(look.proposal.entity), key(look.proposal.attribute)


def _proposal(scope: Scope, origin: str, record: Record, turns: bool) -> Proposal:
    times = {"created_at": record.created_at, "updated_at": record.updated_at}
    told: dict[str, Any] = {name: at.isoformat() for name, at in times.items() if at}
    metadata = {n: value for n, value in record.metadata.items() if n != MARK}
    metadata |= {TIMES: told} if told else {}
    metadata |= {"source_there": record.source} if record.source else {}
    return Proposal(
        user_id=record.user_id,
        agent_id=record.agent_id,
        session_id=record.session_id,
        text=record.text,
        entity=record.entity,
        attribute=record.attribute if record.value or record.text else "",
        value=record.value,
        summary=record.summary,
        kind=record.kind,
        domain=record.domain,
        tags=record.tags,
        links=record.links,
        source=Source.IMPORTED,
        importance=record.importance,
        confidence=record.confidence,
        occurred_at=record.created_at,
        valid_from=record.valid_from,
        valid_to=record.valid_to if record.state != Status.ACTIVE else None,
        expires_at=record.expires_at,
        **(_evidence(scope, origin, record) if turns and record.turn else {}),
        external_id=record.external_id,
        metadata=metadata,
        doubts=record.doubts,
    )


def _evidence(scope: Scope, origin: str, record: Record) -> dict[str, Any]:
    """Where it was said; nothing where that turn is not here, or says it in other words."""
    turn_id = turn_id_of(scope, origin, record)
    turn = Turn.objects.within(scope).filter(public_id=turn_id).first()
    if turn is None:
        return {}
    return {"turn_id": turn_id, "quote": record.quote if record.quote in turn.content else ""}


def _earlier(last: Proposal, older: Older) -> Proposal:
    return replace(
        last,
        text=older.text,
        value=older.value,
        summary="",
        occurred_at=older.began,
        valid_from=older.began,
        valid_to=None,
        expires_at=None,
        turn_id=None,
        quote="",
        metadata={n: value for n, value in last.metadata.items() if n != TIMES},
    )


def _as_it_is_now(record: Record) -> Record:
    """What a file calls active may have come to its end since."""
    now: datetime = clock.now()
    ends = [one for one in (record.expires_at, record.valid_to) if one and one <= now]
    if record.state == Status.ACTIVE and ends:
        return replace(record, state=Status.EXPIRED, ended_at=min(ends))
    return record
