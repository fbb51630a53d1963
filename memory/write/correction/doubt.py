"""Doubt: a memory is said to be wrong, and nobody says what is right."""

from memory.models import Memory, Scope, Status

from ..confidence import stated
from ..plan import Conflict
from ..planner import Planner

# Half is left: a user's own word (0.9), denied once, is less sure than what was only inferred
# (0.5), and two confirmations lift it above that again.
DENIAL_LEAVES = 0.5


def plan_doubt(scope: Scope, memory: Memory) -> Planner:
    """Lower the confidence of an active memory, which stays active. Raises `Conflict`."""
    if memory.status != Status.ACTIVE:
        raise Conflict(f"only an active memory can be doubted; this one is {memory.status}")
    planner = Planner(scope)
    confidence = round(stated(memory.confidence) * DENIAL_LEAVES, 4)
    planner.change(memory, "doubt", confidence=confidence)
    return planner
