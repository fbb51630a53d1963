"""What happened in each quarter of an hour, counted by the engine: a day of any time zone is made
of whole quarters, and a row a quarter is all that leaves the database."""

from datetime import datetime
from typing import NamedTuple

from django.db import connection

QUARTER_SECONDS = 900
_QUARTER = f"CAST(strftime('%%s', {{}}.at) AS INTEGER) / {QUARTER_SECONDS}"


class Moves(NamedTuple):
    """How many memories went from one state ("": from nothing) to another ("": erased) in a
    quarter, counted from 1970 on."""

    quarter: int
    before: str
    after: str
    count: int


class Asked(NamedTuple):
    """What the recalls of a quarter came to: how many searched memory, how many of these gave
    nothing, how many gave something that was no longer valid."""

    quarter: int
    searched: int
    nothing: int
    outdated: int


def moves(workspace_id: int, after: int, upto: int, since: datetime) -> list[Moves]:
    """The moves of the batches with keys in (after, upto], of those made since then."""
    # A cross join keeps the order of the tables: batches by their index, then their changes.
    sql = (
        f"SELECT {_QUARTER.format('c')}, c.status_before, c.status_after, COUNT(*)"
        " FROM memory_batch b CROSS JOIN memory_change c ON c.batch_id = b.id"
        " WHERE b.workspace_id = %s AND b.id > %s AND b.id <= %s AND c.at >= %s"
        " AND c.status_before <> c.status_after GROUP BY 1, 2, 3"
    )
    return [Moves(*row) for row in _rows(sql, workspace_id, after, upto, since)]


def asked(workspace_id: int, after: int, upto: int, since: datetime) -> list[Asked]:
    """The recalls with keys in (after, upto], of those made since then."""
    # Turns are not counted as served, but whatever was given has tokens.
    sql = (
        f"SELECT {_QUARTER.format('r')}, SUM(r.triggered),"
        " SUM(r.triggered AND r.served = 0 AND r.tokens = 0),"
        " SUM(EXISTS (SELECT 1 FROM memory_recallcandidate c WHERE c.recall_id = r.id"
        " AND c.stale AND c.rank IS NOT NULL))"
        " FROM memory_recall r WHERE r.workspace_id = %s AND r.id > %s AND r.id <= %s"
        " AND r.at >= %s GROUP BY 1"
    )
    return [Asked(*row) for row in _rows(sql, workspace_id, after, upto, since)]


def _rows(sql: str, workspace_id: int, after: int, upto: int, since: datetime) -> list[tuple]:
    moment = connection.ops.adapt_datetimefield_value(since)
    with connection.cursor() as cursor:
        return cursor.execute(sql, [workspace_id, after, upto, moment]).fetchall()
