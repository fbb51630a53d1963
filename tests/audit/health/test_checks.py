"""Each check against a row that it must find and rows that it must not."""

from datetime import timedelta

import pytest

from audit.findings.work import ignore, resolve
from audit.health.registry import UnknownCheck, checks, rows_of
from audit.health.report import run_report
from audit.models import Finding
from memory import clock
from memory.index import upkeep
from memory.models import Memory, Owner, Status
from memory.write.queue import QueueTimeout
from memory.write.sweep import expire_due

from . import makers
from .found import cost, finding, ids

pytestmark = pytest.mark.django_db


def agrees_with_its_rows(found, scope):
    """The number, the sample and the page behind them are one and the same set."""
    rows = rows_of(found.id, scope)
    return found.count == rows.count() and set(found.sample) == ids(*rows)


def test_every_module_of_the_folder_is_a_check_with_words():
    assert {"exact_duplicates", "ledger_chain"} <= set(checks())
    for check_id, check in checks().items():
        assert check.id == check_id
        assert all((str(check.title), str(check.why), str(check.advice)))
        assert check.severity in ("warning", "error")


def test_a_sound_store_has_no_findings(here):
    makers.complete(here, text="Tea is ordered from Linden & Co")
    makers.complete(here, text="周三下午不开会")
    report = run_report(here)
    assert report.worst == "ok"
    assert [f.id for f in report.findings if f.count or f.sample or f.url] == []


def test_duplicates_are_the_rows_that_say_the_same_for_one_user(here, there):
    pair = makers.twins(here, "茶水间在三楼")
    makers.complete(here, text="茶水间在三楼", user_id="bo")
    makers.complete(here, text="茶水间在四楼")
    makers.complete(there, text="茶水间在三楼")
    found = finding(here, "exact_duplicates")
    assert (found.severity, found.count, set(found.sample)) == ("warning", 2, ids(*pair))
    assert found.detail == {"statements": 1}
    assert agrees_with_its_rows(found, here)


def test_a_retracted_copy_is_no_duplicate(here):
    makers.complete(here, text="The printer is called Otto")
    makers.retracted(here, text="The printer is called Otto", agent_id="planner")
    assert finding(here, "exact_duplicates").count == 0


def test_expired_active_counts_only_what_is_over_and_still_active(here, there):
    late = makers.overdue(here, text="Two boxes of paper are left")
    makers.complete(here, text="还剩三箱", expires_at=clock.now() + timedelta(hours=1))
    makers.overdue(there, text="Nine boxes are left")
    found = finding(here, "expired_active")
    assert (found.severity, found.count, set(found.sample)) == ("warning", 1, ids(late))
    assert agrees_with_its_rows(found, here)
    assert found.notes


def test_a_memory_that_was_moved_to_expired_is_no_finding(here):
    makers.overdue(here, text="The guest code is valid today")
    assert expire_due() == 1
    assert finding(here, "expired_active").severity == "ok"


def test_the_moment_of_expiry_is_already_over(here):
    moment = clock.now() + timedelta(days=1)
    makers.complete(here, text="本周优惠", expires_at=moment)
    with clock.at(moment - timedelta(seconds=1)):
        assert finding(here, "expired_active").count == 0
    with clock.at(moment):
        assert finding(here, "expired_active").count == 1


@pytest.mark.parametrize(
    ("lack", "fields"),
    [
        ("user", {"user_id": ""}),
        ("agent_or_session", {"agent_id": "", "session_id": ""}),
        ("occurred_at", {"occurred_at": None}),
        ("source", {"source": ""}),
        ("confidence", {"source": "", "confidence": None}),
    ],
)
def test_each_missing_field_is_told_by_name(here, there, lack, fields):
    bare = makers.complete(here, text="会议室投影仪坏了", **fields)
    makers.complete(here, text="The projector was repaired")
    makers.complete(there, text="Another projector", **fields)
    found = finding(here, "missing_metadata")
    assert (found.severity, found.count, set(found.sample)) == ("warning", 1, ids(bare))
    assert found.detail[lack] == 1
    assert agrees_with_its_rows(found, here)


@pytest.mark.parametrize("kept", [{"agent_id": ""}, {"session_id": ""}])
def test_an_agent_or_a_session_is_enough(here, kept):
    makers.complete(here, text="The plants are watered on Fridays", **kept)
    assert finding(here, "missing_metadata").count == 0


