"""What became of one thing that was offered."""

from dataclasses import dataclass
from uuid import UUID

from memory.models import Memory


@dataclass(frozen=True)
class Outcome:
    """`action` is added, superseded, confirmed, merged, candidate or quarantined; rejected,
    without a memory, for what must not be stored, and skipped for what is not worth it. A late
    observation is "superseded" with no `previous` and reason "older_observation": it went
    straight to history. A candidate's `previous` is the value that it speaks against, which stays
    current. `turn_id` is the turn of a dialogue that it was read from.
    """

    action: str
    memory: Memory | None
    previous: Memory | None = None
    reason: str = ""
    turn_id: UUID | None = None
