"""Writing the candidates of recalls, twenty rows or more for each question asked.

Made as model objects and inserted by the ORM they cost 1.5 ms of CPU a recall, more than finding
them did.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection

COLUMNS = (
    "recall_id", "memory_id", "turn_id", "rank", "score", "parts", "matched", "gate", "reason",
    "status", "revision", "stale",
)  # fmt: skip
DEFAULTS: dict[str, Any] = {
    "memory_id": None, "turn_id": None, "status": "", "rank": None, "score": None, "parts": {},
    "matched": [], "gate": "", "reason": "",
    "revision": 1, "stale": False,
}  # fmt: skip
_INSERT = (
    f"INSERT INTO memory_recallcandidate ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join(['%s'] * len(COLUMNS))})"
)


def prepared(row: Mapping[str, Any]) -> list[Any]:
    """A candidate, given by its columns, as `insert` takes it; nothing is locked for it."""
    row = DEFAULTS | row
    for name in ("memory_id", "turn_id"):
        row[name] = row[name] and row[name].hex
    # Made by hand 20 of these take 20 µs, by the encoder 100.
    row["parts"] = (
        "{" + ", ".join(f'"{name}": {part!r}' for name, part in row["parts"].items()) + "}"
    )
    row["matched"] = json.dumps(row["matched"], ensure_ascii=False) if row["matched"] else "[]"
    return [row[column] for column in COLUMNS[1:]]


def insert(rows: Iterable[tuple[int, list[Any]]]) -> None:
    """Insert prepared candidates, each after its recall's key, in a write transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT, [[recall_id, *row] for recall_id, row in rows])
