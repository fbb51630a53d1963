"""What counts as no longer valid, and by which of the three ways it was handed out."""

from datetime import timedelta
from uuid import uuid4

import pytest

from audit.findings.judge import IN_FLIGHT, judge
from memory import clock
from memory.models import Change, Memory, Recall
from memory.recall.record import add_outcome
from memory.write.apply import apply
from memory.write.revise import plan_restore
from memory.write.sweep import expire_due
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db
START = make.instant("2026-05-04 08:00")
HOUR = timedelta(hours=1)


def judged(record: Recall) -> list[tuple[str, str]]:
    return [(one.how, one.status) for one in judge(make.scope(), [record])]


def fee(value: str) -> Memory:
    return make.remember(
        text=f"运费是{value}元", entity="运费", attribute="金额", value=value, kind="fact",
        occurred_at=clock.now(),
    )  # fmt: skip


def raised() -> tuple[Memory, Memory]:
    """The fee of START and the one that superseded it an hour later."""
    with clock.at(START):
        old = fee("30")
    with clock.at(START + HOUR):
        return old, fee("45")


def test_what_is_active_is_in_order():
    assert judged(makers.recorded(fee("30"))) == []


def test_a_flag_in_the_record_is_believed():
    memory = fee("30")
    assert judged(makers.recorded(memory, status="retracted", stale=True)) == [
        ("given", "retracted")
    ]
    assert judged(makers.recorded(memory, status="active", stale=True)) == [("given", "expired")]


@pytest.mark.parametrize("status", ["", "active"])
def test_a_record_that_says_active_is_held_against_the_ledger(status):
    old, _new = raised()
    record = makers.recorded(old, at=START + 2 * HOUR, status=status)
    assert judged(record) == [("given", "superseded")]


def test_what_was_invalid_before_and_after_may_have_been_valid_between():
    with clock.at(START):
        old = fee("30")
    with clock.at(START + 2 * HOUR):
        fee("45")
    assert judged(makers.recorded(old, at=START + HOUR)) == []
    assert judged(makers.recorded(old, at=START - HOUR)) == []


@pytest.mark.parametrize("swept", [False, True])
def test_time_alone_makes_a_memory_invalid(swept):
    with clock.at(START):
        memory = make.remember(text="仓库还剩两箱", expires_at=START + HOUR)
    before = makers.recorded(memory, at=START + HOUR - timedelta(seconds=1))
    after = makers.recorded(memory, at=START + HOUR)
    if swept:
        with clock.at(START + 3 * HOUR):
            assert expire_due() == 1
    assert judged(before) == []
    assert judged(after) == [("given", "expired")]


def test_a_memory_that_no_ledger_knows():
    assert judged(makers.recorded(uuid4())) == [("given", "unknown")]


def test_a_memory_of_another_workspace_is_one_that_this_ledger_does_not_know():
    foreign = make.remember(make.scope(make.workspace("w2")), text="their freight is 12")
    assert judged(makers.recorded(foreign)) == [("given", "unknown")]


def test_an_erased_memory_is_known_by_its_ledger():
    with clock.at(START):
        memory = fee("30")
    last = Change.objects.get(memory_id=memory.public_id)
    Change.objects.create(
        batch=last.batch, memory_id=memory.public_id, fact=memory.fact, at=START + HOUR,
        action="erase", status_before="active", status_after="", revision_after=2,
        payload_digest="x", previous_hash=last.hash, hash="y",
    )  # fmt: skip
    Memory.everywhere.filter(pk=memory.pk).delete()
    assert judged(makers.recorded(memory, at=START + 2 * HOUR)) == [("given", "erased")]
    assert judged(makers.recorded(memory, at=START)) == []


def test_it_became_invalid_before_the_answer():
    with clock.at(START):
        old = fee("30")
    with clock.at(START + HOUR):
        record = make.ask("运费多少").record
    with clock.at(START + 2 * HOUR):
        fee("45")
        assert judged(record) == []
    with clock.at(START + 3 * HOUR):
        add_outcome(record, prompt="…", answer="三十元")
    assert judged(record) == [("answered", "superseded")]
    assert judge(make.scope(), [record])[0].memory_id == old.public_id


def test_it_became_invalid_after_the_answer():
    with clock.at(START):
        fee("30")
    with clock.at(START + HOUR):
        record = add_outcome(make.ask("运费多少").record, prompt="…", answer="三十元")
    with clock.at(START + 2 * HOUR):
        fee("45")
    assert judged(record) == []


def test_its_time_ran_out_before_the_answer():
    with clock.at(START):
        make.remember(text="优惠券满百减十", expires_at=START + HOUR)
        record = make.ask("优惠券").record
    with clock.at(START + HOUR):
        add_outcome(record, prompt="…", answer="满百减十")
    assert judged(record) == [("answered", "expired")]


def test_a_record_of_another_system_is_called_imported():
    old, new = raised()
    late = START + 2 * HOUR
    assert judged(makers.recorded(old, at=late, surface="imported")) == [("imported", "superseded")]
    assert judged(makers.recorded(new, at=late, surface="imported")) == []
    between = makers.recorded(old, at=START, answered_at=late, surface="imported")
    assert judged(between) == [("imported", "superseded")]


def test_a_question_about_the_past_asks_for_what_is_no_longer_valid():
    old, _new = raised()
    with clock.at(START + 2 * HOUR):
        record = make.ask("运费多少", as_of=START).record
        assert [row.memory_id for row in record.candidates.filter(rank=1)] == [old.public_id]
    assert judged(record) == []
    flagged = makers.recorded(old, at=START + 2 * HOUR, as_of=START, stale=True)
    assert judged(flagged) == []


def test_what_was_found_but_not_given_is_in_order():
    memory = makers.retracted(text="旧运费")
    record = makers.recorded(memory, rank=None, gate="limit", stale=True, status="retracted")
    assert judged(record) == []


def test_turns_are_no_memories():
    said = make.turn(content="运费多少")
    assert judged(makers.recorded(uuid4(), memory_id=None, turn_id=said.public_id)) == []


@pytest.mark.parametrize(
    ("seen", "surface", "gap", "expected"),
    [
        (1, "api", timedelta(0), []),
        (2, "api", timedelta(0), [("given", "superseded")]),
        (1, "imported", timedelta(0), [("imported", "superseded")]),
        (1, "api", IN_FLIGHT, [("given", "superseded")]),
    ],
)
def test_a_change_that_was_not_committed_yet_could_not_be_seen(seen, surface, gap, expected):
    old, _new = raised()
    record = makers.recorded(
        old, at=START + HOUR + gap, surface=surface, status="active", revision=seen
    )
    assert judged(record) == expected


def test_restored_is_valid_again():
    with clock.at(START):
        memory = makers.retracted(text="码头七点开")
    wrong = makers.recorded(memory, at=START + HOUR)
    with clock.at(START + 2 * HOUR):
        apply(plan_restore(make.scope(), memory).plan("restore", ""))
    assert judged(wrong) == [("given", "retracted")]
    assert judged(makers.recorded(memory, at=START + 3 * HOUR)) == []
