from datetime import timedelta

import pytest

from memory import clock
from memory.models import Recall, Status
from memory.write.apply import apply
from memory.write.revise import find, plan_confirm, plan_retract
from tests import factories as make
from tests.audit.diagnose.cases import (
    ago,
    answered,
    causes,
    fixes,
    of_question,
    of_record,
    step,
    stock,
)

pytestmark = pytest.mark.django_db
SYMPTOM = "stale_answer"
QUESTION = "M 型号可发数量多少？"


def counted(days: int = 5, value: str = "300 件", **fields):
    """A count that its writer thought good for ten days, under a name of its own."""
    with ago(days=days):
        ends = clock.now() + timedelta(days=10)
        fields = {"attribute": "可发数量", "source": "user_said", "expires_at": ends} | fields
        return stock(value, **fields)


def retract(memory) -> None:
    apply(plan_retract(make.scope(), [find(make.scope(), memory.public_id)]).plan("retract", "old"))


def test_an_old_count_beside_a_newer_sync_is_the_cause_and_retracting_it_mends_it():
    old = counted()
    new = stock("52 件")
    record = answered(QUESTION, "M 型号可发 300 件。")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "freshness"
    assert "300 件" in found.sentence
    assert "52 件" in found.sentence
    named = {one.id for one in found.cause.evidence}
    assert {str(old.public_id), str(new.public_id)} <= named
    assert fixes(found)[0] == "expire"
    assert of_question(SYMPTOM, QUESTION).cause.link == "freshness"

    retract(old)
    assert causes(of_question(SYMPTOM, QUESTION)) == []
    after = of_record(SYMPTOM, record)
    assert causes(after) == []
    assert "not given any more" in step(after, "model").sentence


def test_the_limit_and_the_end_that_passed_it_by_are_shown():
    counted()
    stock("52 件")
    shown = [one.text for one in of_question(SYMPTOM, QUESTION).cause.evidence]
    assert "policy of inventory: 24 hours" in shown
    assert any("an end of its own" in text for text in shown)


def test_the_ledgers_entries_are_linked():
    old = counted()
    stock("52 件")
    seen = of_question(SYMPTOM, QUESTION).cause.evidence
    batches = [one for one in seen if one.kind == "batch"]
    assert len(batches) == 2
    assert batches[0].url == f"/activity/{batches[0].id}/"
    assert old.text in batches[0].text


def test_an_old_count_with_no_newer_one_has_outlived_its_kind():
    counted(days=2)
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "freshness"
    assert "24 hours" in found.sentence
    assert "confirm" in fixes(found)


def test_two_figures_of_today_under_two_names_are_two_things():
    stock("300 件", attribute="在途数量")
    stock("52 件")
    assert causes(of_question(SYMPTOM, "M 型号在途数量多少？")) == []


def test_another_measure_is_another_thing():
    counted(value="18 箱")
    stock("52 件")
    found = of_question(SYMPTOM, QUESTION)
    assert "52 件" not in found.sentence


def test_a_newer_value_that_the_question_does_not_find_is_told_at_retrieval():
    counted()
    stock("52 件", text="盘库同步：五十二件在架")
    found = of_question(SYMPTOM, "可发")
    assert found.cause.link == "retrieval"
    assert "expire" in fixes(found)


def test_what_nobody_has_confirmed_for_long_is_a_cause():
    with ago(days=80):
        memory = make.budget("4500", occurred_at=None)
    found = of_question(SYMPTOM, "我的预算是多少？")
    assert found.cause.link == "freshness"
    assert fixes(found)[0] == "confirm"
    apply(plan_confirm(make.scope(), find(make.scope(), memory.public_id)).plan("confirm", ""))
    assert causes(of_question(SYMPTOM, "我的预算是多少？")) == []


def test_an_expired_memory_that_was_missed_is_told_with_its_limit():
    with ago(days=3):
        memory = stock("77 件")
    found = of_question(SYMPTOM, "M 型号库存多少？", memory_id=memory.public_id)
    assert step(found, "freshness").is_cause
    assert memory.status == Status.ACTIVE


def test_a_figure_from_a_turn_of_the_log_is_told_at_the_context():
    make.turn(content="仓库里灯塔灯泡还有 640 个")
    record = answered("灯塔灯泡还有多少", "还有 640 个。")
    found = of_record(SYMPTOM, record)
    assert "context" in causes(found)
    assert step(found, "context").fixes[0].kind == "no_turns"


def test_a_fresh_store_has_no_cause_and_says_where_to_look():
    make.budget("900", occurred_at=None)
    record = answered("我的预算是多少？", "您的预算是 900 元。")
    found = of_record(SYMPTOM, record)
    assert causes(found) == []
    assert found.sentence.startswith("No cause was found here.")
    assert "cache" in found.sentence
    assert [one.verdict for one in found.steps] == ["fine"] * 5


def test_in_english():
    with ago(days=6):
        make.remember(
            entity="Lamp 9", attribute="ready", value="450 units", kind="inventory",
            text="450 units of the Lamp 9 are ready", source="user_said",
            expires_at=clock.now() + timedelta(days=20),
        )  # fmt: skip
    make.remember(
        entity="Lamp 9", attribute="on the shelf", value="61 units", kind="inventory",
        text="The shelf holds 61 units of the Lamp 9", source="external_sync",
    )  # fmt: skip
    record = answered("How many units of the Lamp 9 are ready?", "450 units are ready.")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "freshness"
    assert "61 units" in found.sentence


def test_nothing_is_recorded_and_nothing_changed():
    old = counted()
    stock("52 件")
    before = Recall.everywhere.count()
    of_question(SYMPTOM, QUESTION)
    assert Recall.everywhere.count() == before
    assert find(make.scope(), old.public_id).revision == old.revision
