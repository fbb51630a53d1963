"""What a model reads out of a turn, with the turns before it for the sense."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memory.models import Scope, Turn
from memory.text.normalise import key
from memory.text.sentences import sentences

from .draft import places
from .held import NO_EVIDENCE
from .model import ModelUnavailable
from .reading import MOST_CHARACTERS, Item, read_turns
from .rules import sift, whole

# "Yes, that one" is read with what it answers; older turns say little and cost tokens.
TURNS_BEFORE, CHARACTERS_BEFORE = 4, 8_000
_PIECE = MOST_CHARACTERS - CHARACTERS_BEFORE
RULES = "rules"


@dataclass(frozen=True)
class Found:
    """`confidence` is the reader's, None where it starts by the source; `doubt` is a code of
    `Memory.held_for`, "" if there is none."""

    item: Item
    confidence: float | None = None
    doubt: str = ""


@dataclass(frozen=True)
class Read:
    """What one turn holds. `read_by` is "rules" or the model's name, `reason` why there is
    nothing, `note` what went otherwise."""

    found: tuple[Found, ...]
    read_by: str = RULES
    reason: str = ""
    note: str = ""


def by_rules(content: str, role: str) -> Read:
    """What rules find. Never raises."""
    sifted = sift(content, role)
    found = (Found(item, item.confidence or None) for item in sifted.items)
    return Read(tuple(found), reason=sifted.reason)


def as_it_stands(content: str) -> Read:
    """The whole turn as one memory."""
    return Read((Found(whole(content)),))


def by_model(scope: Scope, turn: Turn) -> Read:
    """What the model finds in a stored turn; where it gives no usable answer, what rules find,
    and a note that says so."""
    before = _before(scope, turn)
    found: list[Found] = []
    notes: list[str] = []
    try:
        for piece in pieces(turn.content, _PIECE):
            reading = read_turns([*before, (turn.role, piece)], now=turn.occurred_at)
            kept = [item for item in reading.items if item.turn in (None, len(before))]
            found += [Found(item, item.confidence, _doubt(item)) for item in kept]
            notes.append(reading.note)
            if len(kept) < len(reading.items):
                notes.append(f"{len(reading.items) - len(kept)} said in an earlier turn")
    except ModelUnavailable as error:
        note = f"model unavailable: {error.code}; read by rules"
        return replace(by_rules(turn.content, turn.role), note=note)
    note = "; ".join(filter(None, notes))
    return Read(tuple(found), reading.read_by, "" if found else "nothing", note)


def pieces(text: str, most: int) -> Iterator[str]:
    """The text in parts of at most `most` characters, divided between sentences if it can be."""
    start = end = 0
    for sentence in sentences(text):
        if sentence.end - start > most:
            if end > start:
                yield text[start:end]
            start = sentence.start
            while sentence.end - start > most:
                yield text[start : start + most]
                start += most
        end = sentence.end
    if text[start:].strip():
        yield text[start:]


def _before(scope: Scope, turn: Turn) -> list[tuple[str, str]]:
    if not turn.session_id:
        return []
    rows = Turn.objects.within(scope).filter(
        user_id=turn.user_id, session_id=turn.session_id, pk__lt=turn.pk
    )
    found: list[tuple[str, str]] = []
    room = CHARACTERS_BEFORE
    for row in rows.order_by("-pk")[:TURNS_BEFORE]:
        room -= len(row.content)
        if room < 0:
            break
        found.append((row.role, row.content))
    return found[::-1]


def _doubt(item: Item) -> str:
    """A memory that cannot be shown in the turn, or whose value does not stand in its quote, is
    what the model made of it."""
    shown = item.quote and (not item.value or places(key(item.quote), key(item.value)))
    return "" if shown else NO_EVIDENCE