def test_a_row_that_lacks_two_fields_is_counted_once(here):
    makers.complete(here, text="Somebody said something", user_id="", occurred_at=None)
    found = finding(here, "missing_metadata")
    assert found.count == 1
    assert (found.detail["user"], found.detail["occurred_at"]) == (1, 1)
    assert len(found.notes) == 2


def test_history_may_lack_metadata(here):
    makers.retracted(here, text="An old remark", source="", occurred_at=None)
    assert finding(here, "missing_metadata").count == 0


def test_invalidated_rows_that_reached_an_agent_are_errors(here, there):
    wrong = makers.retracted(here, text="交付日是六月一日")
    makers.served(here, wrong, stale=True)
    makers.served(here, wrong, stale=True, days_ago=3)
    right = makers.complete(here, text="交付日是六月八日")
    makers.served(here, right, stale=False)
    foreign = makers.retracted(there, text="Delivery is on June 2")
    makers.served(there, foreign, stale=True)
    found = finding(here, "invalidated_retrieved")
    assert (found.severity, found.count, set(found.sample)) == ("error", 1, ids(wrong))
    by_status = {Status.RETRACTED: 2}
    assert found.detail == {"days": 30, "servings": 2, "by_status": by_status, "behind": False}
    assert (found.total, found.share) == (3, 0.666667)
    assert agrees_with_its_rows(found, here)


def test_a_foreign_row_in_an_own_recall_is_told_by_the_id_that_the_record_has(here, there):
    foreign = makers.retracted(there, text="The other team's price")
    makers.served(here, foreign, stale=True)
    found = finding(here, "invalidated_retrieved")
    assert (found.severity, found.count, set(found.sample)) == ("error", 1, ids(foreign))
    assert found.detail["by_status"] == {"unknown": 1}
    assert not rows_of(found.id, here).exists()
    assert finding(there, "invalidated_retrieved").severity == "ok"


def test_what_was_dropped_is_no_finding(here):
    wrong = makers.retracted(here, text="The old wifi word")
    makers.served(here, wrong, stale=True, rank=None)
    assert finding(here, "invalidated_retrieved").severity == "ok"


def test_what_was_served_long_ago_is_an_error_as_long_as_it_is_open(here):
    makers.served(here, makers.retracted(here, text="旧的门禁码"), stale=True, days_ago=31)
    found = finding(here, "invalidated_retrieved")
    assert (found.severity, found.count, found.share) == ("error", 1, 0.0)
    assert (found.detail["servings"], found.notes) == (0, [])
    resolve(here, Finding.objects.within(here).get(), "已经换了新的门禁")
    assert finding(here, "invalidated_retrieved").severity == "ok"


def test_the_count_of_what_was_served_is_the_inbox_of_open_findings(here):
    for number in range(3):
        makers.served(here, makers.retracted(here, text=f"Wrong {number}"), stale=True)
    found = finding(here, "invalidated_retrieved")
    assert (found.count, found.url) == (3, "/inbox/")
    ignore(here, Finding.objects.within(here).first(), "a rehearsal")
    assert finding(here, "invalidated_retrieved").count == 2


def test_a_report_that_did_not_reach_the_end_of_the_log_says_so(here, monkeypatch):
    monkeypatch.setattr("audit.health.checks.invalidated_retrieved.MOST", 1)
    for number in range(2):
        makers.served(here, makers.retracted(here, text=f"Wrong {number}"), stale=True)
    found = finding(here, "invalidated_retrieved")
    assert (found.count, found.detail["behind"]) == (1, True)
    assert "manage.py findings" in found.notes[-1]
    assert finding(here, "invalidated_retrieved").detail["behind"] is False


def test_a_busy_store_is_judged_by_what_was_read_before(here, monkeypatch):
    def fail(*_):
        raise QueueTimeout("busy")

    makers.served(here, makers.retracted(here, text="The old tariff"), stale=True)
    monkeypatch.setattr("audit.health.checks.invalidated_retrieved.scan", fail)
    found = finding(here, "invalidated_retrieved")
    assert (found.count, found.detail["behind"]) == (0, True)


