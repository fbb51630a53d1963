"""The scan reads everything once, whoever runs it and however often."""

import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit.findings import scan as scanning
from audit.findings.scan import is_behind, scan
from audit.findings.work import ignore, resolve
from audit.models import Finding, FindingEvent, Occurrence, ScanMark
from memory import clock
from memory.recall.record import add_outcome
from memory.write.queue import QueueTimeout
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db
START = make.instant("2026-05-04 08:00")
HOUR = timedelta(hours=1)


def found() -> list[Finding]:
    scan(make.scope())
    return makers.findings()


def verbs(finding: Finding) -> list[str]:
    return [event.verb for event in finding.events.all()]


def test_each_of_the_three_ways_makes_a_finding():
    given = makers.recorded(makers.retracted(text="旧的账号"), stale=True, status="retracted")
    imported = makers.recorded(makers.retracted(text="the old pier"), surface="imported")
    with clock.at(clock.now() + HOUR):
        make.budget("640")
        answered = make.ask("预算").record
    with clock.at(clock.now() + 2 * HOUR):
        make.budget("910")
        add_outcome(answered, prompt="…", answer="640")
        done = scan(make.scope())
    assert (done.read, done.occurrences, done.is_behind) == (3, 3, False)
    rows = Occurrence.objects.order_by("pk").values_list("recall", "how", "status")
    assert set(rows) == {
        (given.pk, "given", "retracted"),
        (imported.pk, "imported", "retracted"),
        (answered.pk, "answered", "superseded"),
    }
    assert len(makers.findings()) == 3


def test_a_clean_log_gives_no_finding():
    make.budget("640")
    make.ask("预算")
    done = scan(make.scope())
    assert (done.read, done.occurrences) == (1, 0)
    assert makers.findings() == []


def test_one_finding_a_memory_however_often():
    memory = makers.retracted(text="旧的账号", user_id="bo")
    with clock.at(START):
        first = makers.recorded(memory, stale=True, user_id="bo")
    with clock.at(START + HOUR):
        makers.recorded(memory, stale=True, user_id="bo")
        makers.recorded(memory, stale=True, user_id="bo", agent_id="planner")
    (finding,) = found()
    assert (finding.occurrences, finding.user_id, finding.state) == (3, "bo", "open")
    assert (finding.first_at, finding.last_at) == (START, START + HOUR)
    assert finding.found_in.count() == 3
    (event,) = finding.events.all()
    assert (event.verb, event.actor, event.text) == ("opened", "scan", str(first.public_id))


def test_a_memory_that_stands_twice_in_a_record_counts_once():
    memory = makers.retracted(text="旧的账号")
    record = makers.recorded(memory, stale=True)
    record.candidates.create(memory_id=memory.public_id, rank=2, stale=True)
    assert [one.occurrences for one in found()] == [1]


def test_a_second_scan_changes_nothing():
    makers.recorded(makers.retracted(text="旧的账号"), stale=True)
    state = [Finding, Occurrence, FindingEvent, ScanMark]
    found()
    before = [list(model._default_manager.values()) for model in state]
    again = scan(make.scope())
    assert (again.read, again.occurrences) == (0, 0)
    assert [list(model._default_manager.values()) for model in state] == before


def test_reading_from_the_start_again_changes_nothing():
    makers.recorded(makers.retracted(text="旧的账号"), stale=True)
    (before,) = found()
    ScanMark.objects.all().delete()
    (after,) = found()
    assert (after.occurrences, after.state, verbs(after)) == (1, "open", ["opened"])
    assert after == before


def test_an_idle_scan_writes_nothing_and_waits_for_nobody():
    makers.recorded(makers.retracted(text="旧的账号"), stale=True)
    found()
    with CaptureQueriesContext(connection) as seen:
        scan(make.scope())
    assert [q["sql"] for q in seen if not q["sql"].startswith("SELECT")] == []


def test_a_long_log_is_read_in_bites():
    for number in range(7):
        makers.recorded(makers.retracted(text=f"note {number}"), stale=True)
    steps = []
    while not steps or steps[-1].is_behind:
        steps.append(scan(make.scope(), most=3))
    assert [step.read for step in steps] == [3, 3, 1]
    assert len(makers.findings()) == 7
    assert not is_behind(make.scope())


def test_pages_are_all_read(monkeypatch):
    monkeypatch.setattr(scanning, "PAGE", 2)
    for number in range(5):
        makers.recorded(makers.retracted(text=f"note {number}"), stale=True)
    assert scan(make.scope(), most=None).read == 5
    assert len(makers.findings()) == 5


def test_answers_that_come_after_the_scan_are_read_by_the_next(monkeypatch):
    monkeypatch.setattr(scanning, "PAGE", 2)
    with clock.at(START):
        make.budget("640")
        records = [make.ask("预算").record for _ in range(5)]
        scan(make.scope())
    with clock.at(START + HOUR):
        make.budget("910")
        scan(make.scope())
        assert makers.findings() == []
        for record in records:
            add_outcome(record, prompt="…", answer="640")
        steps = [scan(make.scope(), most=2) for _ in range(4)]
    (finding,) = makers.findings()
    assert finding.occurrences == 5
    assert sum(step.read for step in steps) <= 5
    assert set(finding.found_in.values_list("how", flat=True)) == {"answered"}


