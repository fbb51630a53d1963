"""What a context comes to: which expected values it lacks, which forbidden ones it has.

Every kind asks the same of the text that the agent is handed: each expected value stands in one of
its records, no forbidden one does. What a kind adds decides which records count:

- expired: nothing; it is the forbidden value, true once, that makes the question.
- confusion: a value counts for the thing that its clause speaks of. Of 甲项目 asked about, 本周 in
  a record of 乙项目 is neither an answer nor a mistake. A clause that names nothing goes on about
  the last thing named; where nothing is named at all it may be taken for an answer, and counts.
- negation: a value counts where its clause denies as much as it does itself: 吃香菜 does not stand
  in 不吃香菜.
- preference: the user's present words contradict an old preference, the forbidden value. Memory
  may still hold it, for the words were said only now; it must then be told as a record, with its
  labels, under the rule that present words win. That the model heeds the rule is not judged here.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from audit.models import Question, QuestionKind
from memory.recall.mentions import mentions

from .given import Record, present_words_rule, records
from .values import clauses, denials, holds

Holds = Callable[[Record, str], bool]


@dataclass(frozen=True)
class Judged:
    """`missing`: expected values that no record holds, and the rule where one is needed;
    `present`: forbidden values that a record holds."""

    missing: tuple[str, ...] = ()
    present: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.missing and not self.present


def query_of(question: Question) -> str:
    """What the agent asks memory: the user's whole message, the present words first."""
    return f"{question.now_said}\n{question.text}" if question.now_said else question.text


def judge(question: Question, context: str, known: Iterable[str] = ()) -> Judged:
    """How a context for the question does. `known`: the user's entities, for a confusion."""
    query = query_of(question)
    given = records(context, query)
    if question.kind == QuestionKind.PREFERENCE:
        return _preference(question, given, context, present_words_rule(query))
    counts = _counter(question, tuple(known))
    return Judged(
        _those(question.expected, given, counts, found=False),
        _those(question.forbidden, given, counts, found=True),
    )


def _preference(question: Question, given: Sequence[Record], context: str, rule: str) -> Judged:
    missing = _those(question.expected, given, _anywhere, found=False)
    # Where nothing is remembered nothing can win over the present words.
    if given and rule not in context.splitlines():
        missing = (*missing, rule)
    bare = [record for record in given if not record.labels]
    return Judged(missing, _those(question.forbidden, bare, _anywhere, found=True))


def _those(
    values: Iterable[str], given: Sequence[Record], counts: Holds, *, found: bool
) -> tuple[str, ...]:
    return tuple(v for v in values if any(counts(record, v) for record in given) == found)


def _counter(question: Question, known: tuple[str, ...]) -> Holds:
    if question.kind == QuestionKind.NEGATION:
        return _as_denied
    if question.kind == QuestionKind.CONFUSION:
        asked = _named(question.text, known)
        # Of a question that names nothing known every record may be the answer.
        return _of(asked, known) if asked else _anywhere
    return _anywhere


def _anywhere(record: Record, value: str) -> bool:
    return holds(record.said, value)


def _as_denied(record: Record, value: str) -> bool:
    if not holds(record.said, value):
        return False
    denied = denials(value) % 2
    within = [part for part in clauses(record.said) if holds(part, value)]
    return any(denials(part) % 2 == denied for part in within or [record.said])


def _of(asked: Collection[str], known: tuple[str, ...]) -> Holds:
    def counts(record: Record, value: str) -> bool:
        if not holds(record.said, value):
            return False
        subject: frozenset[str] = frozenset()
        within = []
        for part in clauses(record.said):
            subject = _named(part, known) or subject
            if holds(part, value):
                within.append(subject)
        # A value cut by its own comma belongs to whatever the record names.
        found = within or [_named(record.said, known)]
        return any(not subject or subject & asked for subject in found)

    return counts


def _named(text: str, known: tuple[str, ...]) -> frozenset[str]:
    return frozenset(mention.entity for mention in mentions([text], known))
