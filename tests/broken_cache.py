"""A cache that is down, as settings may name it."""

from django.core.cache.backends.base import BaseCache


class BrokenCache(BaseCache):
    """Nothing can be asked of it."""

    def __init__(self, location, params):
        super().__init__(params)

    def _down(self, *args, **named):
        raise ConnectionError("no cache")

    add = get = set = touch = delete = incr = get_many = has_key = _down

    def clear(self):
        """Between tests it may be emptied like any other."""
