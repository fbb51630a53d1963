"""The report: its figures, its shape, and the reports kept."""

import json
import threading
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection
from django.utils import translation

from audit.health.check import Severity
from audit.health.registry import UnknownCheck, checks
from audit.health.report import latest_report, run_report, run_reports, save_report
from audit.models import HealthReport
from memory import clock
from memory.index.storage import one_view
from memory.models import Memory, ScopeError, Status, UnscopedQuery
from tests import factories as make

from . import makers


def test_counts_are_by_state_and_of_the_scope(here, there):
    makers.complete(here, text="The door is green")
    makers.retracted(here, text="门是红的")
    makers.complete(there, text="The door is blue")
    counts = run_report(here).counts
    assert set(counts) == set(Status.values)
    assert {status: n for status, n in counts.items() if n} == {"active": 1, "retracted": 1}


def test_the_worst_finding_names_the_report_and_comes_first(here):
    makers.overdue(here, text="The voucher")
    assert run_report(here).worst == "warning"
    makers.lose_from_index(makers.complete(here, text="找不到的一条"))
    report = run_report(here)
    assert report.worst == "error"
    assert [f.severity for f in report.findings[:2]] == ["error", "warning"]


def test_only_the_checks_asked_for_run(here):
    makers.overdue(here, text="The voucher")
    report = run_report(here, ["missing_metadata"])
    assert [f.id for f in report.findings] == ["missing_metadata"]
    assert report.worst == "ok"
    with pytest.raises(UnknownCheck):
        run_report(here, ["no_such_check"])


def test_a_dict_of_it_is_plain_json_in_the_readers_language(here):
    makers.twins(here, "楼下有咖啡")
    with translation.override("en"):
        body = json.loads(json.dumps(run_report(here).to_dict()))
    assert body["workspace"] == "here"
    assert {item["id"] for item in body["checks"]} == set(checks())
    found = next(item for item in body["checks"] if item["id"] == "exact_duplicates")
    assert (found["title"], found["count"], found["share"]) == ("Exact duplicates", 2, 1.0)
    assert found["notes"] == ["1 statement is repeated"]
    assert all(found[word] for word in ("why", "advice", "url", "sample"))


def test_reports_of_many_scopes_look_at_shared_things_once(here, there, monkeypatch):
    looks = []
    check = checks()["ledger_chain"]
    monkeypatch.setattr(check, "look", lambda: looks.append(1))
    reports = run_reports([here, there])
    assert [report.workspace for report in reports] == ["here", "there"]
    assert len(looks) == 1


def test_a_kept_report_reads_as_it_was(here):
    makers.overdue(here, text="The voucher")
    report = run_report(here)
    kept = save_report(here, report)
    assert (kept.worst, kept.at) == ("warning", report.at)
    assert latest_report(here) == report


def test_the_latest_is_the_newest_of_its_own_workspace(here, there):
    assert latest_report(here) is None
    save_report(there, run_report(there))
    assert latest_report(here) is None
    save_report(here, run_report(here))
    makers.overdue(here, text="The voucher")
    with clock.at(clock.now() + timedelta(minutes=1)):
        save_report(here, run_report(here))
    assert latest_report(here).worst == "warning"
    assert latest_report(there).worst == "ok"


def test_a_check_that_is_gone_leaves_kept_reports_readable(here):
    kept = save_report(here, run_report(here))
    kept.body["checks"][0]["id"] = "from_an_older_version"
    kept.save()
    assert len(latest_report(here).findings) == len(checks()) - 1


def test_a_scope_of_one_user_neither_keeps_nor_reads_reports(here):
    bound = here.narrow("ann")
    with pytest.raises(ScopeError):
        save_report(bound, run_report(bound))
    with pytest.raises(ScopeError):
        latest_report(bound)
    with pytest.raises(UnscopedQuery):
        HealthReport.objects.all()


def test_the_database_knows_three_results(here):
    kept = save_report(here, run_report(here))
    kept.worst = "splendid"
    with pytest.raises(IntegrityError, match="report_known_worst"):
        kept.save()


def test_severities_are_ordered():
    assert Severity.worst([]) == "ok"
    assert Severity.worst(["warning", "error", "ok"]) == "error"
    assert Severity.reaches("error", "warning")
    assert not Severity.reaches("ok", "warning")


@pytest.mark.django_db(transaction=True)
def test_one_view_stands_still_and_holds_up_no_writer():
    scope = make.scope(make.workspace("here"))
    failures = []

    def write():
        try:
            makers.complete(scope, text="Written meanwhile")
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    with one_view():
        before = Memory.objects.within(scope).count()
        writer = threading.Thread(target=write)
        writer.start()
        writer.join(10)
        assert not writer.is_alive()
        assert Memory.objects.within(scope).count() == before == 0
    assert failures == []
    assert Memory.objects.within(scope).count() == 1
    assert connection.transaction_mode == "IMMEDIATE"
