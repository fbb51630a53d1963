"""The memories that an utterance may be about, found by key or by session and never by words."""

from collections.abc import Iterable, Iterator
from uuid import UUID

from django.db.models import Q, QuerySet

from memory import clock
from memory.index.browse import browse, browse_count
from memory.index.filters import ACTIVE_ONLY, Filters
from memory.models import Memory, Recall, Scope, ScopeError, Status, Turn, TurnRole
from memory.text.atoms import atoms
from memory.text.fingerprint import fingerprint
from memory.text.normalise import normalise
from memory.text.stopwords import STOPWORDS

from ..draft import places
from .attributes import naming
from .subjects import USER, entity_keys

# The newest of a session: what is talked of now, and a bound on the work.
SESSION_ROWS, ENTITY_ROWS, TURNS, TURN_CHARACTERS = 200, 200, 4, 300
_AT_ONCE, _GRAM = 400, 4


class Facts:
    """Memories of one user that hold or wait for a person, as one agent sees them. Each question
    is asked once. What waits can be wrong too: a new telephone number corrects the one that is
    held for being personal. Where its key has a current value, that one is meant."""

    def __init__(
        self,
        scope: Scope,
        session_id: str,
        agent_id: str,
        recall: Recall | None,
        about: Memory | None = None,
    ):
        if scope.user_id is None:
            raise ScopeError("a correction is always for one user")
        self.scope, self.session_id, self.agent_id = scope, session_id, agent_id
        self.served = self._shown(about) or self._served(recall)
        self._session: list[Memory] | None = None
        self._turns: list[str] | None = None

    def of_keys(self, entities: Iterable[str], attributes: Iterable[str]) -> list[Memory]:
        """The rows of an entity and an attribute, by their index."""
        rows = self._rows().filter(entity_key__in=set(entities), attribute_key__in=set(attributes))
        return _current_first(rows[:ENTITY_ROWS])

    def of_entities(self, entities: Iterable[str]) -> list[Memory]:
        """The newest rows of named entities. The user's own are asked for by attribute only."""
        wanted = set(entities) - {USER}
        if not wanted:
            return []
        rows = self._rows().filter(entity_key__in=wanted)
        return _current_first(rows.order_by("-id")[:ENTITY_ROWS])

    def count_of_entities(self, entities: Iterable[str]) -> int:
        """How many rows named entities have in all."""
        return self._rows().filter(entity_key__in=set(entities) - {USER}).count()

    def about(self, topic: str) -> tuple[list[Memory], int]:
        """The newest rows that hold all the words of a topic, and how many do. For showing a
        person what they would be: words choose nothing by themselves."""
        filters = Filters(
            statuses=ACTIVE_ONLY, agent_id=self.agent_id or None, alive_at=clock.now()
        )
        found = browse(self.scope, topic, filters, limit=ENTITY_ROWS)
        rows = list(self._rows().filter(pk__in=found).order_by("-id"))
        return rows, browse_count(self.scope, topic, filters)

    def known(self, entities: Iterable[str]) -> set[str]:
        """Which of these entities the user has facts of."""
        wanted, found = sorted(set(entities) - {""}), set()
        for start in range(0, len(wanted), _AT_ONCE):
            part = wanted[start : start + _AT_ONCE]
            rows = self._rows().filter(entity_key__in=part)
            found |= set(rows.values_list("entity_key", flat=True).distinct())
        return found

    def of_text(self, text: str) -> list[Memory]:
        """The rows that say exactly this."""
        return _current_first(self._rows().filter(fingerprint=fingerprint(text))[:ENTITY_ROWS])

    def of_session(self) -> list[Memory]:
        """What was served, then the session's newest facts; what the assistant said is none."""
        if self._session is None:
            rows = []
            if self.session_id:
                own = self._rows().filter(session_id=self.session_id)
                own = own.exclude(turn__role=TurnRole.ASSISTANT)
                rows = _current_first(own.order_by("-id")[:SESSION_ROWS])
            known = {row.public_id for row in self.served}
            self._session = self.served + [row for row in rows if row.public_id not in known]
        return self._session

    def turns(self) -> list[str]:
        """What was said last in the session, normalised, newest first."""
        if self._turns is None:
            self._turns = []
            if self.session_id:
                said = Turn.objects.within(self.scope).filter(session_id=self.session_id)
                said = said.order_by("-id").values_list("content", flat=True)[:TURNS]
                self._turns = [normalise(text[:TURN_CHARACTERS]) for text in said]
        return self._turns

    def talked_of(self, rows: list[Memory]) -> list[Memory]:
        """Those of `rows` that the talk is about: served last, else named by the newest turn
        that names any. All of them where nothing tells them apart."""
        served = {row.public_id for row in self.served}
        if kept := [row for row in rows if row.public_id in served]:
            rows = kept
        for text in self.turns():
            scores = {row.public_id: _mention(row, text) for row in rows}
            best = max(scores.values(), default=0)
            if best:
                return [row for row in rows if scores[row.public_id] == best]
        return rows

    def entities_of_turns(self) -> list[str]:
        """The known entities that the last turns name, those of the newest turn only."""
        for text in self.turns():
            if found := self.named_in(text):
                return sorted(found)
        return []

    def named_in(self, text: str) -> set[str]:
        """The known entities whose names stand in a text."""
        keys = {key for span in _spans(text) for key in entity_keys(span)}
        return self.known(keys - STOPWORDS - {USER})

    def _rows(self) -> QuerySet[Memory]:
        return Memory.objects.within(self.scope).filter(
            Q(expires_at__isnull=True) | Q(expires_at__gt=clock.now()),
            status__in=(Status.ACTIVE, Status.QUARANTINED),
            agent_id__in={"", self.agent_id},
        )

    def _shown(self, memory: Memory | None) -> list[Memory]:
        return list(self._rows().filter(pk=memory.pk)) if memory else []

    def _served(self, recall: Recall | None) -> list[Memory]:
        if recall is None or recall.user_id != self.scope.user_id:
            return []
        ranked = recall.candidates.filter(rank__isnull=False, memory_id__isnull=False)
        order: list[UUID] = list(ranked.order_by("rank").values_list("memory_id", flat=True))
        rows = {row.public_id: row for row in self._rows().filter(public_id__in=order)}
        return [rows[memory_id] for memory_id in order if memory_id in rows]


