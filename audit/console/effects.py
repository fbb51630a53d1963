"""What a plan would make of rows, for a preview."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.models import Memory
from memory.write.planner import Planner
from memory.write.snapshot import snapshot

from .differences import Difference, differences
from .ledger import COMPARED


@dataclass(frozen=True)
class Effect:
    """What becomes of one memory."""

    before: Memory
    after: Memory
    fields: Sequence[Difference]


def effects_of(planner: Planner, rows: Iterable[Memory]) -> list[Effect]:
    """What becomes of each of these rows."""
    found = []
    for row in rows:
        after = planner.rows.get(row.public_id, row)
        fields = differences(snapshot(row), snapshot(after), COMPARED)
        found.append(Effect(row, after, fields))
    return found


def moves_of(planner: Planner) -> list[tuple[str, str, int]]:
    """How many rows go from which state to which, the most first."""
    moves = Counter(
        (planner.before[memory_id].status, row.status) for memory_id, row in planner.rows.items()
    )
    return [(before, after, n) for (before, after), n in moves.most_common()]
