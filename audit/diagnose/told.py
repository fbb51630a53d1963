"""What a diagnosis tells: steps along the chain, each with a verdict, what it rests on, and what
to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.recall.advice import Advice


class Verdict:
    FINE, CAUSE, UNKNOWN = "fine", "cause", "cannot_tell"
    LABELS = {FINE: _("fine"), CAUSE: _("cause"), UNKNOWN: _("cannot tell")}


RETRIEVAL, RANK, FRESHNESS = "retrieval", "rank", "freshness"
CONTEXT, MODEL = "context", "model"
# In the order in which a memory reaches an answer.
LINKS = {
    RETRIEVAL: _("Retrieval"),
    RANK: _("Rank"),
    FRESHNESS: _("Freshness"),
    CONTEXT: _("Context"),
    MODEL: _("Model"),
}
ASKS = {
    RETRIEVAL: _("Was it found?"),
    RANK: _("Where did it come, and what came before it?"),
    FRESHNESS: _("Does it still hold?"),
    CONTEXT: _("Was it handed to the model, and how?"),
    MODEL: _("What did the model make of it?"),
}


@dataclass(frozen=True)
class Evidence:
    """One thing that a verdict rests on. `kind`: memory, recall, batch, correction, pair, policy,
    line (of the context), score, terms or answer; `id` and `url` where it has its own."""

    kind: str
    text: str
    id: str = ""
    url: str = ""


@dataclass(frozen=True)
class Fix:
    """Something to do. `changes`: only for who may change memories. `url` is "" where only a
    command does it. With `advice` the sentence is the engine's own."""

    kind: str
    text: str
    url: str = ""
    changes: bool = True
    advice: Advice | None = None


@dataclass(frozen=True)
class Step:
    """What one link of the chain comes to."""

    link: str
    verdict: str
    sentence: str
    evidence: tuple[Evidence, ...] = ()
    fixes: tuple[Fix, ...] = ()

    @property
    def is_cause(self) -> bool:
        return self.verdict == Verdict.CAUSE

    @property
    def title(self) -> str:
        return str(LINKS[self.link])

    @property
    def asks(self) -> str:
        return str(ASKS[self.link])

    @property
    def verdict_label(self) -> str:
        return str(Verdict.LABELS[self.verdict])


def fine(link: str, sentence: str, evidence: Sequence[Evidence] = ()) -> Step:
    return Step(link, Verdict.FINE, sentence, tuple(evidence))


def cause(
    link: str, sentence: str, evidence: Sequence[Evidence] = (), fixes: Sequence[Fix] = ()
) -> Step:
    return Step(link, Verdict.CAUSE, sentence, tuple(evidence), tuple(fixes))


def unknown(link: str, sentence: str, evidence: Sequence[Evidence] = ()) -> Step:
    return Step(link, Verdict.UNKNOWN, sentence, tuple(evidence))


@dataclass(frozen=True)
class Diagnosis:
    """`sentence` names the first cause, or says that there is none here and where to look next."""

    symptom: str
    title: str
    query: str
    user_id: str
    recall_id: str
    memory_id: str
    answer: str
    steps: tuple[Step, ...]
    sentence: str

    @property
    def cause(self) -> Step | None:
        return next((step for step in self.steps if step.is_cause), None)


def as_dict(diagnosis: Diagnosis) -> dict[str, Any]:
    """The diagnosis as plain data, the same for HTTP and the command."""
    cause = diagnosis.cause
    return {
        "symptom": diagnosis.symptom,
        "title": diagnosis.title,
        "query": diagnosis.query,
        "user_id": diagnosis.user_id,
        "recall_id": diagnosis.recall_id or None,
        "memory_id": diagnosis.memory_id or None,
        "cause": cause.link if cause else None,
        "sentence": diagnosis.sentence,
        "steps": [_step_form(step) for step in diagnosis.steps],
    }


def _step_form(step: Step) -> dict[str, Any]:
    return {
        "link": step.link,
        "verdict": step.verdict,
        "sentence": step.sentence,
        "evidence": [
            {"kind": one.kind, "text": one.text, "id": one.id or None, "url": one.url or None}
            for one in step.evidence
        ],
        "fixes": [_fix_form(fix) for fix in step.fixes],
    }


def _fix_form(fix: Fix) -> dict[str, Any]:
    form = {"kind": fix.kind, "sentence": fix.text, "url": fix.url or None}
    return form | ({"advice": fix.advice.as_dict()} if fix.advice else {})


def as_text(diagnosis: Diagnosis) -> str:
    """The diagnosis for a terminal."""
    lines = [f"{diagnosis.title}: {diagnosis.query}", diagnosis.sentence, ""]
    for number, step in enumerate(diagnosis.steps, start=1):
        lines.append(f"{number}. {step.title} [{step.verdict_label}] {step.sentence}")
        lines += [f"     - {one.text}{one.id and f'  ({one.id})'}" for one in step.evidence]
        lines += [f"     > {fix.text}{fix.url and f'  {fix.url}'}" for fix in step.fixes]
    return "\n".join(lines)
