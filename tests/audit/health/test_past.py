"""Health as it was on another day."""

import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from audit.health import registry
from audit.health.figures import Report
from audit.health.past import past_report
from audit.health.report import run_report, save_report
from memory import clock
from memory.index.past import InTheFuture
from memory.models import Memory, Status
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.revise import plan_retract
from tests import factories as make
from tests.memory.api.calls import fields_named, get, owner

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")
DAY = timedelta(days=1)


def twice(text: str, **fields) -> list[Memory]:
    """The same statement in two rows, which the road in would not let through."""
    rows = [make.remember(text=text, **fields), make.remember(text=f"not {text}", **fields)]
    Memory.everywhere.filter(pk=rows[1].pk).update(text=text, fingerprint=rows[0].fingerprint)
    return rows


def story() -> Memory:
    """A statement stands twice from the first of March, and once from the third on."""
    with clock.at(START):
        one, _ = twice("Ann likes tea")
    with clock.at(START + 2 * DAY):
        apply(plan_retract(make.scope(), [one]).plan("retract", "twice"))
    return one


def on(day: int, scope=None) -> Report:
    return past_report(scope or make.scope(), START + day * DAY)


def finding(report: Report, name: str):
    return next(one for one in report.findings if one.id == name)


def test_a_check_finds_what_was_there():
    one = story()
    then = finding(on(1), "exact_duplicates")
    assert (then.count, then.total, then.severity) == (2, 2, "warning")
    assert str(one.public_id) in then.sample
    assert finding(on(2), "exact_duplicates").count == 0
    assert finding(on(-1), "exact_duplicates").total == 0


def test_the_report_is_that_of_its_day():
    """What a report said on its day is what today says of that day."""
    with clock.at(START):
        twice("Ann likes tea")
        make.remember(text="它到期了", expires_at=START + DAY, confidence=0.3)
    with clock.at(START + 2 * DAY):
        kept = run_report(make.scope())
    with clock.at(START + 3 * DAY):
        for row in Memory.everywhere.filter(status=Status.ACTIVE):
            planner = Planner(make.scope())
            planner.change(row, "retract", status=Status.RETRACTED)
            apply(planner.plan("retract", ""))
    then = on(2)
    for name in ("exact_duplicates", "expired_active", "missing_metadata", "low_confidence"):
        was, told = finding(kept, name), finding(then, name)
        assert (was.count, was.total, was.sample) == (told.count, told.total, told.sample)
    assert then.counts == kept.counts
    assert (then.at, then.as_of) == (START + 2 * DAY, START + 2 * DAY)


def test_what_cannot_tell_is_named_and_not_guessed():
    story()
    report = on(1)
    assert {"index_drift", "ledger_chain", "near_duplicates"} <= set(report.left_out)
    told = {one.id for one in report.findings}
    assert not told & set(report.left_out)
    assert told | set(report.left_out) == set(registry.checks())
    assert len(report.left_out_titles) == len(report.left_out)


def test_no_page_shows_the_rows_of_another_day():
    story()
    assert {one.url for one in on(1).findings} == {None}
    assert any(one.url for one in run_report(make.scope()).findings if one.count)


def test_the_present_is_untouched():
    story()
    before = run_report(make.scope())
    on(1)
    after = run_report(make.scope())
    assert before.counts == after.counts
    assert [(f.id, f.count) for f in before.findings] == [(f.id, f.count) for f in after.findings]


def test_it_is_not_kept_and_has_no_future():
    story()
    with pytest.raises(ValueError, match="not kept"):
        save_report(make.scope(), on(1))
    with pytest.raises(InTheFuture):
        past_report(make.scope(), clock.now() + DAY)


def test_another_workspace_has_its_own_past():
    story()
    other = make.scope(make.workspace("w2"))
    assert finding(on(1, other), "exact_duplicates").total == 0


def test_the_command(capsys):
    story()
    call_command("health", as_of=(START + DAY).isoformat(), format="json", workspace="w1")
    (report,) = json.loads(capsys.readouterr().out)["reports"]
    assert report["as_of"] == (START + DAY).isoformat()
    assert "index_drift" in report["left_out"]
    (duplicates,) = [one for one in report["checks"] if one["id"] == "exact_duplicates"]
    assert (duplicates["count"], duplicates["url"]) == (2, None)
    for format in ("text", "html", "junit"):
        call_command("health", as_of=(START + DAY).isoformat(), format=format, lang="en")
        told = capsys.readouterr().out
        assert ("Index drift" in told) == (format != "junit")


@pytest.mark.parametrize(
    "options",
    [{"as_of": "soon"}, {"as_of": "2999-01-01T00:00:00+00:00"}],
)
def test_the_command_could_not_run(options):
    story()
    with pytest.raises(CommandError) as refused:
        call_command("health", **options)
    assert refused.value.returncode == 2


def test_the_command_keeps_no_past():
    story()
    with pytest.raises(CommandError, match="not kept"):
        call_command("health", save=True, as_of=START.isoformat())


def test_the_api():
    story()
    answer = get(owner(), "/health", as_of=(START + DAY).isoformat())
    (duplicates,) = [one for one in answer.data["checks"] if one["id"] == "exact_duplicates"]
    assert duplicates["count"] == 2
    assert answer.data["as_of"] == (START + DAY).isoformat()
    assert get(owner(name="b"), "/health").data["as_of"] is None
    for as_of in ("soon", "2999-01-01T00:00:00+00:00"):
        assert fields_named(get(owner(name=as_of[:4]), "/health", as_of=as_of)) == {"as_of"}
    bound = owner(user_id="ann", name="bound")
    assert get(bound, "/health", as_of=START.isoformat()).problem == "outside_scope"
