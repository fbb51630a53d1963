"""What people do with a finding: assign, resolve, ignore, reopen, comment.

Each act looks at the finding again inside its transaction, so that of two people who act at once
the second learns what the first did.
"""

from collections.abc import Container, Iterator
from contextlib import contextmanager

from django.contrib.auth import get_user_model
from django.db.models import QuerySet

from audit.models import Finding, FindingEvent, FindingState
from memory import clock
from memory.models import RIGHTS, Right, Scope
from memory.write.transaction import write_transaction

DONE = frozenset({FindingState.RESOLVED, FindingState.IGNORED})


class Moved(Exception):
    """Somebody else came first: `finding` as it is now, and `event`, what was done to it last."""

    def __init__(self, finding: Finding):
        self.finding = finding
        self.event = finding.events.exclude(verb="commented").last()
        super().__init__(f"is {finding.state}, assigned to {finding.assigned_to or 'nobody'}")


class NotAMember(ValueError):
    """A finding is assigned only to a member of its workspace whose role may correct."""


def assignable(scope: Scope) -> QuerySet:
    """The people to whom a finding of this workspace can be assigned, by name."""
    return (
        get_user_model()
        .objects.filter(
            is_active=True,
            memberships__workspace_id=scope.workspace_id,
            memberships__role__in=RIGHTS[Right.CORRECT],
        )
        .order_by("username")
    )


def assign(
    scope: Scope, finding: Finding, person_id: int | None, *, seen: int | None = None
) -> Finding:
    """Give the finding to a person, or (None) to nobody. `seen` is who had it when the actor
    looked. Raises `NotAMember`, `Moved`, `QueueTimeout`."""
    person = None
    if person_id is not None:
        person = assignable(scope).filter(pk=person_id).first()
        if person is None:
            raise NotAMember("not a member of this workspace who may correct")
    with _fresh(scope, finding) as row:
        if row.assigned_to_id not in (seen, person_id):
            raise Moved(row)
        if row.assigned_to_id != person_id:
            row.assigned_to = person
            _tell(scope, row, "assigned", person.get_username() if person else "")
    return row


def resolve(scope: Scope, finding: Finding, reason: str) -> Finding:
    """Say that it is dealt with; it opens again when it happens again. Raises `Moved` unless it
    is open, `QueueTimeout`."""
    return _move(scope, finding, {FindingState.OPEN}, FindingState.RESOLVED, "resolved", reason)


def ignore(scope: Scope, finding: Finding, reason: str) -> Finding:
    """Say that it does not matter, now or later. Raises `Moved` unless it is open,
    `QueueTimeout`."""
    return _move(scope, finding, {FindingState.OPEN}, FindingState.IGNORED, "ignored", reason)


def reopen(scope: Scope, finding: Finding, reason: str = "") -> Finding:
    """Take a resolution back. Raises `Moved` when it is open, `QueueTimeout`."""
    return _move(scope, finding, DONE, FindingState.OPEN, "reopened", reason)


def comment(scope: Scope, finding: Finding, text: str) -> FindingEvent:
    """Say something about it. Raises `QueueTimeout`."""
    with _fresh(scope, finding) as row:
        return _tell(scope, row, "commented", text)


def _move(
    scope: Scope,
    finding: Finding,
    from_states: Container[str],
    to: FindingState,
    verb: str,
    reason: str,
) -> Finding:
    with _fresh(scope, finding) as row:
        if row.state not in from_states:
            raise Moved(row)
        row.state = to
        row.reopened += to == FindingState.OPEN
        _tell(scope, row, verb, reason)
    return row


@contextmanager
def _fresh(scope: Scope, finding: Finding) -> Iterator[Finding]:
    """The row as it is now, saved at the end; nobody else writes meanwhile."""
    with write_transaction():
        row = Finding.objects.within(scope).get(pk=finding.pk)
        yield row
        row.save(update_fields=["state", "assigned_to", "reopened"])


def _tell(scope: Scope, finding: Finding, verb: str, text: str) -> FindingEvent:
    return finding.events.create(at=clock.now(), actor=scope.actor, verb=verb, text=text)
