"""What is to be erased: the rows of one fact, their words, what was read from them."""

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from memory.models import Memory, Scope, Turn

from .words import Words

Span = tuple[int, int]


@dataclass(frozen=True)
class Subject:
    """`rows` are all versions of the fact in the scope, oldest first. `spans` are the places of
    evidence by turn; a turn without one is evidence as a whole. `derived` are rows that a machine
    summed up out of the same turns and that hold the words: they are removed along."""

    scope: Scope
    rows: tuple[Memory, ...]
    words: Words
    spans: dict[UUID, list[Span]]
    derived: tuple[Memory, ...] = ()
    at: datetime | None = None

    @property
    def ids(self) -> list[UUID]:
        return [row.public_id for row in self.all_rows]

    @property
    def all_rows(self) -> tuple[Memory, ...]:
        return self.rows + self.derived

    @property
    def users(self) -> set[str]:
        return {row.user_id for row in self.all_rows}

    def own(self, model) -> "object":
        """Rows of a table that may hold the words: those of the same user; of what belongs to no
        user, of every user."""
        rows = model.everywhere.filter(workspace_id=self.scope.workspace_id)
        return rows if "" in self.users else rows.filter(user_id__in=self.users | {""})


@dataclass
class Removed:
    """What was found, or taken away, by the name of its place; `also` are other memories that
    say the same words and stay, for a person to decide on."""

    counts: dict[str, int] = field(default_factory=dict)
    also: list[str] = field(default_factory=list)


def subject_of(scope: Scope, memory: Memory) -> Subject:
    """The fact of a memory with all its versions that the scope may see."""
    rows = tuple(Memory.objects.within(scope).filter(fact=memory.fact).order_by("version", "pk"))
    spans: dict[UUID, list[Span]] = {}
    for row in rows:
        if row.turn_id is not None:
            places = spans.setdefault(row.turn_id, [])
            if row.evidence_start is not None and row.evidence_end is not None:
                places.append((row.evidence_start, row.evidence_end))
    quoted = Words.of(rows)
    found = Subject(scope, rows, quoted, spans)
    return Subject(scope, rows, _with_evidence(found), spans, _derived(found))


def _with_evidence(subject: Subject) -> Words:
    """The words, and what stands in the turns at the places of evidence."""
    turns = Turn.everywhere.filter(
        public_id__in=subject.spans, workspace_id=subject.scope.workspace_id
    )
    said = [
        turn.content[start:end] for turn in turns for start, end in subject.spans[turn.public_id]
    ]
    return Words([*subject.words.all, *said])


def _derived(subject: Subject) -> tuple[Memory, ...]:
    """Summaries of sessions that hold the words, with every version of theirs."""
    sessions = {row.session_id for row in subject.rows} | set(
        Turn.everywhere.filter(public_id__in=subject.spans).values_list("session_id", flat=True)
    )
    own = {row.public_id for row in subject.rows}
    rows = subject.own(Memory).filter(session_id__in=sessions - {""}, metadata__has_key="snapshot")
    holding = {
        row.fact
        for row in rows
        if row.public_id not in own and subject.words.holds(row.text, own=False)
    }
    found = subject.own(Memory).filter(fact__in=holding).order_by("fact", "version", "pk")
    return tuple(row for row in found if row.public_id not in own)
