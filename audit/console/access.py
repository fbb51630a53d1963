"""The doors of the console: a person's seat in a workspace, and the only ways to its rows.

A stranger gets the same 404 for a row of another workspace as for one that never was.
"""

from dataclasses import dataclass
from functools import wraps
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.http import Http404

from audit.models import Finding
from memory.models import Batch, Membership, Memory, Recall, Right, Scope, Workspace

from .context import Console


@dataclass(frozen=True)
class Seat:
    """Who sits where: the person's membership and the scope that it gives."""

    membership: Membership
    scope: Scope

    @property
    def workspace(self) -> Workspace:
        return self.membership.workspace


def seat(request) -> Seat:
    """The person's seat, kept on the request. Raises `PermissionDenied` without a workspace."""
    if not hasattr(request, "seat"):
        membership = Console(request).membership
        if membership is None:
            raise PermissionDenied("no workspace")
        scope = Scope(membership.workspace_id, f"person:{request.user.get_username()}", "console")
        request.seat = Seat(membership, scope)
    return request.seat


class Lacking(PermissionDenied):
    """The person's role does not have `right`."""

    def __init__(self, right: Right):
        super().__init__(f"this role has no right to {right}")
        self.right = right


def may(request, right: Right) -> bool:
    return seat(request).membership.may(right)


def demand(request, right: Right) -> None:
    """Raises `Lacking` unless the person's role has this right."""
    if not may(request, right):
        raise Lacking(right)


def needing(right: Right):
    """A view only for people whose role has this right; the others get a 403 page."""

    def decorated(view):
        @wraps(view)
        def guarded(request, *args, **kwargs):
            demand(request, right)
            return view(request, *args, **kwargs)

        return guarded

    return decorated


reading = needing(Right.READ)
correcting = needing(Right.CORRECT)
operating = needing(Right.OPERATE)
auditing = needing(Right.AUDIT)
erasing = needing(Right.ERASE)
administering = needing(Right.ADMINISTER)


def may_administer(request) -> bool:
    return may(request, Right.ADMINISTER)


def memory_or_404(request, memory_id: UUID) -> Memory:
    return _one(Memory.objects.within(seat(request).scope), memory_id)


def batch_or_404(request, batch_id: UUID) -> Batch:
    return _one(Batch.objects.within(seat(request).scope), batch_id)


def recall_or_404(request, recall_id: UUID) -> Recall:
    return _one(Recall.objects.within(seat(request).scope), recall_id)


def finding_or_404(request, finding_id: int) -> Finding:
    rows = Finding.objects.within(seat(request).scope).select_related("assigned_to")
    found = rows.filter(pk=finding_id).first()
    if found is None:
        raise Http404
    return found


def _one(rows, public_id: UUID):
    found = rows.filter(public_id=public_id).first()
    if found is None:
        raise Http404
    return found
