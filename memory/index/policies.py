"""The policies that rule now, for the roads that ask for them every time."""

from memory.models import Policies, Policy

from .prepared import Prepared

_versions = Prepared(
    lambda workspace_id: Policy.objects.filter(workspace_id=workspace_id).order_by("version"), int
)


def ruling(workspace_id: int) -> Policies:
    """As `policies_of` without a moment."""
    return Policies(workspace_id, _versions(workspace_id))
