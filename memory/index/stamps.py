"""What the index was told about a row, as keyed hashes: proof without segmenting it again.

`said` covers the texts that were read and whose they were, `words` the columns that were written
for them. Both hang on the installation's pepper and name their row, so that no stamp can be
written by hand or taken from another row. What they do not prove is segmented and compared.
"""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from django.conf import settings
from django.db import connection

from memory.models import MemoryStamp, TurnStamp
from memory.text.terms import VERSION

# What of a memory the analyser reads, in the order that `memory_said` takes it.
READ = (
    "pk", "workspace_id", "text", "entity", "attribute", "value", "summary", "occurred_at",
)  # fmt: skip
ANALYSER = hashlib.blake2b(VERSION.encode(), digest_size=16).hexdigest()


class Stamp(NamedTuple):
    analyser: str
    said: str
    words: str


def memory_said(read: Sequence, owner: int) -> str:
    """The hash of what `READ` names of a memory; the day it happened depends on the time zone."""
    *texts, occurred_at = read
    happened = occurred_at and _utc(occurred_at)
    return hashed("memory", settings.TIME_ZONE, owner, *texts, happened)


def turn_said(workspace_id: int, owner: int, turn: str, before: str) -> str:
    """The hash of a turn and of the one before it, each given by its own hash."""
    return hashed("turn", workspace_id, owner, turn, before)


def stamp(said: str, columns: Sequence[str]) -> Stamp:
    return Stamp(ANALYSER, said, hashed(ANALYSER, said, *columns))


def hashed(*parts: str | int | None) -> str:
    """32 hexadecimal digits; told apart is where one part ends and the next begins."""
    keyed = _keyed(settings.PEPPER).copy()
    keyed.update(repr(parts).encode())
    return keyed.hexdigest()


def keep_memory_stamps(stamps: Iterable[tuple[int, Stamp]]) -> None:
    """Put a stamp to each of these memories' keys."""
    _keep(MemoryStamp, "memory_id", stamps)


def keep_turn_stamps(stamps: Iterable[tuple[int, Stamp]]) -> None:
    """Put a stamp to each of these turns' keys."""
    _keep(TurnStamp, "turn_id", stamps)


def _keep(model: type[MemoryStamp | TurnStamp], key: str, stamps: Iterable) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT OR REPLACE INTO {model._meta.db_table} ({key}, analyser, said, words) "
            "VALUES (%s, %s, %s, %s)",
            [(row, *one) for row, one in stamps],
        )


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat()


@lru_cache(maxsize=1)
def _keyed(pepper: str) -> "hashlib.blake2b":
    key = hashlib.blake2b(pepper.encode(), person=b"index stamps").digest()
    return hashlib.blake2b(key=key, digest_size=16)
