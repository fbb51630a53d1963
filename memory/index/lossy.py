"""The cache for what may be lost at any time: signs of life, progress, counts that are made again.

Where it is down nothing is kept and nothing fails; a line is logged. What must not be lost without
a word asks `django.core.cache` itself.
"""

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache import cache as shared

logger = logging.getLogger(__name__)


class LossyCache:
    """Django's cache, which answers as an empty one where it is out of reach."""

    def get(self, key: str, default: Any = None) -> Any:
        return _tried(lambda: shared.get(key, default), default)

    def set(self, key: str, value: Any, timeout: float | None) -> None:
        _tried(lambda: shared.set(key, value, timeout), None)

    def add(self, key: str, value: Any, timeout: float | None) -> bool:
        return _tried(lambda: shared.add(key, value, timeout), True)

    def incr(self, key: str, delta: int = 1) -> int:
        """Raises `ValueError` for what is not there."""
        return _tried(lambda: shared.incr(key, delta), delta)

    def touch(self, key: str, timeout: float | None) -> bool:
        return _tried(lambda: shared.touch(key, timeout), False)

    def delete(self, key: str) -> bool:
        return _tried(lambda: shared.delete(key), False)


cache = LossyCache()


def _tried(act: Callable[[], Any], otherwise: Any) -> Any:
    try:
        return act()
    except ValueError:
        raise
    except Exception as error:  # Each engine of a cache fails in its own words.
        logger.warning("The cache is down, nothing is kept: %s", type(error).__name__)
        return otherwise
