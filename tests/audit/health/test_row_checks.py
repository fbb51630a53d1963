"""The checks that ask the rows themselves: a row that each must find, and rows that it must not."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import connection

from memory import clock
from memory.models import DuplicatePair, Kind, PairState, Status, Turn
from memory.write.apply import apply
from memory.write.revise import plan_confirm
from memory.write.sameness import keep_apart
from tests import factories as make

from . import makers
from .found import finding, finds

pytestmark = pytest.mark.django_db


def pair(scope, first, second, **fields):
    return DuplicatePair.everywhere.create(
        workspace_id=scope.workspace_id, user_id=first.user_id, first=first.public_id,
        second=second.public_id, score=0.8, found_at=clock.now(), **fields,
    )  # fmt: skip


def test_near_duplicates_are_the_two_of_a_pair_that_waits(here, there):
    one = makers.complete(here, text="打印机在二楼走廊尽头")
    other = makers.complete(here, text="二楼走廊的尽头放着打印机", agent_id="planner")
    makers.complete(here, text="The kettle hums")
    DuplicatePair.everywhere.all().delete()
    kept = pair(here, one, other)
    assert finds(here, "near_duplicates", one, other).detail == {"pairs": 1}
    finds(there, "near_duplicates")
    keep_apart(here, [kept], "two printers")
    finds(here, "near_duplicates")


def test_a_pair_whose_one_side_is_over_or_merged_does_not_wait(here):
    one = makers.complete(here, text="The lamp is by the window")
    over = makers.retracted(here, text="A lamp stands beside the window", agent_id="planner")
    third = makers.complete(here, text="窗边有一盏灯", agent_id="clerk")
    DuplicatePair.everywhere.all().delete()
    pair(here, one, over)
    pair(here, one, third, state=PairState.MERGED)
    finds(here, "near_duplicates")


def test_a_few_look_alikes_are_told_and_are_no_warning(here):
    rows = [makers.complete(here, text=f"Room {n} has {n * 7} seats") for n in range(50)]
    DuplicatePair.everywhere.all().delete()
    pair(here, rows[0], rows[1])
    found = finding(here, "near_duplicates")
    assert (found.severity, found.count, found.share) == ("ok", 2, 0.04)
    pair(here, rows[2], rows[3])
    assert finding(here, "near_duplicates").severity == "warning"


def valued(scope, value, **fields):
    named = {"entity": "Kiln", "attribute": "温度", "value": value, "kind": "fact"}
    return makers.complete(scope, **named | fields)


def test_two_agents_with_two_values_of_one_thing_conflict(here, there):
    one = valued(here, "900", agent_id="helper")
    other = valued(here, "950", agent_id="planner")
    valued(here, "900", attribute="颜色", agent_id="planner")
    valued(here, "990", user_id="bo")
    valued(there, "999", agent_id="planner")
    found = finds(here, "conflicting_actives", one, other)
    assert found.detail == {"same_agent": 0, "agents": 2, "waiting": 0}
    assert (found.severity, found.notes) == (
        "warning",
        ["with another value only under another agent: 2"],
    )


def test_rows_from_before_their_policy_wanted_one_value_conflict(here):
    make.policy("fact", of=make.workspace("here"), single_valued=False)
    one, other = valued(here, "红"), valued(here, "蓝")
    finds(here, "conflicting_actives")
    make.policy("fact", of=make.workspace("here"), single_valued=True)
    found = finds(here, "conflicting_actives", one, other)
    assert found.detail == {"same_agent": 2, "agents": 0, "waiting": 0}


def test_a_domain_of_many_values_has_no_conflicts(here):
    make.policy("fact", "paint", of=make.workspace("here"), single_valued=False)
    valued(here, "red", domain="paint"), valued(here, "blue", domain="paint")
    finds(here, "conflicting_actives")


def test_the_same_value_spelt_otherwise_or_over_is_no_conflict(here):
    valued(here, "1200", agent_id="helper")
    valued(here, "１２００", agent_id="planner")
    later = clock.now() + timedelta(hours=1)
    valued(here, "1300", agent_id="clerk", expires_at=later)
    assert finding(here, "conflicting_actives").count == 3
    with clock.at(later):
        finds(here, "conflicting_actives")


def test_what_waits_against_a_current_value_is_counted_until_that_is_gone(here):
    current = valued(here, "900", source="user_said", confidence=0.9)
    rival = valued(here, "880", source="inferred", confidence=0.9)
    assert (rival.status, rival.conflicts_with) == (Status.CANDIDATE, current.public_id)
    assert finds(here, "conflicting_actives", rival).detail["waiting"] == 1
    makers.altered(current, status=Status.RETRACTED)
    finds(here, "conflicting_actives")


def test_low_confidence_is_below_what_the_policy_needs(here, there):
    weak = makers.altered(makers.complete(here, text="也许在五楼"), confidence=0.4)
    makers.altered(makers.complete(here, text="At the threshold"), confidence=0.5)
    makers.altered(makers.complete(here, text="Nobody said"), confidence=None)
    makers.altered(makers.retracted(here, text="Taken back"), confidence=0.1)
    makers.altered(makers.complete(there, text="Elsewhere"), confidence=0.1)
    assert finds(here, "low_confidence", weak).severity == "warning"


def test_each_kind_and_domain_has_its_own_threshold(here):
    space = make.workspace("here")
    make.policy("rule", of=space, threshold=0.8)
    make.policy("rule", "safety", of=space, threshold=0.2)
    strict = makers.complete(here, text="Lock the door", kind="rule")
    lax = makers.complete(here, text="Wear gloves", kind="rule", domain="safety")
    plain = makers.complete(here, text="门是木头的", kind="fact")
    for row in (strict, lax, plain):
        makers.altered(row, confidence=0.6)
    finds(here, "low_confidence", strict)
    makers.altered(lax, confidence=0.1)
    finds(here, "low_confidence", strict, lax)


def aged(scope, days, **fields):
    with clock.at(clock.now() - timedelta(days=days)):
        return makers.complete(scope, occurred_at=clock.now(), **fields)


@pytest.mark.parametrize(
    ("kind", "days"),
    [("preference", 60), ("fact", 180), ("task_state", 30), ("rule", 730)],
)
def test_unconfirmed_for_two_half_lives_and_never_under_a_month(here, kind, days):
    aged(here, days - 0.1, text=f"早一点的{kind}", kind=kind)
    late = aged(here, days + 0.1, text=f"An old {kind}", kind=kind)
    found = finds(here, "unconfirmed_long", late)
    assert found.notes[0].startswith("the oldest was last confirmed at ")


def test_a_confirmation_starts_the_time_anew(here):
    old = aged(here, 90, text="I like the window seat", kind="preference")
    finds(here, "unconfirmed_long", old)
    apply(plan_confirm(here, old).plan("confirm", "asked again"))
    finds(here, "unconfirmed_long")


def test_events_and_history_need_no_confirming(here):
    aged(here, 900, text="去年搬了家", kind=Kind.EVENT)
    makers.altered(aged(here, 900, text="An old rule", kind="fact"), status=Status.RETRACTED)
    finds(here, "unconfirmed_long")


def test_a_policy_says_how_long_is_long(here):
    aged(here, 40, text="Stock is counted on Mondays", kind="fact")
    finds(here, "unconfirmed_long")
    make.policy("fact", of=make.workspace("here"), half_life_hours=24)
    assert finding(here, "unconfirmed_long").count == 1


def test_never_recalled_is_old_and_was_never_served(here, there):
    unused = aged(here, 31, text="没人问过的事")
    dropped = aged(here, 31, text="Found and dropped")
    makers.served(here, dropped, stale=False, rank=None)
    used = aged(here, 31, text="Asked for once")
    makers.served(here, used, stale=False, days_ago=30)
    aged(here, 29, text="Still young")
    aged(there, 31, text="Elsewhere")
    found = finds(here, "never_recalled", unused, dropped)
    assert found.severity == "ok"
    assert found.limits.warning_from == 0.9


def quoting(scope, content="我们周三出发去苏州", quote="周三出发", **fields):
    turn = make.turn(scope, content)
    return makers.complete(scope, text=quote, turn_id=turn.public_id, quote=quote, **fields)


def test_sound_evidence_is_no_orphan(here):
    quoting(here)
    quoting(here, "We meet 😀 at the café tonight", "at the café")
    makers.complete(here, text="Without evidence")
    finds(here, "orphan_evidence")


def test_a_quote_away_from_its_place_is_an_orphan(here):
    moved = quoting(here)
    makers.altered(moved, evidence_start=0, evidence_end=4)
    beyond = quoting(here, "The gate code is on the board", "on the board")
    makers.altered(beyond, evidence_end=999)
    changed = quoting(here, "早会改到九点半", "九点半")
    Turn.everywhere.filter(public_id=changed.turn_id).update(content="早会改到十点整")
    found = finds(here, "orphan_evidence", moved, beyond, changed)
    assert found.detail == {"lost": 0, "outside": 1, "moved": 2}
    assert len(found.notes) == 2


def test_a_turn_that_is_gone_is_told(here):
    cut = makers.altered(quoting(here), turn=None)
    lost = quoting(here, "The van is blue", "is blue")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA defer_foreign_keys = ON")
        cursor.execute(
            "UPDATE memory_memory SET turn_id = %s WHERE id = %s", [uuid4().hex, lost.pk]
        )
    assert finds(here, "orphan_evidence", cut, lost).detail["lost"] == 2
    makers.altered(lost, turn=None, quote="", evidence_start=None, evidence_end=None)
    finds(here, "orphan_evidence", cut)


def test_what_was_masked_or_blotted_out_on_purpose_is_no_orphan(here):
    masked = quoting(here, "打我手机13800138000", "手机13800138000")
    makers.altered(masked, quote="手机138****8000")
    blotted = quoting(here, "My locker is 77 and hers is 78", "locker is 77")
    Turn.everywhere.filter(public_id=blotted.turn_id).update(
        content="My ██████ is 77 and hers is 78", erased_at=clock.now()
    )
    finds(here, "orphan_evidence")
