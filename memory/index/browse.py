"""Finding for people: rows of every state in a workspace, newest first, by pages."""

from django.db import connection

from memory.models import Scope
from memory.text.terms import Query, query_terms

from .entry import workspace_prefix
from .expression import expression
from .filters import Filters
from .schema import BROWSE

# Counting beyond this reads on without telling a person more; it is shown as "10,000+".
COUNT_CAP = 10_000


def browse(
    scope: Scope,
    text: str,
    filters: Filters,
    *,
    limit: int,
    before: int | None = None,
    after: int | None = None,
) -> list[int]:
    """Row ids that hold all the words of `text`, newest first, at most `limit`.

    `before` continues below that id; `after` gives the page just above that id. No words that
    can be searched: no rows.
    """
    found = _statement(scope, text, filters)
    if found is None:
        return []
    sql, values = found
    bound, order = "", "DESC"
    if before is not None:
        bound, values = f" AND {BROWSE}.rowid < %s", [*values, before]
    elif after is not None:
        bound, order, values = f" AND {BROWSE}.rowid > %s", "ASC", [*values, after]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {BROWSE}.rowid {sql}{bound} ORDER BY {BROWSE}.rowid {order} LIMIT %s",
            [*values, limit],
        )
        rows = [row[0] for row in cursor.fetchall()]
    return rows if order == "DESC" else rows[::-1]


def browse_states(
    scope: Scope, text: str, filters: Filters, *, limit: int
) -> list[tuple[str, int]]:
    """The state and the id of the rows that `browse` gives."""
    found = _statement(scope, text, filters)
    if found is None:
        return []
    sql, values = found
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT m.status, {BROWSE}.rowid {sql} ORDER BY {BROWSE}.rowid DESC LIMIT %s",
            [*values, limit],
        )
        return cursor.fetchall()


def browse_count(scope: Scope, text: str, filters: Filters) -> int:
    """How many rows `browse` would give in all, at most `COUNT_CAP` + 1."""
    found = _statement(scope, text, filters)
    if found is None:
        return 0
    sql, values = found
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT COUNT(*) FROM (SELECT 1 {sql} LIMIT {COUNT_CAP + 1})", values)
        return cursor.fetchone()[0]


def _statement(scope: Scope, text: str, filters: Filters) -> tuple[str, list] | None:
    query: Query = query_terms(text)
    match = expression(query, workspace_prefix(scope.workspace_id), every_term=True)
    if not match:
        return None
    conditions, values = filters.sql()
    if scope.user_id is not None:
        conditions, values = f" AND m.user_id = %s{conditions}", [scope.user_id, *values]
    return (
        f"FROM {BROWSE} CROSS JOIN memory_memory m ON m.id = {BROWSE}.rowid "
        f"WHERE {BROWSE} MATCH %s AND m.workspace_id = %s{conditions}",
        [match, scope.workspace_id, *values],
    )
