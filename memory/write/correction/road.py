"""A correction from the utterance to the change: proposed and kept, then applied as previewed, or
dismissed."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory import clock
from memory.models import (
    Correction,
    CorrectionState,
    CorrectionVerdict,
    Memory,
    Recall,
    Scope,
    Status,
    Turn,
)

from ..apply import apply
from ..held import without_secrets
from ..plan import Applied, Conflict
from ..proposal import InvalidInput
from ..revise import NotFound
from ..transaction import write_transaction
from ..webhooks import emit
from .preview import (
    check_values,
    drawn,
    is_expired,
    needed_count,
    previewed,
    readable,
)
from .propose import AMBIGUOUS, MESSAGES, Meant, Understood, plan_correction, understand

logger = logging.getLogger(__name__)


class Refused(Conflict):
    """A correction cannot be applied as asked; nothing was changed. `code` is stable:
    over_the_cap, needs_confirmation, needs_choice, nothing_to_apply, already_applied, dismissed
    or expired."""

    def __init__(self, code: str, detail: str, correction: Correction):
        self.code, self.correction = code, correction
        super().__init__(detail)


@dataclass(frozen=True)
class Choice:
    """Which candidate of an ambiguous correction is meant, and, where the utterance does not say
    so itself, what is right: another value, or that it is to be retracted."""

    memory_id: UUID
    value: str | None = None
    retract: bool = False


def propose(
    scope: Scope,
    text: str,
    *,
    user_id: str | None = None,
    session_id: str = "",
    agent_id: str = "",
    recall: Recall | None = None,
    about: Memory | None = None,
) -> Correction:
    """Understand what one user says and keep it as a preview; no memory has changed.

    Secrets in the text are masked before it is read. Raises `InvalidInput` (`SecretRefused`
    where the new value is a secret), `ScopeError` without a user, `QueueTimeout`.
    """
    scope = scope.narrow(user_id)
    text = readable(text)
    said = without_secrets(text)
    context = {"session_id": session_id, "agent_id": agent_id, "recall": recall}
    found = understand(scope, said, about=about, **context)
    check_values((*found.changes, *found.doubtful), text)
    return keep(scope, said, found, **context)


def keep(scope: Scope, text: str, found: Understood, **context: Any) -> Correction:
    """Store what an utterance, which holds no secret, was understood to mean. `context`:
    session_id, agent_id, recall. Raises `QueueTimeout`."""
    correction = drawn(scope, text, found)
    for name, value in context.items():
        setattr(correction, name, value)
    if found.verdict == CorrectionVerdict.NOT_A_CORRECTION:
        _close(correction, scope, CorrectionState.DISMISSED)
    with write_transaction():
        correction.save(force_insert=True)
        if correction.blocked:
            told = {"correction_id": str(correction.public_id), "count": correction.count}
            emit(scope.workspace_id, "correction.blocked", told | {"cap": correction.cap})
    if correction.blocked:
        _alarm(correction)
    return correction


def served_in_doubt(memories: Sequence[Memory]) -> Understood:
    """Something among these is said to be wrong, and not what: a question to a person."""
    doubtful = tuple(Meant(memory, None) for memory in memories)
    return Understood(AMBIGUOUS, "no_new_value", MESSAGES["no_new_value"], (), doubtful)


def find_correction(scope: Scope, correction_id: UUID) -> Correction:
    """The correction, or `NotFound`: the same for another scope's and one that never was."""
    rows = Correction.objects.within(scope).select_related("batch", "batch__undone_by", "recall")
    found = rows.filter(public_id=correction_id).first()
    if found is None:
        raise NotFound(str(correction_id))
    return found


def apply_correction(
    scope: Scope,
    correction: Correction,
    *,
    reason: str = "",
    confirm_count: int | None = None,
    choice: Choice | None = None,
    evidence: Turn | None = None,
) -> Applied:
    """Change exactly the previewed memories at the previewed revisions, as one batch.

    `evidence` is the turn in which it was said; new versions point to it. Without a reason the
    utterance itself is the ledger's. Raises `Refused`, `Moved` naming the memories that have
    moved, `InvalidInput` for a choice that is none, `Conflict`, `QueueTimeout`; then nothing has
    changed.
    """
    with write_transaction():
        correction = find_correction(scope, correction.public_id)
        _check_open(correction)
        _check_count(correction, confirm_count)
        meant = previewed(scope, _chosen(correction, choice))
        check_values(meant, correction.text)
        narrowed = scope.narrow(correction.user_id)
        because = without_secrets(reason) or correction.text
        applied = apply(plan_correction(narrowed, meant, because, evidence))
        correction.batch = applied.batch
        _close(correction, scope, CorrectionState.APPLIED)
        correction.save(update_fields=["batch", "state", "closed_at", "closed_by"])
    return applied


