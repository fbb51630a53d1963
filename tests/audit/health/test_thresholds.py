"""When a finding is a warning or an error: the checks' own limits and a workspace's."""

import math
from datetime import timedelta

import pytest

from audit.health.check import Check, Limits, Result, Severity
from audit.health.registry import UnknownCheck, checks
from audit.health.report import latest_report, run_report, save_report
from audit.health.thresholds import save_threshold, threshold_of, thresholds_of, versions
from audit.models import Threshold
from memory import clock
from memory.models import ScopeError
from memory.write.proposal import InvalidInput
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db


def severity(scope, check_id):
    return run_report(scope, [check_id]).findings[0].severity


def refused(scope, *values, check_id="low_confidence", **fields):
    with pytest.raises(InvalidInput) as told:
        save_threshold(scope, check_id, *values, **fields)
    assert not Threshold.objects.exists()
    return [field for field, _ in told.value.errors]


def test_without_limits_of_its_own_a_check_is_of_its_severity_from_one_row(here):
    assert threshold_of(here, "missing_metadata") == Limits(1, None)
    assert threshold_of(here, checks()["ledger_chain"]) == Limits(None, 1)
    assert set(thresholds_of(here)) == set(checks())


@pytest.mark.parametrize("check_id", sorted(checks()))
def test_every_checks_own_limits_are_sound(check_id):
    check = checks()[check_id]
    warning, error = check.limits
    assert warning is not None or error is not None
    assert warning is None or error is None or warning <= error
    if check.unit == "share" and not check.is_figure:
        assert all(limit is None or 0 <= limit <= 1 for limit in check.limits)
        assert (check.warning_from, check.error_from) != (None, None)


@pytest.mark.parametrize(
    ("count", "share", "graded"),
    [(0, 0.0, "ok"), (1, 0.09, "ok"), (1, 0.1, "warning"), (5, 0.5, "error"), (9, 1.0, "error")],
)
def test_a_share_is_compared_with_both_limits(count, share, graded):
    check = Check()
    check.unit, check.severity = "share", Severity.WARNING
    assert check.grade(Result(count, 10, share, count > 0), Limits(0.1, 0.5)) == graded


def test_what_is_found_without_a_row_to_blame_is_of_the_checks_own_severity():
    check = Check()
    check.severity = Severity.ERROR
    assert check.grade(Result(0, 10, 0.0, True), Limits(None, 5)) == "error"
    assert check.grade(Result(4, 10, 0.4, True), Limits(None, 5)) == "ok"
    assert check.grade(Result(400, 10, 1.0, True), Limits(None, None)) == "ok"


def test_a_workspaces_limits_rule_its_own_reports_from_the_next_on(here):
    there = make.scope(make.workspace("there"))
    for scope in (here, there):
        makers.complete(scope, text="没有会话的记录", source="")
    kept = save_report(here, run_report(here, ["missing_metadata"]))
    save_threshold(here, "missing_metadata", 2, None, "one bare row is nothing")
    assert (severity(here, "missing_metadata"), severity(there, "missing_metadata")) == (
        "ok",
        "warning",
    )
    makers.complete(here, text="A second one", source="")
    assert severity(here, "missing_metadata") == "warning"
    save_threshold(here, "missing_metadata", None, 2, "it is")
    assert severity(here, "missing_metadata") == "error"
    assert latest_report(here).findings[0].severity == kept.worst == "warning"
    assert latest_report(here).findings[0].limits == Limits(1, None)


def test_versions_are_kept_with_who_and_why(here):
    for number, moment in ((3, "2026-03-01 09:00"), (5, "2026-03-02 09:00")):
        with clock.at(make.instant(moment)):
            save_threshold(here, "junk", number, None, f"because of {number}")
    newest, first = versions(here, "junk")
    assert [(row.version, row.warning_from, row.actor) for row in (newest, first)] == [
        (2, 5, "person:ann"),
        (1, 3, "person:ann"),
    ]
    assert newest.reason == "because of 5"
    assert newest.at - first.at == timedelta(days=1)
    assert threshold_of(here, "junk") == Limits(5, None)
    assert versions(make.scope(make.workspace("there")), "junk") == []


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf])
def test_a_share_lies_between_0_and_1(here, value):
    assert refused(here, value, None) == ["warning_from"]
    assert refused(here, None, value) == ["error_from"]


@pytest.mark.parametrize("value", [-1, math.nan, math.inf])
def test_a_number_of_rows_is_not_below_0(here, value):
    assert refused(here, value, None, check_id="junk") == ["warning_from"]


def test_an_error_does_not_begin_below_a_warning(here):
    assert refused(here, 0.5, 0.4) == ["error_from"]
    assert save_threshold(here, "low_confidence", 0.4, 0.4, "at once").version == 1


def test_what_already_rules_a_long_reason_and_an_unknown_check_are_refused(here):
    own = checks()["low_confidence"].limits
    assert refused(here, *own) == ["warning_from"]
    assert refused(here, 0.3, None, reason="x" * 501) == ["reason"]
    with pytest.raises(UnknownCheck):
        save_threshold(here, "nonsense", 1, None)
    with pytest.raises(ScopeError):
        save_threshold(here.narrow("ann"), "junk", 2, None)
    assert not Threshold.objects.exists()


def test_a_report_tells_unit_and_limits(here):
    found = run_report(here, ["low_confidence"]).findings[0].to_dict()
    assert (found["unit"], found["limits"]) == ("share", [0.1, 0.5])
