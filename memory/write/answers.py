"""Answers that a repeated request gets again: what `Idempotency-Key` means.

A key of the caller names a request; the first with it is carried out, and a later one gets the
answer that the first got, for a day. A refusal changed nothing and is not kept: the request may be
put right and sent again under the same key.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from memory import clock
from memory.models import ApiKey, GivenAnswer, Workspace

from . import queue
from .transaction import write_transaction

KEPT = timedelta(days=1)
# No request takes longer; one that was begun before has lost its process.
LONGEST = timedelta(seconds=60)
PATIENCE_SECONDS = 5.0
ERASED = 410


class Mismatch(Exception):
    """Another request came under this key before."""


class StillRunning(Exception):
    """The first request of this key is not answered yet."""

    retry_after_seconds = 1


@dataclass(frozen=True)
class Given:
    """What was answered; `status` 410 and nothing else where it told an erased memory."""

    status: int
    headers: Mapping[str, str]
    body: str


def begin(key: ApiKey, name: str, request: str) -> Given | None:
    """The answer that was given to this request, or None: it is the caller's to carry out, and
    then to `keep` or `drop`. `request` is a digest of all that it says.

    Raises `Mismatch`, `StillRunning` and `QueueTimeout`.
    """
    now = clock.now()
    with write_transaction():
        rows = GivenAnswer.objects.filter(key=key, name=name)
        found = rows.first()
        if found is not None and _is_over(found, now):
            rows.delete()
            found = None
        if found is None:
            GivenAnswer.objects.create(key=key, name=name, request=request, at=now)
            return None
    if found.request != request:
        raise Mismatch(name)
    if found.status is None:
        raise StillRunning(name)
    return Given(found.status, found.headers, found.body)


def _is_over(found: GivenAnswer, now) -> bool:
    return found.at <= now - (KEPT if found.status is not None else LONGEST)


def keep(key: ApiKey, name: str, given: Given) -> None:
    """Give this answer to later ones. Raises `QueueTimeout`."""
    told = {"status": given.status, "headers": dict(given.headers), "body": given.body}
    with queue.turn(PATIENCE_SECONDS), write_transaction():
        GivenAnswer.objects.filter(key=key, name=name, status=None).update(**told)


def drop(key: ApiKey, name: str) -> None:
    """Nothing was changed: the next request of this name is the first. Raises `QueueTimeout`."""
    with queue.turn(PATIENCE_SECONDS), write_transaction():
        GivenAnswer.objects.filter(key=key, name=name, status=None).delete()


def forget(workspace: Workspace) -> int:
    """Remove all that is kept of a workspace's answers, as when it is emptied."""
    with write_transaction():
        return GivenAnswer.objects.filter(key__workspace=workspace).delete()[0]


def forget_old() -> int:
    """Remove what is older than a day. Raises `QueueTimeout`."""
    old = GivenAnswer.objects.filter(at__lt=clock.now() - KEPT)
    if not old.exists():
        return 0
    with write_transaction():
        return old.delete()[0]
