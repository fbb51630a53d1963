"""What mem0's client asks of its project: here the workspace, and what it holds."""

from django.db.models import Count
from ninja import Query, Router

from memory.models import Memory, Recall, Status, policies_of
from memory.write.revise import NotFound

from ..auth import needs
from ..paging import counted
from ..reply import reply
from .errors import not_served
from .filters import ENTITIES
from .others import any_key

router = Router(tags=["mem0"])
PROJECT = "/api/v1/orgs/organizations/{org}/projects/{project}/"
RULES = "The rules of a workspace are its policies; an admin changes them in the settings."


@router.get(PROJECT, auth=needs("read"))
def read_project(request, org: str, project: str, fields: Query[list[str]] = ()):
    """The workspace of the key, with the policies that its memories are held to."""
    workspace = request.auth.workspace
    if {org, project} != {workspace.name}:
        raise NotFound(project)
    told = {
        "id": workspace.name,
        "name": workspace.title,
        "custom_instructions": None,
        "custom_categories": [],
        "policies": [
            {"kind": policy.kind, "domain": policy.domain, **policy.values()}
            for policy in policies_of(workspace.pk).all()
        ],
    }
    return reply({name: value for name, value in told.items() if not fields or name in fields})


@router.api_operation(["PATCH", "DELETE"], PROJECT, auth=any_key)
def change_project(request, org: str, project: str):
    """Not served: a workspace is changed by its admins."""
    return not_served(RULES)


@router.get("/v1/stats/", auth=needs("read"))
def stats(request):
    """How many memories there are now, in each state, and of how many users, agents and runs;
    `total_search_events` are the recalls, at most 10,001."""
    rows = Memory.objects.within(request.scope)
    states = dict(rows.order_by().values_list("status").annotate(Count("pk")))
    current = rows.filter(status=Status.ACTIVE)
    names = {
        f"total_{name.removesuffix('_id')}s": current.exclude(**{column: ""})
        .values(column)
        .distinct()
        .count()
        for name, column in ENTITIES.items()
    }
    return reply(
        {
            "total_memories": states.get(Status.ACTIVE, 0),
            **names,
            "total_search_events": counted(Recall.objects.within(request.scope)),
            "lifecycle_states": states,
        }
    )
