"""Bringing in what another system remembers: its states, its times and its earlier values.

A memory that was brought in says so in its metadata, "imported": [{from, id, sha256, state}, …]:
what comes again unchanged changes nothing, and what was changed at its source is a new version.
"""

from dataclasses import replace

from memory.models import Policies
from memory.write.outcome import Outcome

from .again import again
from .brought import Brought, Known, marked, with_mark, without_erased
from .first import first
from .planner import ImportPlanner


def bring(
    planner: ImportPlanner,
    brought: Brought,
    policies: Policies,
    store: Known,
    *,
    bring_back: bool = False,
) -> Outcome:
    """Plan what one memory changes here; the outcome is told as any write's is, "skipped" with
    reason "unchanged", "erased" or "changed_here" for what changes nothing. With `bring_back`
    what was erased here comes all the same. Raises `InvalidInput`."""
    same = marked(planner, brought, store)
    if same is not None and same[1]["sha256"] == brought.content[:32]:
        return Outcome("skipped", same[0], None, "unchanged")
    kept = brought if bring_back else without_erased(brought, store)
    if kept is None:
        return Outcome("skipped", None, None, "erased")
    brought = kept
    before = same[0] if same else None
    outcome = again(planner, brought, policies, before) if before else None
    outcome = outcome or first(planner, brought, policies)
    if outcome.memory is None:
        return outcome
    memory = with_mark(planner, outcome.memory, brought)
    store.note(memory)
    return replace(outcome, memory=memory)
