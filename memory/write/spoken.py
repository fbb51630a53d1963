"""What a user takes back in the middle of a dialogue: put right at once where it is clear which
fact is meant, asked about where it is not."""

from dataclasses import dataclass
from datetime import timedelta

from memory import clock
from memory.models import Batch, Correction, Recall, Scope, Status, Turn

from .apply import apply
from .correction.doubt import plan_doubt
from .correction.preview import check_values
from .correction.propose import AMBIGUOUS, CORRECTION, Understood, understand
from .correction.reading import CHARACTERS, read
from .correction.road import apply_correction, keep
from .held import SecretRefused
from .outcome import Outcome

# An answer that is older is not what "no, that's wrong" speaks of.
ANSWERED_WITHIN = timedelta(hours=1)
_RECENT = 20


def takes_back(text: str) -> bool:
    """Whether an utterance, by its words alone, may put something right."""
    if len(text) > CHARACTERS:
        return False
    reading = read(text)
    return not reading.reason and (reading.cue == 2 or bool(reading.claims))


@dataclass(frozen=True)
class Righted:
    """What became of a turn that takes something back; no batch where nothing changed yet."""

    outcome: Outcome
    batch: Batch | None = None


def put_right(scope: Scope, turn: Turn) -> Righted | None:
    """Heed a stored turn of a user that `takes_back`. None: there is nothing to put right, it is
    to be read as any other.

    One fact that is clearly meant is changed, as a batch of its own, with the turn as its
    evidence. What is not clear, or is about more facts, stays open as a correction; the one
    memory that the session's last recall gave is doubted where the turn only says that it is
    wrong. Call it within a write transaction. Raises `QueueTimeout`.
    """
    scope = scope.narrow(turn.user_id)
    context = {
        "session_id": turn.session_id,
        "agent_id": turn.agent_id,
        "recall": _last_recall(scope, turn),
    }
    found = understand(scope, turn.content, **context)
    if found.verdict not in (CORRECTION, AMBIGUOUS) or _is_not_known(found):
        return None
    try:
        check_values((*found.changes, *found.doubtful), turn.content)
    except SecretRefused:
        return Righted(Outcome("rejected", None, None, SecretRefused.code))
    correction = keep(scope, turn.content, found, **context)
    if found.verdict == CORRECTION and found.count == 1:
        return _applied(scope, correction, turn)
    batch = None
    if found.reason == "no_new_value" and len(found.candidates) == 1:
        batch = apply(plan_doubt(scope, found.candidates[0]).plan("doubt", turn.content)).batch
    asked = Outcome("skipped", None, None, f"correction_open: {correction.public_id}")
    return Righted(asked, batch)


def _is_not_known(found: Understood) -> bool:
    """It names nothing that is remembered: a question about it would have no answers to offer."""
    return found.verdict == AMBIGUOUS and not found.candidates and not found.count


def _applied(scope: Scope, correction: Correction, turn: Turn) -> Righted:
    applied = apply_correction(scope, correction, evidence=turn)
    reason = f"correction: {correction.public_id}"
    rows = applied.memories
    for change in applied.entries:
        if change.before is None:
            row = rows[change.memory_id]
            action = "superseded" if row.status == Status.ACTIVE else row.status
            outcome = Outcome(action, row, rows.get(row.supersedes_id), reason)
            return Righted(outcome, applied.batch)
    (gone,) = rows.values()
    return Righted(Outcome(gone.status, gone, None, reason), applied.batch)


def _last_recall(scope: Scope, turn: Turn) -> Recall | None:
    """The newest recall of the turn's session that gave something."""
    if not turn.session_id:
        return None
    rows = Recall.objects.within(scope).filter(at__gt=clock.now() - ANSWERED_WITHIN)
    for kept in rows.order_by("-id")[:_RECENT]:
        if kept.session_id == turn.session_id and kept.agent_id in ("", turn.agent_id):
            return kept if kept.served else None
    return None
