"""What a check finds, and whether the rows behind its number are just those."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.health.registry import rows_of
from audit.health.report import run_report


def finding(scope, check_id):
    return run_report(scope, [check_id]).findings[0]


def cost(scope, check_id):
    """How many queries a report of this check makes."""
    with CaptureQueriesContext(connection) as seen:
        run_report(scope, [check_id])
    return len(seen)


def ids(*memories):
    return {str(memory.public_id) for memory in memories}


def finds(scope, check_id, *memories):
    """Whether the number, the sample and the page behind them are just these memories."""
    found = finding(scope, check_id)
    assert set(found.sample) == ids(*memories)
    assert found.count == len(memories) == rows_of(check_id, scope).count()
    return found