@pytest.mark.parametrize(("before", "times"), [(1, 2), (60, 1)])
def test_an_answer_dated_before_the_last_scan_may_be_kept_after_it(before, times):
    """As long as an answer may wait for its turn to be written, and no longer."""
    with clock.at(START):
        make.budget("640")
        early, late = make.ask("预算").record, make.ask("我的预算").record
        scan(make.scope())
    with clock.at(START + HOUR):
        make.budget("910")
    end = START + 2 * HOUR
    with clock.at(end):
        add_outcome(early, prompt="…", answer="640")
        scan(make.scope())
    with clock.at(end - timedelta(seconds=before)):
        add_outcome(late, prompt="…", answer="640")
    with clock.at(end):
        scan(make.scope())
    assert [one.occurrences for one in makers.findings()] == [times]


def test_a_resolved_finding_opens_when_it_happens_again():
    memory = makers.retracted(text="旧的账号")
    with clock.at(START):
        makers.recorded(memory, stale=True)
        (finding,) = found()
    with clock.at(START + HOUR):
        resolve(make.scope(), finding, "the agent was restarted")
        assert [one.state for one in found()] == ["resolved"]
    with clock.at(START + 2 * HOUR):
        again = makers.recorded(memory, stale=True)
        (finding,) = found()
    assert (finding.state, finding.reopened, finding.occurrences) == ("open", 1, 2)
    assert verbs(finding) == ["opened", "resolved", "reopened"]
    assert finding.events.last().text == str(again.public_id)
    with clock.at(START + 3 * HOUR):
        resolve(make.scope(), finding, "now really")
        makers.recorded(memory, stale=True)
        assert [one.reopened for one in found()] == [2]


def test_what_happened_before_it_was_resolved_only_counts():
    memory = makers.retracted(text="旧的账号")
    with clock.at(START):
        makers.recorded(memory, stale=True)
        (finding,) = found()
    with clock.at(START + HOUR):
        makers.recorded(memory, stale=True)
    with clock.at(START + 2 * HOUR):
        resolve(make.scope(), finding, "known")
        (finding,) = found()
    assert (finding.state, finding.occurrences, finding.reopened) == ("resolved", 2, 0)


def test_an_ignored_finding_only_counts():
    memory = makers.retracted(text="旧的账号")
    makers.recorded(memory, stale=True)
    (finding,) = found()
    ignore(make.scope(), finding, "a test agent")
    makers.recorded(memory, stale=True)
    (finding,) = found()
    assert (finding.state, finding.occurrences, finding.reopened) == ("ignored", 2, 0)
    assert verbs(finding) == ["opened", "ignored"]


def test_workspaces_are_apart():
    there = make.scope(make.workspace("w2"))
    makers.recorded(makers.retracted(there, text="their note"), in_scope=there, stale=True)
    assert found() == []
    assert is_behind(there)
    scan(there)
    assert len(makers.findings(there)) == 1


def test_a_scope_of_one_user_scans_the_workspace_and_reads_its_own():
    makers.recorded(makers.retracted(text="a", user_id="ann"), stale=True)
    makers.recorded(makers.retracted(text="b", user_id="bo"), stale=True, user_id="bo")
    scan(make.scope(user_id="bo"))
    assert len(makers.findings()) == 2
    assert [one.user_id for one in makers.findings(make.scope(user_id="bo"))] == ["bo"]


def test_queries_do_not_grow_with_findings():
    def cost(number: int) -> int:
        for n in range(number):
            makers.recorded(makers.retracted(text=f"note {number} {n}"), stale=True)
        with CaptureQueriesContext(connection) as seen:
            scan(make.scope())
        return len(seen)

    assert cost(1) == cost(12) == cost(40)


def test_a_scan_that_gets_no_turn_says_so_and_loses_nothing(monkeypatch):
    def refuse(*_):
        raise QueueTimeout("busy")

    makers.recorded(makers.retracted(text="旧的账号"), stale=True)
    with monkeypatch.context() as patched:
        patched.setattr(scanning, "write_transaction", refuse)
        with pytest.raises(QueueTimeout):
            scan(make.scope())
    assert len(found()) == 1


@pytest.mark.django_db(transaction=True)
def test_scans_at_once_keep_each_occurrence_once():
    for number in range(30):
        makers.recorded(makers.retracted(text=f"note {number % 10}"), stale=True)
    errors, gate = [], threading.Barrier(4)

    def work():
        try:
            gate.wait()
            scan(make.scope())
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sum(one.occurrences for one in makers.findings()) == 30
    assert Occurrence.objects.count() == 30
    assert FindingEvent.objects.count() == len(makers.findings())
