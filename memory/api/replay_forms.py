"""What a replay answers over HTTP."""

from datetime import datetime
from uuid import UUID

from ninja import Schema


class PlacedForm(Schema):
    memory_id: UUID
    rank: int
    score: float


class BatchNamed(Schema):
    id: UUID
    at: datetime
    verb: str
    actor: str
    reason: str


class PolicyNamed(Schema):
    """A version of a policy that was saved since; `changes` maps a value to [old, new]."""

    kind: str
    domain: str
    version: int
    at: datetime
    actor: str
    reason: str
    removed: bool
    changes: dict[str, list[int | float | bool | str | None]]


class MoveForm(Schema):
    """`cause`: "batch" (changes of this memory), "others" (changes of memories around it),
    "policy" (time, expiry, freshness or other rules) or "index" (another analyser). `policies`
    are those whose half-life has moved it since. A rank of null: not served."""

    memory_id: UUID
    was_rank: int | None
    now_rank: int | None
    cause: str
    batches: list[BatchNamed]
    policies: list[PolicyNamed]


class PlacedTurnForm(Schema):
    turn_id: UUID
    rank: int
    score: float


class TurnMoveForm(Schema):
    """`cause`: "batch" (changes of a memory that keeps the turn back, then or now), "policy" (time
    alone) or "others" (memories beside it, or turns said since). A rank of null: not given."""

    turn_id: UUID
    was_rank: int | None
    now_rank: int | None
    cause: str
    batches: list[BatchNamed]


class TurnsAgainForm(Schema):
    then: list[PlacedTurnForm]
    as_it_was: list[PlacedTurnForm]
    now: list[PlacedTurnForm]
    moves: list[TurnMoveForm]


class WorkingMoveForm(Schema):
    """`cause`: "expired" (its time is over, or it was removed), "changed" (another value stands
    under the key), "added" or "others" (the context has no room for it now)."""

    key: str
    cause: str


class WorkingAgainForm(Schema):
    """The keys of the session's working memory that the record gave, and that would be given."""

    then: list[str]
    now: list[str]
    moves: list[WorkingMoveForm]


class ReplayForm(Schema):
    """`then` is the record, `as_it_was` the same worked out anew from the store as of `at`, `now`
    from the present store. `equal`: the first two have the same ids in the same order, of memories,
    of turns and of working memory."""

    recall_id: UUID
    at: datetime
    equal: bool
    then: list[PlacedForm]
    as_it_was: list[PlacedForm]
    now: list[PlacedForm]
    moves: list[MoveForm]
    turns: TurnsAgainForm
    working: WorkingAgainForm