def _current_first(rows: Iterable[Memory]) -> list[Memory]:
    """The rows without those that wait beside a current value of their key."""
    rows = list(rows)
    current = {_slot(row) for row in rows if row.status == Status.ACTIVE and row.has_key}
    return [row for row in rows if row.status == Status.ACTIVE or _slot(row) not in current]


def _slot(row: Memory) -> tuple[str, str, str]:
    return row.agent_id, row.entity_key, row.attribute_key


def _mention(row: Memory, text: str) -> int:
    entity = len(row.entity_key) > 1 and bool(places(text, row.entity_key))
    attribute = len(row.attribute_key) > 1 and bool(places(text, row.attribute_key))
    value = len(row.value_key) > 1 and bool(places(text, row.value_key))
    return 2 * (entity and attribute) + 2 * value + attribute


def _spans(text: str) -> Iterator[str]:
    """Runs of up to four words of a text. A particle ends one as well: 组|吧 is no word."""
    words = [atom for atom in atoms(text) if atom.role == "main"]
    for i, first in enumerate(words):
        for last in words[i : i + _GRAM]:
            inside = range(max(last.start, first.start + 1), last.end)
            for end in [last.end, *(at for at in inside if text[at] in _PARTICLES)]:
                if end - first.start > 1:
                    yield text[first.start : end]


_PARTICLES = frozenset("吧呢吗的了啊呀是在和与跟有都也就")


def best_named(rows: Iterable[Memory], said: str) -> list[Memory]:
    """The rows whose attribute `said` names most plainly; none where it names none."""
    ranked = [(naming(said, row.attribute), row) for row in rows]
    best = max((rank for rank, _ in ranked), default=0)
    return [row for rank, row in ranked if rank == best] if best else []