def test_a_memory_superseded_after_it_was_served_is_no_finding(here):
    first = makers.complete(here, entity="Kiln", attribute="温度", value="900", kind="fact")
    makers.served(here, first, stale=False)
    makers.complete(
        here, entity="Kiln", attribute="温度", value="950", kind="fact", occurred_at=clock.now()
    )
    first.refresh_from_db()
    assert first.status == Status.SUPERSEDED
    assert finding(here, "invalidated_retrieved").severity == "ok"


def test_a_row_missing_from_the_index_is_drift_of_its_own_workspace(here, there):
    lost = makers.complete(here, text="钥匙在前台")
    makers.complete(there, text="The spare key is upstairs")
    makers.lose_from_index(lost)
    found = finding(here, "index_drift")
    assert (found.severity, found.count, set(found.sample)) == ("error", 1, ids(lost))
    assert (found.detail["missing"], found.detail["elsewhere"]) == (1, False)
    assert agrees_with_its_rows(found, here)
    other = finding(there, "index_drift")
    assert (other.severity, other.count, other.sample) == ("ok", 0, ())
    assert other.detail["elsewhere"]
    assert other.notes


def test_a_retracted_row_left_in_the_recall_index_is_drift(here):
    wrong = makers.retracted(here, text="The alarm code is on the door")
    makers.leave_in_index(wrong.pk)
    found = finding(here, "index_drift")
    assert (found.detail["extra"], set(found.sample)) == (1, ids(wrong))


def test_an_index_row_of_no_memory_is_an_error_without_rows(here):
    makers.complete(here, text="A sound row")
    makers.leave_in_index(999_999)
    found = finding(here, "index_drift")
    assert (found.severity, found.count, found.url) == ("error", 0, None)
    assert found.detail["orphans"] == 1


def test_a_wrong_counter_is_told_to_its_own_workspace_only(here, there):
    makers.complete(here, text="One row here")
    makers.complete(there, text="One row there")
    Owner.objects.filter(workspace_id=here.workspace_id).update(active=7)
    assert finding(here, "index_drift").detail["counters"] == 1
    assert finding(there, "index_drift").detail["counters"] == 0


def test_a_rebuild_cures_drift(here):
    makers.lose_from_index(makers.complete(here, text="重建以后就好"))
    upkeep.rebuild()
    assert finding(here, "index_drift").severity == "ok"


def test_a_forged_entry_breaks_the_chain_for_all_but_is_shown_to_its_own(here, there):
    forged = makers.complete(here, text="The deposit is 300")
    makers.complete(there, text="押金是二百")
    makers.forge(forged)
    found = finding(here, "ledger_chain")
    assert (found.severity, found.count, set(found.sample)) == ("error", 1, ids(forged))
    assert found.detail["what"]
    other = finding(there, "ledger_chain")
    assert (other.severity, other.count, other.sample) == ("error", 0, ())
    assert other.detail == {"elsewhere": True, "entry": None, "at": None, "what": None}


def test_a_scope_of_one_user_counts_that_user_only(here):
    makers.twins(here, "Lunch is at noon", user_id="ann")
    makers.twins(here, "Lunch is at one", user_id="bo")
    found = finding(here.narrow("bo"), "exact_duplicates")
    assert found.count == 2
    rows = Memory.objects.within(here).filter(public_id__in=found.sample)
    assert {row.user_id for row in rows} == {"bo"}


@pytest.mark.parametrize("check_id", ["", "nonsense", "ledger_chain"])
def test_rows_of_what_has_no_rows_is_refused(here, check_id):
    with pytest.raises(UnknownCheck):
        rows_of(check_id, here)


def test_the_sample_is_short_and_the_link_names_the_check(here):
    for number in range(22):
        makers.complete(here, text=f"Shelf {number} is full", occurred_at=None)
    found = finding(here, "missing_metadata")
    assert (found.count, len(found.sample), found.more) == (22, 20, 2)
    assert found.url.endswith("?status=any&check=missing_metadata")


@pytest.mark.parametrize("check_id", sorted(checks()))
def test_the_number_of_queries_does_not_grow_with_rows(here, check_id):
    def add(number):
        makers.twins(here, f"Box {number} stands in aisle {number}", occurred_at=None)
        makers.overdue(here, text=f"Offer {number}")
        makers.lose_from_index(makers.complete(here, text=f"Lost {number}"))
        makers.served(here, makers.retracted(here, text=f"Wrong {number}"), stale=True)

    add(0)
    few = cost(here, check_id)
    for number in range(1, 6):
        add(number)
    assert cost(here, check_id) == few
