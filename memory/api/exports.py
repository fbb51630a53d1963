"""Taking memories away: as lines that lose nothing, as a table, as notes."""

from typing import Annotated, Literal

from django.http import FileResponse
from ninja import Query, Router

from memory import clock
from memory.exchange.choice import choose
from memory.exchange.out import FORMS, spooled
from memory.models import Kind, Status
from memory.write.proposal import InvalidInput

from .auth import needs
from .fields import Moment, UserId
from .listing import AsOf, some_of
from .problems import READ, Problem

router = Router(tags=["exchange"])
_FILE = {"type": "string", "format": "binary"}


class ExportFilters(AsOf):
    """Without filters memories of every state and kind. `since` and `until` bound when a memory
    happened, or was first remembered. `ledger` is for `jsonl` of a whole workspace; `bom` makes
    Excel know a `csv` for UTF-8."""

    format: Literal["jsonl", "csv", "markdown"] = "jsonl"
    user_id: UserId | None = None
    status: Annotated[str, some_of(Status.values, or_any=True)] = "any"
    kind: Annotated[str, some_of(Kind.values)] | None = None
    since: Moment | None = None
    until: Moment | None = None
    ledger: bool = False
    bom: bool = False


@router.get(
    "",
    auth=needs("read"),
    response={READ: Problem},
    openapi_extra={
        "responses": {
            200: {
                "description": "The file, streamed",
                "content": {
                    form.media_type.partition(";")[0]: {"schema": _FILE} for form in FORMS.values()
                },
            }
        }
    },
)
def export(request, asked: Query[ExportFilters]):
    """Memories as a file. `jsonl` loses nothing and can be imported again: what was erased stays
    erased. Needs `read`."""
    chosen = choose(
        request.scope.narrow(asked.user_id),
        statuses=[] if asked.status == "any" else asked.status.split(","),
        kinds=asked.kind.split(",") if asked.kind else [],
        since=asked.since,
        until=asked.until,
        moment=asked.as_of,
    )
    extras = {"with_ledger": asked.ledger} if asked.format == "jsonl" else {}
    if asked.ledger and (not extras or not chosen.is_whole or chosen.scope.user_id is not None):
        raise InvalidInput([("ledger", "goes with jsonl of a whole workspace")])
    if asked.format == "csv":
        extras = {"bom": asked.bom}
    form = FORMS[asked.format]
    return FileResponse(
        spooled(asked.format, chosen, **extras),
        as_attachment=True,
        filename=f"memories-{clock.now():%Y%m%d-%H%M%S}.{form.ending}",
        content_type=form.media_type,
    )
