"""Whether the ledger's chain holds."""

from typing import Annotated

from ninja import Query, Router, Schema
from pydantic import Field

from memory.models import Batch, ScopeError
from memory.write.ledger import MOST_AT_ONCE, contains, is_long, walk
from memory.write.plan import Conflict

from .auth import needs
from .problems import READ, Problem
from .reply import reply

router = Router(tags=["ledger"])


class BreakForm(Schema):
    """The first entry that does not hold; null where it is of another workspace."""

    entry: int | None
    what: str


class ChainForm(Schema):
    """`entries` hold up to `head`, the hash of the last of them. `contains`: whether an entry
    bears the head that was asked for; null: none was."""

    holds: bool
    entries: int
    head: str
    broken: BreakForm | None
    contains: bool | None


class ChainQuery(Schema):
    contains: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None


@router.get("/verify", auth=needs("read"), response={200: ChainForm, READ | {409}: Problem})
def verify(request, asked: Query[ChainQuery]):
    """Walk the hash chain, which all workspaces share. Note `head` elsewhere and ask for it later
    with `contains`: that a tail was cut off shows in nothing else. 409 where the ledger is too
    long for a request; then `manage.py verify_ledger` does it. Needs `read`, of a key that is not
    bound to one user."""
    if request.scope.user_id is not None:
        raise ScopeError("the chain is of all users")
    if is_long():
        raise Conflict(f"more than {MOST_AT_ONCE:,} entries: run manage.py verify_ledger")
    found, head = walk(), asked.contains
    broken = found.broken
    return reply(
        {
            "holds": broken is None,
            "entries": found.entries,
            "head": found.head,
            "broken": broken and {"entry": _own(request, broken.row), "what": broken.what},
            "contains": None if head is None else contains(head),
        }
    )


def _own(request, row) -> int | None:
    mine = Batch.objects.within(request.scope).filter(pk=row.batch_id)
    return row.id if mine.exists() else None
