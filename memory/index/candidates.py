"""Writing the candidates of recalls, twenty rows or more for each question asked.

Made as model objects and inserted by the ORM they cost 1.5 ms of CPU a recall, more than finding
them did.
"""

import json
from collections.abc import Iterable
from typing import Any

from django.db import connection

COLUMNS = (
    "recall_id", "memory_id", "rank", "score", "parts", "matched", "gate", "reason", "status",
    "revision", "stale",
)  # fmt: skip
_DEFAULTS: dict[str, Any] = {
    "rank": None, "score": None, "parts": {}, "matched": [], "gate": "", "reason": "",
    "revision": 1, "stale": False,
}  # fmt: skip
_INSERT = (
    f"INSERT INTO memory_recallcandidate ({', '.join(COLUMNS)}) "
    f"VALUES ({', '.join(['%s'] * len(COLUMNS))})"
)


def insert(rows: Iterable[dict[str, Any]]) -> None:
    """Insert candidates, each given by its columns; call it inside a write transaction."""
    with connection.cursor() as cursor:
        cursor.executemany(_INSERT, [_values(_DEFAULTS | row) for row in rows])


def _values(row: dict[str, Any]) -> list[Any]:
    row["memory_id"] = row["memory_id"].hex
    row["parts"] = json.dumps(row["parts"])
    row["matched"] = json.dumps(row["matched"], ensure_ascii=False)
    return [row[column] for column in COLUMNS]
