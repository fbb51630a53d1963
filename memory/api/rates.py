"""How many requests a minute an API key may make, counted over all processes of the server.

A minute is one of the clock, for all keys alike: a burst over its turn may bring up to twice the
number within sixty seconds. The count costs one statement in the cache's file.
"""

import logging
from dataclasses import dataclass

from django.conf import settings
from django.core.cache import cache

from memory import clock
from memory.models import ApiKey

logger = logging.getLogger(__name__)
WINDOW = 60


@dataclass(frozen=True)
class Rate:
    """`limit` a minute, `remaining` in this one, `reset` seconds until the next."""

    limit: int
    remaining: int
    reset: int

    def headers(self) -> dict[str, str]:
        return {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset),
        }


class RateLimited(Exception):
    """The key has had its requests of this minute."""

    def __init__(self, rate: Rate):
        self.rate = rate
        super().__init__(f"This key may make {rate.limit} requests a minute.")


def limit_of(key: ApiKey) -> int:
    """Requests a minute; 0: as many as come."""
    return settings.RATE_PER_MINUTE if key.rate is None else key.rate


def count(key: ApiKey) -> Rate | None:
    """Count one request of this key; None where nothing limits it. Raises `RateLimited`.

    Without a cache no agent is kept from its memory: the request passes, and a line is logged.
    """
    limit = limit_of(key)
    if not limit:
        return None
    minute, second = divmod(int(clock.now().timestamp()), WINDOW)
    try:
        used = _tally(f"rate:{key.pk}:{minute}")
    except Exception as error:  # Each engine of a cache fails in its own words.
        logger.warning("Requests are not counted, the cache is down: %s", type(error).__name__)
        return None
    rate = Rate(limit, max(limit - used, 0), WINDOW - second)
    if used > limit:
        raise RateLimited(rate)
    return rate


def _tally(name: str) -> int:
    # The cache's file counts in one step; Redis and memory do in two, each of them whole.
    if tally := getattr(cache, "tally", None):
        return tally(name, WINDOW)
    cache.add(name, 0, 2 * WINDOW)
    return cache.incr(name)
