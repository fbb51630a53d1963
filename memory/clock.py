"""The one clock. Everything that asks for the time asks here, so that tests and the demo's
loader can set it; nothing else in the project calls `datetime.now`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_hand: ContextVar[Callable[[], datetime] | None] = ContextVar("mase_clock", default=None)


def now() -> datetime:
    """The present instant, aware, in UTC, in whole milliseconds: JSON dumps keep no more, and
    the ledger's hashes cover times."""
    hand = _hand.get()
    moment = hand() if hand else datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """Within the block the clock stands at `moment`, which must be aware."""
    if moment.tzinfo is None:
        raise ValueError("the clock takes aware times only")
    token = _hand.set(lambda: moment.astimezone(UTC))
    try:
        yield
    finally:
        _hand.reset(token)
