"""A case: a question as the store answers it now and, with its record, as it was answered then."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from uuid import UUID

from audit.questions.given import records
from audit.questions.values import holds
from memory.models import Memory, Policies, Recall, Scope, policies_of
from memory.recall import PROFILES, Ranked, RecallRequest
from memory.recall.assemble import BLOCKS
from memory.recall.gates import Place, placed
from memory.recall.look import Look, look
from memory.recall.mentions import mentions
from memory.recall.past import as_it_was
from memory.recall.replay import request_of
from memory.text.terms import index_terms
from memory.write.revise import find

# Of the question's weight. A memory that shares one common word with a question of several
# carries about a tenth, one that answers it more than a third.
WEAK = 0.2
# Fewer words than this are a name, which is said or not.
SOME = 3


@dataclass(frozen=True)
class Line:
    """One line that the model was handed: of which memory or turn, in which block, at which
    `place` of all lines from 1; its labels, and what it says."""

    public_id: str
    block: str
    place: int
    labels: str
    said: str


class Case:
    """What is diagnosed. `answer`: what the model said, "" where nobody knows. Everything is read
    when it is first asked for, and once."""

    def __init__(
        self,
        scope: Scope,
        request: RecallRequest,
        *,
        record: Recall | None = None,
        expected: Memory | None = None,
        answer: str = "",
    ):
        self.scope, self.record, self.expected = scope, record, expected
        self.request = request.checked(tuple(PROFILES))
        self.answer = answer or (record.answer if record else "")

    @cached_property
    def seen(self) -> Look:
        """What a recall would see now; no record is kept."""
        return look(self.request, self.request.as_of, past=self.request.as_of)

    @cached_property
    def moment(self) -> datetime:
        return self.request.as_of or self.seen.at

    @cached_property
    def policies(self) -> Policies:
        return policies_of(self.scope.workspace_id, self.request.as_of)

    @cached_property
    def given(self) -> list[Memory]:
        """What would be given now, best first."""
        return [item.memory for item in self.seen.context.kept]

    @cached_property
    def then(self) -> list[Memory]:
        """What the record says was given, as these memories are now; without one, `given`."""
        if self.record is None:
            return self.given
        served = self.record.candidates.filter(rank__isnull=False, memory_id__isnull=False)
        ids = list(served.order_by("rank").values_list("memory_id", flat=True))
        rows = Memory.objects.within(self.scope).filter(public_id__in=ids)
        found = {row.public_id: row for row in rows}
        return [found[one] for one in ids if one in found]

    @cached_property
    def all_given(self) -> list[Memory]:
        """What was given then and what would be now, each once."""
        return list({row.public_id: row for row in (*self.given, *self.then)}.values())

    @cached_property
    def quoted(self) -> list[Memory]:
        """Of what was given, that which the answer repeats; of those with one value the best, for
        the others only happen to have it too."""
        repeated = [memory for memory in self.then if self.says(memory)]
        return list({(m.value_key or m.text): m for m in reversed(repeated)}.values())[::-1]

    @cached_property
    def answering(self) -> list[Memory]:
        """Of what would be given now, that which answers the question: about what it names, where
        it names something, and not much less than the best does."""
        items = [item for item in self.seen.context.kept if self.carries(item) >= WEAK]
        named = [item for item in items if self._is_named(item.memory)]
        best = max(map(self.carries, named or items), default=0.0)
        return [item.memory for item in named or items if 2 * self.carries(item) >= best]

    @property
    def subjects(self) -> list[Memory]:
        """What the case is about: the memory that was missed, else what the answer repeats, else
        what answers the question."""
        if self.expected is not None:
            return [self.expected]
        return self.quoted or self.answering

    @cached_property
    def lines(self) -> list[Line]:
        """What the model was handed when it answered."""
        if self.record is None:
            context = self.seen.context
            return _lines(context.text, self.request.query, context.blocks)
        return _lines(self.record.context, self.record.query, self.record.blocks)

    def line(self, memory: Memory) -> Line | None:
        """The line of a memory, if it was handed over."""
        wanted = str(memory.public_id)
        return next((line for line in self.lines if line.public_id == wanted), None)

    def says(self, memory: Memory) -> bool:
        """Whether the answer says the memory's value or, where it has none, its text; what the
        question says already tells nothing."""
        said = memory.value or memory.text
        return speaks(self.answer, said) and not speaks(self.request.query, said)

    def carries(self, item: Ranked) -> float:
        """The share of the question's weight that a memory carries, by words and by meaning."""
        parts = item.parts.get("relevance", 0.0) + item.parts.get("meaning", 0.0)
        return parts / PROFILES[self.request.profile].relevance

    def _is_named(self, memory: Memory) -> bool:
        return bool(memory.entity) and bool(mentions([self.request.query], [memory.entity]))

    def row(self, memory: Memory) -> Memory | None:
        """The memory as it was at the time asked about; None: it was not there yet."""
        if self.request.as_of is None:
            return memory
        return as_it_was({memory.pk: memory}, self.request.as_of).get(memory.pk)

    def place(self, memory: Memory) -> Place:
        """Where a memory comes out now."""
        row = self.row(memory)
        if row is None:
            return Place("state", "was not remembered yet")
        return placed(self.request, row, self.seen, self.moment)

    def ranked(self, memory: Memory) -> Ranked | None:
        """The memory as it was ranked, if it came so far."""
        found = (i for i in self.seen.ranked if i.memory.public_id == memory.public_id)
        return next(found, None)

    def is_given(self, memory: Memory) -> bool:
        return any(row.public_id == memory.public_id for row in self.given)

    def age(self, memory: Memory) -> timedelta:
        """How long ago somebody last said that it is so."""
        return self.moment - last_said(memory)


