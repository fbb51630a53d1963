"""Retracting all that a condition meets: few at once, many only after they were counted."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.core import signing
from django.db.models import QuerySet

from memory.models import Batch, Memory, Scope

from .apply import apply
from .correction.preview import CAP, GOOD_FOR
from .plan import Conflict
from .revise import plan_retract

# One transaction holds every writer back while it runs; this many rows take about a second.
A_BATCH = 500
SAMPLE = 10
_SALT = "retract all"


class OverTheCap(Conflict):
    """It would retract more than `CAP` memories: nothing was changed. The same call with `token`
    retracts exactly the `count` that were there now, for an hour."""

    code = "over_the_cap"

    def __init__(self, count: int, sample: Sequence[UUID], token: str):
        self.count, self.sample, self.token = count, sample, token
        super().__init__(f"it is about {count} memories, more than {CAP}")


@dataclass(frozen=True)
class Retracted:
    batches: tuple[Batch, ...]
    count: int


def retract_all(
    scope: Scope, rows: QuerySet[Memory], *, reason: str = "", token: str = ""
) -> Retracted:
    """Retract these memories of the scope, `A_BATCH` to a batch that can be undone.

    More than `CAP` only with the token of the refusal, and only while they are the same memories
    at the same revisions. Raises `OverTheCap`, `Conflict`, `StalePlan`, `QueueTimeout`.
    """
    seen = list(rows.order_by("id").values_list("public_id", "revision"))
    if len(seen) > CAP and not _is_for(token, scope, seen):
        sample = [public_id for public_id, _ in seen[:SAMPLE]]
        raise OverTheCap(len(seen), sample, _token(scope, seen))
    batches = []
    for start in range(0, len(seen), A_BATCH):
        wanted = [public_id for public_id, _ in seen[start : start + A_BATCH]]
        part = Memory.objects.within(scope).filter(public_id__in=wanted).order_by("id")
        batches.append(apply(plan_retract(scope, part).plan("retract", reason)).batch)
    return Retracted(tuple(batches), len(seen))


def _token(scope: Scope, seen: Sequence[tuple[UUID, int]]) -> str:
    return signing.dumps(_digest(scope, seen), salt=_SALT)


def _is_for(token: str, scope: Scope, seen: Sequence[tuple[UUID, int]]) -> bool:
    try:
        return signing.loads(token, salt=_SALT, max_age=GOOD_FOR) == _digest(scope, seen)
    except signing.BadSignature:
        return False


def _digest(scope: Scope, seen: Sequence[tuple[UUID, int]]) -> str:
    told = hashlib.sha256(f"{scope.workspace_id} {scope.user_id} {scope.actor}".encode())
    for public_id, revision in seen:
        told.update(f" {public_id}:{revision}".encode())
    return told.hexdigest()