def dismiss_correction(scope: Scope, correction: Correction, reason: str = "") -> Correction:
    """Close it without any change; one that is dismissed stays so. Raises `Refused` where it has
    been applied, `QueueTimeout`."""
    with write_transaction():
        correction = find_correction(scope, correction.public_id)
        if correction.state == CorrectionState.APPLIED:
            raise _already_applied(correction)
        if correction.state == CorrectionState.OPEN:
            correction.change = correction.change | {"dismissed_because": without_secrets(reason)}
            _close(correction, scope, CorrectionState.DISMISSED)
            correction.save(update_fields=["change", "state", "closed_at", "closed_by"])
    return correction


def propose_again(scope: Scope, correction: Correction) -> Correction:
    """The same words, of the store as it is now; an open one gives its place to the new one.
    Raises as `propose`."""
    with write_transaction():
        correction = find_correction(scope, correction.public_id)
        names = ("user_id", "session_id", "agent_id", "recall")
        context = {name: getattr(correction, name) for name in names}
        found = propose(scope, correction.text, **context)
        if correction.state == CorrectionState.OPEN:
            dismiss_correction(scope, correction, f"proposed again as {found.public_id}")
    return found


def _check_open(correction: Correction) -> None:
    if correction.state == CorrectionState.APPLIED:
        raise _already_applied(correction)
    if correction.verdict == CorrectionVerdict.NOT_A_CORRECTION:
        raise Refused("nothing_to_apply", "it is not a correction", correction)
    if correction.state == CorrectionState.DISMISSED:
        raise Refused("dismissed", "it has been dismissed", correction)
    if is_expired(correction):
        raise Refused("expired", "its preview is too old; propose it again", correction)


def _already_applied(correction: Correction) -> Refused:
    return Refused("already_applied", "it has already been applied", correction)


def _check_count(correction: Correction, confirm_count: int | None) -> None:
    if correction.blocked:
        _alarm(correction)
        detail = f"it is about {correction.count} facts, more than {correction.cap}"
        raise Refused("over_the_cap", detail, correction)
    needed = needed_count(correction)
    if needed is not None and confirm_count != needed:
        detail = f"it changes {needed} facts: say confirm_count {needed} if they are all meant"
        raise Refused("needs_confirmation", detail, correction)
    if confirm_count is not None and confirm_count != (needed or 1):
        raise InvalidInput([("confirm_count", f"it changes {needed or 1}")])


def _chosen(correction: Correction, choice: Choice | None) -> list[dict[str, Any]]:
    if correction.verdict == CorrectionVerdict.CORRECTION:
        if choice is not None:
            raise InvalidInput([("memory_id", "only where it is ambiguous")])
        return correction.targets
    if choice is None:
        raise Refused("needs_choice", "say which of its candidates is meant", correction)
    wanted = str(choice.memory_id)
    entry = next((e for e in correction.candidates if e["id"] == wanted), None)
    if entry is None:
        raise InvalidInput([("memory_id", "not among its candidates")])
    if choice.retract and choice.value is not None:
        raise InvalidInput([("value", "give a value or retract, not both")])
    if choice.retract:
        return [entry | {"set": {"status": Status.RETRACTED}}]
    if choice.value is not None:
        return [entry | {"set": {"value": choice.value}}]
    if not entry["set"]:
        raise InvalidInput([("value", "say what is right, or retract")])
    return [entry]


def _close(correction: Correction, scope: Scope, state: str) -> None:
    correction.state, correction.closed_at, correction.closed_by = state, clock.now(), scope.actor


def _alarm(correction: Correction) -> None:
    logger.warning(
        "correction %s is over the cap: %d facts, at most %d",
        correction.public_id, correction.count, correction.cap,
    )  # fmt: skip
