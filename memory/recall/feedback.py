"""What people and agents say of a recall afterwards, and what that moves."""

from dataclasses import dataclass
from uuid import UUID

from memory import clock
from memory.models import (
    Batch,
    Change,
    Correction,
    CorrectionState,
    Memory,
    Recall,
    RecallFeedback,
    Scope,
    Verdict,
)
from memory.write.apply import apply
from memory.write.correction.doubt import plan_doubt
from memory.write.correction.facts import Facts
from memory.write.correction.preview import check_values
from memory.write.correction.propose import (
    NOT_A_CORRECTION,
    Understood,
    understand,
)
from memory.write.correction.reading import CHARACTERS, read
from memory.write.correction.road import keep, served_in_doubt
from memory.write.held import SecretRefused, without_secrets
from memory.write.proposal import InvalidInput
from memory.write.transaction import write_transaction

NEGATIVE = frozenset({Verdict.WRONG.value, Verdict.STALE.value})


@dataclass(frozen=True)
class Reaction:
    """`correction` was opened and waits to be applied; `batch` lowered the confidence of the one
    memory that is meant. Neither: the feedback is kept, and nothing tells what it is about."""

    feedback: RecallFeedback
    correction: Correction | None = None
    batch: Batch | None = None


def add_feedback(kept: Recall, verdict: str, text: str, actor: str) -> RecallFeedback:
    """Keep one verdict (good, wrong, stale or missing) beside the record; a recall may have many.

    Raises `QueueTimeout` when it could not get its turn.
    """
    with write_transaction():
        return kept.feedback.create(verdict=verdict, text=text, at=clock.now(), actor=actor)


def react(
    scope: Scope, kept: Recall, verdict: str | None, text: str, memory_id: UUID | None = None
) -> Reaction:
    """Keep a verdict and act on a negative one: what is understood as a correction is opened;
    else the memory that it names, or the only one served, is doubted, once a recall; of several a
    person is asked which. Without a verdict the text tells it.

    Raises `InvalidInput`, `QueueTimeout`; then nothing was kept.
    """
    verdict = verdict or _told_by(text)
    served = list(
        kept.candidates.filter(rank__isnull=False, memory_id__isnull=False)
        .order_by("rank")
        .values_list("memory_id", flat=True)
    )
    if memory_id is not None and memory_id not in served:
        raise InvalidInput([("memory_id", "was not given by this recall")])
    said = without_secrets(text)
    if verdict not in NEGATIVE or not kept.user_id:
        return Reaction(add_feedback(kept, verdict, said, scope.actor))
    scope = scope.narrow(kept.user_id)
    with write_transaction():
        feedback = add_feedback(kept, verdict, said, scope.actor)
        rows = Facts(scope, kept.session_id, kept.agent_id, kept).served
        meant = [row for row in rows if memory_id in (None, row.public_id)]
        if found := _understood(scope, kept, text, meant[0] if memory_id and meant else None):
            return Reaction(feedback, _opened(scope, kept, said, found))
        if memory_id is not None or len(served) == 1:
            return Reaction(feedback, batch=_doubted(scope, kept, meant, verdict))
        if not meant:
            return Reaction(feedback)
        told = (said or verdict)[:CHARACTERS]
        return Reaction(feedback, _opened(scope, kept, told, served_in_doubt(meant)))


def _told_by(text: str) -> str:
    if text and len(text) <= CHARACTERS and read(text).cue == 2:
        return Verdict.WRONG.value
    raise InvalidInput([("verdict", "say it: the text does not tell that something is wrong")])


def _understood(scope: Scope, kept: Recall, text: str, about: Memory | None) -> Understood | None:
    """What the text would put right; None where it says no more than that something is wrong."""
    if not text.strip() or len(text) > CHARACTERS:
        return None
    found = understand(
        scope,
        without_secrets(text),
        session_id=kept.session_id,
        agent_id=kept.agent_id,
        recall=kept,
        about=about,
    )
    try:
        check_values((*found.changes, *found.doubtful), text)
    except SecretRefused:
        return None
    says_more = found.verdict != NOT_A_CORRECTION and found.reason != "no_new_value"
    return found if says_more else None


def _opened(scope: Scope, kept: Recall, text: str, found: Understood) -> Correction:
    """A correction of this recall; told again, the one that is still open."""
    known = Correction.objects.within(scope).filter(
        recall=kept, text=text, state=CorrectionState.OPEN, expires_at__gt=clock.now()
    )
    return known.first() or keep(
        scope, text, found, session_id=kept.session_id, agent_id=kept.agent_id, recall=kept
    )


def _doubted(scope: Scope, kept: Recall, meant: list[Memory], verdict: str) -> Batch | None:
    """The batch that doubts the one memory; None where it is no longer current, or where this
    recall has made it doubted before."""
    because = f"{verdict}, said of recall {kept.public_id}"
    for memory in meant:
        told = Change.objects.filter(memory_id=memory.public_id, action="doubt")
        if not told.filter(batch__reason__endswith=str(kept.public_id)).exists():
            return apply(plan_doubt(scope, memory).plan("doubt", because)).batch
    return None
