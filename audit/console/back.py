"""Where a form leads when it is done: back to the page that it was on, with what was done."""

from urllib.parse import urlsplit, urlunsplit
from uuid import UUID

from django.http import QueryDict
from django.utils.http import url_has_allowed_host_and_scheme

from memory.models import Batch, Scope

DONE = "done"


def back_to(request, default: str) -> str:
    """The address of this site that the form names as `next`, else `default`."""
    address = request.POST.get("next", "")
    allowed = address.startswith("/") and url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    )
    return address if allowed else default


def with_done(address: str, batch: Batch | None) -> str:
    """The address with the batch that the page is to tell of, in place of another one."""
    parts = urlsplit(address)
    query = QueryDict(parts.query, mutable=True)
    query.pop(DONE, None)
    if batch is not None:
        query[DONE] = str(batch.public_id)
    return urlunsplit(parts._replace(query=query.urlencode()))


def done_batch(scope: Scope, asked: str | None) -> Batch | None:
    """The batch that `asked` names, if the scope has it."""
    try:
        batch_id = UUID(asked or "")
    except ValueError:
        return None
    rows = Batch.objects.within(scope).select_related("undone_by", "undoes")
    return rows.filter(public_id=batch_id).first()
