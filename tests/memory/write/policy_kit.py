"""Rows that a policy rules, and their end."""

from datetime import timedelta

from memory.models import Memory
from tests import factories as make
from tests.memory.write.verbs import fresh

START = make.instant("2026-03-01 09:00")


def hours(count: float) -> timedelta:
    return timedelta(hours=count)


def stock(shelf: str = "货架一", value: str = "41", in_scope=None, **fields) -> Memory:
    said = {"entity": shelf, "attribute": "库存", "value": value, "kind": "inventory"}
    return make.remember(in_scope, **said | fields)


def ends(memory: Memory) -> tuple:
    row = fresh(memory)
    return row.expires_at, row.ttl_hours
