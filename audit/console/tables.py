"""A list as a file: what a page lists, by the same filters, as JSON or CSV.

`/memories/?kind=fact` as a file is `/memories.csv?kind=fact`. Not one page of it but all, up to
`MOST` rows; where that cut something off, the answer and the file's name say so.
"""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.http import require_safe

from memory import clock
from memory.index import keyset
from memory.models import Right
from memory.text.cells import safe_cell
from memory.write.working_cache import OutOfReach

from .access import needing

MOST = 10_000
FORMS = {"json": "application/json", "csv": "text/csv; charset=utf-8"}
Row = dict[str, Any]


@dataclass(frozen=True)
class Table:
    """`place` is the page's address without the slashes at its ends; `rows` gives what its filters
    leave, in the page's order, each row with the same names: called with the request and what
    the address names, it raises `Http404`, or `ValidationError` for filters that cannot be read.
    `page` is the page's own name, where that is not its place with hyphens."""

    place: str
    rows: Callable[..., Iterable[Row]]
    right: Right = Right.READ
    page: str = ""

    @property
    def name(self) -> str:
        return self.page or self.place.replace("/", "-")


def addresses(tables: Iterable[Table]) -> list:
    """The URL patterns of these tables, named `<name>-table`."""
    return [
        path(f"{table.place}.<tableform:form>", _view(table), name=f"{table.name}-table")
        for table in tables
    ]


def _view(table: Table):
    @require_safe
    @needing(table.right)
    def as_file(request, form: str, **named):
        try:
            found = list(islice(table.rows(request, **named), MOST + 1))
        except ValidationError as error:
            return JsonResponse({"errors": error.message_dict}, status=422)
        except OutOfReach as error:
            return JsonResponse({"errors": {"": [str(error)]}}, status=503)
        rows, is_cut = found[:MOST], len(found) > MOST
        body = _json(rows, is_cut) if form == "json" else _csv(rows)
        return _file(body, form, table.name, is_cut)

    return as_file


def _file(body: str, form: str, name: str, is_cut: bool) -> HttpResponse:
    cut = f"-first-{MOST}" if is_cut else ""
    name = f"{name}-{clock.now():%Y%m%d-%H%M%S}{cut}.{form}"
    how = "inline" if form == "json" else "attachment"
    headers = {
        "Content-Disposition": f'{how}; filename="{name}"',
        "Cache-Control": "private, no-store",
        "X-Cut": "true" if is_cut else "false",
    }
    return HttpResponse(body.encode("utf-8", "replace"), content_type=FORMS[form], headers=headers)


def _json(rows: list[Row], is_cut: bool) -> str:
    told = {"items": rows, "total": len(rows), "cut": is_cut}
    return json.dumps(told, ensure_ascii=False, default=str)


def _csv(rows: list[Row]) -> str:
    # Excel takes a file without the mark for another encoding than UTF-8.
    file = io.StringIO("\ufeff", newline="")
    file.seek(1)
    writer = csv.writer(file)
    names = list(rows[0]) if rows else []
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
    return file.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list | tuple | bool):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return safe_cell(str(value))


class TableForm:
    """The end of a table's address."""

    regex = "|".join(FORMS)

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


def picked(row: Any, *names: str) -> Row:
    """These attributes of a row; times in ISO 8601."""
    return {name: _plain(getattr(row, name)) for name in names}


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value


def read(rows: Any, order: str) -> Iterator[Any]:
    """The rows of a query by `order` ("column" or "-column"; ties by id), no more than needed."""
    yield from keyset.ordered(rows, order)[: MOST + 1].iterator(500)
