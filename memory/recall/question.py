"""The question as it is used: whether to recall at all, and what is really asked."""

from dataclasses import dataclass, replace

from memory.models import Memory, Status, Turn

from .request import RecallRequest
from .rewrite import Move, Rewrite, looks_back, mentions, rewrite
from .trigger import Trigger, should_recall

RECENT_TURNS = 6
KNOWN_ENTITIES = 2000


@dataclass(frozen=True)
class Question:
    """`used` is what is searched; `moves` made it from what was asked."""

    trigger: Trigger
    used: str
    moves: tuple[Move, ...] = ()

    def with_move(self, move: Move) -> "Question":
        return replace(self, moves=(*self.moves, move))


def read_question(request: RecallRequest) -> Question:
    """Decide on the trigger and the rewrite. The session's turns are read only where the
    question looks back at them."""
    trigger = should_recall(request.query)
    if not trigger.triggered:
        return Question(trigger, request.query)
    found = Rewrite(request.query)
    if request.session_id and looks_back(request.query):
        known = _known_entities(request)
        recent = mentions(_recent_turns(request), known, known)
        found = rewrite(request.query, recent=recent, known=known)
    return Question(trigger, found.used, found.moves)


def _recent_turns(request: RecallRequest) -> list[str]:
    """What was said last in the session, newest first, as of the moment that is asked about."""
    turns = Turn.objects.within(request.scope).filter(session_id=request.session_id)
    if request.as_of is not None:
        turns = turns.filter(created_at__lte=request.as_of)
    return list(turns.order_by("-id").values_list("content", flat=True)[:RECENT_TURNS])


def _known_entities(request: RecallRequest) -> dict[str, str]:
    """The user's entities with their domains, newest first."""
    rows = (
        Memory.objects.within(request.scope)
        .filter(status=Status.ACTIVE)
        .exclude(entity="")
        .order_by("-id")
        .values_list("entity", "domain")[:KNOWN_ENTITIES]
    )
    known: dict[str, str] = {}
    for entity, domain in rows:
        known.setdefault(entity, domain)
    return known