def speaks(text: str, said: str) -> bool:
    """Whether a text says it; a statement of some words without figures also where it has most of
    those words."""
    if not text or holds(text, said):
        return bool(text)
    words = set(index_terms(said).words)
    if len(words) < SOME or any(char.isdigit() for char in said):
        return False
    return 2 * len(words & set(index_terms(text).words)) > len(words)


def last_said(memory: Memory) -> datetime:
    """When it was last confirmed, else when it happened, else when it was written."""
    return memory.confirmed_at or memory.occurred_at or memory.created_at


def open_case(
    scope: Scope,
    *,
    record: Recall | None = None,
    query: str = "",
    user_id: str | None = None,
    agent_id: str = "",
    session_id: str = "",
    as_of: datetime | None = None,
    memory_id: UUID | None = None,
    answer: str = "",
) -> Case:
    """The case of a record, else of a question.

    A record's question is taken as it was used: the turns that it looked back at have gone on
    since. Raises `NotFound` for a memory that the scope does not hold, `InvalidRequest`,
    `ScopeError`.
    """
    expected = find(scope, memory_id) if memory_id else None
    if record is not None:
        request = replace(
            request_of(scope.narrow(record.user_id), record),
            query=record.query_used,
            session_id="",
        )
    else:
        request = RecallRequest(
            scope.narrow(user_id), query, agent_id=agent_id, session_id=session_id, as_of=as_of
        )
    return Case(scope, request, record=record, expected=expected, answer=answer)


def _lines(text: str, query: str, blocks: dict[str, Sequence[str]]) -> list[Line]:
    """Lines in the order of the blocks' ids; without ids where an erasure took some away."""
    said = records(text, query)
    ids = [(name, one) for name in BLOCKS for one in blocks.get(name, ())]
    if len(ids) != len(said):
        ids = [("", "")] * len(said)
    return [
        Line(str(public_id), block, place, one.labels, one.said)
        for place, ((block, public_id), one) in enumerate(zip(ids, said, strict=True), start=1)
    ]
