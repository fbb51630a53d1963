"""Searching and listing, as both of mem0's surfaces do."""

from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet

from memory.models import Memory, Scope, Status
from memory.recall import RecallRequest, recall
from memory.recall.request import MAX_LIMIT
from memory.write.accesses import note
from memory.write.proposal import InvalidInput

from ..paging import counted
from .bodies import ListIn, SearchIn
from .filters import Conditions, read_filters
from .form import mem0_form, mem0_forms

PAGE, LONGEST_PAGE, DEEPEST = 100, 200, 100_000
SHOWN = (Status.ACTIVE,)


def searched(scope: Scope, body: SearchIn) -> dict[str, Any]:
    """What a recall gives, at most 50, with the record's id; a recall is always for one user.

    Conditions other than whose it is are held against what the recall gave, so its record may
    name more than was answered. `threshold` is of this store's score.
    """
    wanted = _conditions(body)
    names = wanted.names
    scope = scope.narrow(names.get("user_id"))
    if scope.user_id is None:
        raise InvalidInput([("filters.user_id", "name one user: a search is always for one")])
    asked = RecallRequest(
        scope,
        body.query,
        agent_id=names.get("agent_id", ""),
        session_id=names.get("run_id", ""),
        limit=min(body.wanted, MAX_LIMIT) if wanted.is_of_one_user else MAX_LIMIT,
        turns=0,
    )
    answer = recall(asked)
    rows = Memory.objects.within(scope).filter(pk__in=[item.memory.pk for item in answer.items])
    met = set(wanted.rows(rows).values_list("pk", flat=True))
    results = [
        mem0_form(item.memory)
        | {
            "score": item.score,
            "score_details": {"parts": item.parts, "terms": [m.term for m in item.matches]},
        }
        for item in answer.items
        if item.memory.pk in met and item.score >= (body.threshold or 0)
    ]
    recall_id = str(answer.record.public_id)
    return {"results": only(results[: body.wanted], body.fields), "recall_id": recall_id}


def listed(scope: Scope, body: ListIn, *, page: int, size: int) -> dict[str, Any]:
    """A page of the memories that a filter meets, newest first. What is true now; with
    `show_expired` what has expired too, with `latest_only` false what was superseded too."""
    rows = filtered(scope, body).filter(status__in=_states(body)).order_by("-id")
    start = start_of(page, size)
    found = list(rows[start : start + size + 1])
    note(scope, found[:size], "list")
    forms = mem0_forms(scope, found[:size])
    return {
        "count": counted(rows),
        **page_links(page, size, is_last=len(found) <= size),
        "results": only(forms, body.fields),
    }


def start_of(page: int, size: int) -> int:
    """How many rows come before a page. Raises `InvalidInput` where they are too many."""
    if (page - 1) * size > DEEPEST:
        raise InvalidInput([("page", f"no further than {DEEPEST} rows; narrow the filter")])
    return (page - 1) * size


def page_links(page: int, size: int, *, is_last: bool) -> dict[str, str | None]:
    """The queries of the pages beside one."""
    return {
        "next": None if is_last else _link(page + 1, size),
        "previous": _link(page - 1, size) if page > 1 else None,
    }


def filtered(scope: Scope, body: ListIn) -> QuerySet[Memory]:
    """The rows of the scope that a filter meets. Raises `InvalidInput`, `ScopeError`."""
    wanted = _conditions(body)
    scope = scope.narrow(wanted.names.get("user_id"))
    return wanted.rows(Memory.objects.within(scope))


def only(forms: list[dict], fields: list[str] | None) -> list[dict]:
    """The same with the named fields alone, and the id."""
    if not fields:
        return forms
    return [{n: v for n, v in form.items() if n == "id" or n in fields} for form in forms]


def _conditions(body: SearchIn | ListIn) -> Conditions:
    names = {n: getattr(body, n) for n in ("user_id", "agent_id", "app_id", "run_id")}
    said = [{name: value} for name, value in names.items() if value is not None]
    said += [body.filters] if body.filters else []
    for name, operator in (("start_date", "gte"), ("end_date", "lte")):
        if value := getattr(body, name, None):
            said.append({"created_at": {operator: value}})
    if categories := getattr(body, "categories", None):
        said.append({"categories": {"in": categories}})
    return read_filters({"AND": said} if said else {})


def _states(body: ListIn) -> list[Status]:
    more = [Status.EXPIRED] if body.show_expired else []
    more += [Status.SUPERSEDED] if body.latest_only is False else []
    return [*SHOWN, *more]


def _link(page: int, size: int) -> str:
    return "?" + urlencode({"page": page, "page_size": size})
