"""The road in: proposals → what they come to → plan → apply."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.index.entry import entry_for
from memory.models import Batch, Memory, Scope, policies_of
from memory.text.statement import parse_statement

from . import queue
from .apply import apply
from .planner import Planner
from .proposal import Proposal
from .resolve import Outcome, take


@dataclass(frozen=True)
class Written:
    batch: Batch | None
    outcomes: tuple[Outcome, ...]


def remember(
    scope: Scope, proposals: Sequence[Proposal], *, reason: str = "", infer: bool = True
) -> Written:
    """Write memories, all in one batch or none.

    With `infer`, a text that is a plain statement ("X的Y是Z", "my X is Y") also gets its
    entity, attribute and value. Raises `InvalidInput`, `ScopeError`, `queue.QueueTimeout`.
    """
    checked = []
    for proposal in proposals:
        scope.narrow(proposal.user_id or scope.user_id)
        proposal = replace(proposal, user_id=proposal.user_id or scope.user_id or "").checked()
        checked.append(_with_parts(proposal) if infer else proposal)
    for proposal in checked:
        # Segmented now, and remembered by the analyser, so that the lock is held without it.
        entry_for(Memory(**{n: getattr(proposal, n) for n in _SEARCHABLE}))
    policies = policies_of(scope.workspace_id)
    with queue.turn():
        planner = Planner(scope)
        outcomes = [take(planner, proposal, policies) for proposal in checked]
        applied = apply(planner.plan("remember", reason))
    rows = applied.memories
    return Written(
        applied.batch,
        tuple(
            replace(
                outcome,
                memory=rows[outcome.memory.public_id],
                previous=outcome.previous and rows[outcome.previous.public_id],
            )
            for outcome in outcomes
        ),
    )


_SEARCHABLE = ("text", "entity", "attribute", "value", "summary")


def _with_parts(proposal: Proposal) -> Proposal:
    if proposal.entity or not proposal.text:
        return proposal
    found = parse_statement(proposal.text)
    if found is None:
        return proposal
    return replace(proposal, entity=found.entity, attribute=found.attribute, value=found.value)
