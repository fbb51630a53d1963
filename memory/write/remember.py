"""The road in: proposals → what they come to → plan → apply."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.index.entry import entry_for
from memory.index.policies import ruling
from memory.models import Batch, Policies, Scope, Status
from memory.text.statement import parse_statement

from . import queue
from .apply import apply
from .held import Look, look
from .planner import Planner
from .proposal import InvalidInput, Proposal
from .relations import relations
from .resolve import Outcome, take
from .sameness import note_pairs


@dataclass(frozen=True)
class Written:
    """`outcomes` stand in the order of what was offered."""

    batch: Batch | None
    outcomes: tuple[Outcome, ...]


def remember(
    scope: Scope,
    proposals: Sequence[Proposal],
    *,
    reason: str = "",
    infer: bool = True,
    each: bool = False,
) -> Written:
    """Write memories, all in one batch or none.

    With `infer`, a text that is a plain statement ("X的Y是Z", "my X is Y") also gets its
    entity, attribute and value, and one that plainly ties things together ("X使用Y", "X is
    supplied by Y") these as its links. With `each`, what cannot be kept is an outcome "rejected"
    of its own and the others are written. Raises `InvalidInput` (`SecretRefused` for a secret),
    `ScopeError`, `queue.QueueTimeout`.
    """
    offers = [offered(scope, proposal, infer=infer, each=each) for proposal in proposals]
    return write(scope, offers, reason=reason, each=each)


def offered(
    scope: Scope, proposal: Proposal, *, infer: bool = True, each: bool = False
) -> Look | Outcome:
    """A proposal checked, screened and segmented: the slow part of a write, which needs no lock.
    With `each` an `Outcome` that says why it is rejected, else raises as `remember` does."""
    scope.narrow(proposal.user_id or scope.user_id)
    try:
        checked = replace(proposal, user_id=proposal.user_id or scope.user_id or "").checked()
        seen = look(_with_parts(checked) if infer else checked)
    except InvalidInput as error:
        return _rejected(error, each)
    # Remembered by the analyser, so that the lock is held without it.
    entry_for(seen.proposal)
    return seen


def write(
    scope: Scope, offers: Sequence[Look | Outcome], *, reason: str = "", each: bool = False
) -> Written:
    """Write what was `offered`; an outcome among it is passed on. Raises as `remember` does."""
    policies = ruling(scope.workspace_id)
    with queue.turn():
        planner = Planner(scope)
        outcomes = [
            offer if isinstance(offer, Outcome) else _taken(planner, offer, policies, each)
            for offer in offers
        ]
        applied = apply(planner.plan("remember", reason))
    rows = applied.memories
    note_pairs(scope, [r for r in rows.values() if r.revision == 1 and r.status == Status.ACTIVE])
    return Written(
        applied.batch,
        tuple(
            replace(
                outcome,
                memory=outcome.memory and rows[outcome.memory.public_id],
                previous=outcome.previous
                and rows.get(outcome.previous.public_id, outcome.previous),
            )
            for outcome in outcomes
        ),
    )


def _taken(planner: Planner, offer: Look, policies: Policies, each: bool) -> Outcome:
    try:
        return take(planner, offer.proposal, policies, offer)
    except InvalidInput as error:
        return _rejected(error, each)


def _rejected(error: InvalidInput, each: bool) -> Outcome:
    if not each:
        raise error
    told = "; ".join(f"{name}: {message}" for name, message in error.errors)
    return Outcome("rejected", None, None, f"{error.code}: {told}")


def _with_parts(proposal: Proposal) -> Proposal:
    if proposal.text and not proposal.links:
        proposal = replace(proposal, links=relations(proposal.text))
    if proposal.entity or not proposal.text:
        return proposal
    found = parse_statement(proposal.text)
    if found is None:
        return proposal
    return replace(proposal, entity=found.entity, attribute=found.attribute, value=found.value)
