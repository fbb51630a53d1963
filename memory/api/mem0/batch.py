"""Updates and deletions of memories that are named one by one."""

from typing import Annotated
from uuid import UUID

from ninja import Router, Schema
from pydantic import Field

from memory.models import Memory
from memory.write.retract import retract_all
from memory.write.transaction import write_transaction

from ..auth import needs
from ..fields import Reason
from ..reply import reply
from .bodies import UpdateIn
from .deleting import deleted_form
from .form import mem0_form
from .found import all_current, current
from .writing import updated

router = Router(tags=["mem0"])
MOST_UPDATES, MOST_DELETED = 100, 1000


class OneUpdate(UpdateIn):
    memory_id: UUID


class UpdatesIn(Schema):
    memories: list[OneUpdate] = Field(min_length=1, max_length=MOST_UPDATES)


class Named(Schema):
    memory_id: UUID


class DeletionsIn(Schema):
    memories: Annotated[list[Named], Field(min_length=1, max_length=MOST_DELETED)]
    confirm_token: str = ""
    reason: Reason = ""


@router.put("/v1/batch/", auth=needs("correct"))
def update_named(request, body: UpdatesIn):
    """Update up to 100 memories, all of them or none."""
    with write_transaction():
        forms = [
            mem0_form(updated(request.scope, current(request.scope, one.memory_id), one))
            for one in body.memories
        ]
    return reply({"message": f"Successfully updated {len(forms)} memories", "results": forms})


@router.delete("/v1/batch/", auth=needs("correct"))
def delete_named(request, body: DeletionsIn):
    """Retract up to 1,000 memories; more than 20 only with the `confirm_token` of the 409."""
    wanted = all_current(request.scope, [one.memory_id for one in body.memories])
    rows = Memory.objects.within(request.scope).filter(pk__in=[row.pk for row in wanted])
    done = retract_all(request.scope, rows, reason=body.reason, token=body.confirm_token)
    told = deleted_form(done)
    return reply(told | {"message": f"Successfully deleted {done.count} memories"})
