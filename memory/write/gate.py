"""The value gate: whether an utterance is worth remembering. Rules, no model.

A text is read clause by clause. What asks, requests, greets, praises or speaks of the listener
is dropped; of the rest the rules of `gate_chinese` and
`gate_english` decide, and the surest clause gives the verdict.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from memory.models import Kind, TurnRole
from memory.text.language import language
from memory.text.normalise import normalise
from memory.text.patterns import DENSE_RUN
from memory.text.sentences import Piece, clauses, sentences
from memory.text.tagging import tagged

from . import gate_chinese, gate_english

# More of a text than this is a document: its beginning tells whether it holds statements.
_READ = 4000
_REASONS = {
    "asked_to_remember": "asks to be remembered",
    "correction": "corrects what was said before",
    "name": "says who somebody is",
    "about_me": "says something of the speaker's life",
    "cannot_take": "names what the speaker does not take",
    "likes": "states a preference",
    "rule": "sets a rule or a limit",
    "finished": "reports the state of a task",
    "took_on": "takes on a task",
    "plan": "states a plan",
    "event": "tells of an event",
    "lately": "tells what goes on at present",
    "habit": "states a habit",
    "helps_me": "says what does the speaker good",
    "procedure": "tells how something is done",
    "said_of_another": "says something of a person",
    "fact": "states a fact",
    "statement": "makes a statement of content",
    "question": "asks",
    "request": "requests something",
    "courtesy": "is a courtesy",
    "acknowledgement": "only acknowledges",
    "reaction": "only reacts",
    "good_wish": "wishes or praises",
    "about_you": "speaks of the listener",
    "weather": "speaks of the weather",
    "not_the_user": "was not said by the user",
    "nothing": "states nothing",
}


@dataclass(frozen=True)
class Worth:
    """`kind` is the kind of memory it would be, "" where it is not kept; `confidence` is 0-1;
    `rule` names the rule that decided, `reason` says it in words."""

    keep: bool
    kind: str
    confidence: float
    rule: str
    reason: str


def worth(text: str, role: str = TurnRole.USER) -> Worth:
    """Whether an utterance is worth remembering. Never raises.

    Only what the user says is weighed: what an assistant or a tool says is kept in the dialogue
    log alone.
    """
    if role != TurnRole.USER:
        return _dropped("not_the_user")
    text = gate_english.SPEAKER.sub("", text[:_READ].strip())
    verdicts = list(_english(text) if language(text) == "en" else _chinese(text))
    kept = [verdict for verdict in verdicts if verdict.keep]
    if kept:
        return max(kept, key=lambda verdict: verdict.confidence)
    return verdicts[0] if verdicts else _dropped("nothing")


def _chinese(text: str) -> Iterator[Worth]:
    for sentence in sentences(text):
        whole = normalise(sentence.text) + "?" * sentence.asks
        if gate_chinese.CORRECTED.search(whole) and not sentence.asks:
            yield _kept("correction", Kind.FACT, 0.8)
        for clause in clauses(text, sentence):
            yield _clause_zh(normalise(clause.text), clause, whole)


def _clause_zh(said: str, clause: Piece, sentence: str) -> Worth:
    first = gate_chinese.KEPT[0]
    if first[3].search(said) and not clause.asks and said[-1] not in "吗么":
        return _kept(*first[:3])
    if clause.asks and len(said) < 60:
        return _dropped("question")
    for name, pattern in gate_chinese.DROPPED.items():
        if pattern.search(said):
            return _dropped(name)
    if len(said) < 3:
        return _dropped("nothing")
    for name, kind, sure, pattern in gate_chinese.KEPT[1:]:
        if pattern.search(said):
            return _kept(name, kind, sure)
    if gate_chinese.SLOT.search(said):
        return _kept("fact", Kind.FACT, 0.6)
    # In a sentence about 我 or 你 a clause without a subject goes on about them.
    if not (gate_chinese.PERSON.search(sentence) or "?" in sentence) and _states(said):
        return _kept("statement", Kind.FACT, 0.5)
    return _dropped("nothing")


def _states(said: str) -> bool:
    """Whether a clause without a person says something of a thing: two nouns, or a noun and a
    verb, and no evaluation (景色非常迷人)."""
    if gate_chinese.EVALUATION.search(said) or len(said) < 5:
        return False
    flags = [flag for run in DENSE_RUN.findall(said) for _, flag in tagged(run)]
    nouns = sum(flag[0] == "n" or flag in ("vn", "l", "j", "eng") for flag in flags)
    nouns += sum(map(str.isalpha, said.encode("ascii", "ignore").decode())) > 1
    verbs = sum(flag[0] == "v" for flag in flags)
    return nouns >= 1 and (nouns >= 2 or verbs >= 1)


def _english(text: str) -> Iterator[Worth]:
    for sentence in sentences(text):
        yield _sentence_en(normalise(sentence.text).replace("’", "'"), sentence)


def _sentence_en(said: str, sentence: Piece) -> Worth:
    if sentence.asks:
        return _dropped("question")
    if gate_english.CORRECTED.search(said):
        return _kept("correction", Kind.FACT, 0.8)
    for name, pattern in gate_english.DROPPED.items():
        if pattern.search(said):
            return _dropped(name)
    for name, kind, sure, pattern in gate_english.KEPT:
        if pattern.search(said):
            return _kept(name, kind, sure)
    return _dropped("nothing")


def _kept(rule: str, kind: str, confidence: float) -> Worth:
    return Worth(True, str(Kind(kind)), confidence, rule, _REASONS[rule])


def _dropped(rule: str) -> Worth:
    return Worth(False, "", 0.0, rule, _REASONS[rule])
