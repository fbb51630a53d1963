"""How sure a memory is and whom it is believed from: where both start, what moves them."""

from memory.models import Source

# Where confidence starts when the writer does not say: by who said it.
STARTING_CONFIDENCE = {
    Source.USER_SAID: 0.9,
    Source.EXTERNAL_SYNC: 0.95,
    Source.IMPORTED: 0.6,
    Source.INFERRED: 0.5,
}
UNSTATED_CONFIDENCE = 0.6
# An exact repeat takes away this share of the doubt that is left: what starts at 0.3 passes 0.5
# when it is said a second time, what starts at 0.2 not before the third.
REPEAT_REMOVES_DOUBT = 0.3
# A writer that does not say where it has something from is taken at its word: it could as well
# say that the user said it.
_TRUST = {Source.USER_SAID: 3, Source.EXTERNAL_SYNC: 3, "": 3, Source.IMPORTED: 2}


def stated(confidence: float | None) -> float:
    """What to reckon with where nobody said how sure it is."""
    return UNSTATED_CONFIDENCE if confidence is None else confidence


def raised(confidence: float | None) -> float:
    """The confidence after one more exact repeat or confirmation."""
    return round(1 - (1 - stated(confidence)) * (1 - REPEAT_REMOVES_DOUBT), 4)


def trust(source: str) -> int:
    """How far a source is believed: a smaller one never replaces the value of a greater one by
    itself. What the user said and what the system of record says are equals; an import comes
    after them, an inference last."""
    return _TRUST.get(source, 1)


def more_trusted(one: str, other: str) -> str:
    """The source of the two that is believed more, the first where they are equals."""
    return one if trust(one) >= trust(other) else other
