import pytest

from memory.models import Memory
from tests import factories as make
from tests.audit.diagnose.cases import answered, causes, fixes, of_question, of_record

pytestmark = pytest.mark.django_db
SYMPTOM = "irrelevant"


def test_what_answers_less_stands_before_what_answers_for_its_importance():
    lifted = make.remember(text="灯塔附近禁止停车", kind="rule", importance=5)
    make.remember(text="灯塔灯泡的更换周期是三个月", kind="other", importance=1)
    for number in range(6):
        make.remember(text=f"码头 {number} 号泊位归渔船用", kind="event", occurred_at=None)
    found = of_question(SYMPTOM, "灯塔灯泡")
    assert found.cause.link == "rank"
    assert "importance lifts it" in found.sentence
    assert str(lifted.public_id) in found.cause.fixes[0].url


def test_nothing_that_answers_is_told_with_the_terms_that_nobody_holds():
    make.remember(text="灯塔附近禁止停车", kind="rule")
    found = of_question(SYMPTOM, "灯塔管理员的电话号码和值班时间表")
    assert found.cause.link == "retrieval"
    assert "电话" in found.sentence
    assert fixes(found)[-1] == "ask_with_term"


def test_what_waits_for_review_and_answers_better_is_offered():
    make.remember(text="灯塔附近禁止停车", kind="rule")
    held = make.remember(
        text="值班时间表挂在灯塔二楼", kind="fact", confidence=0.2, source="inferred"
    )
    assert held.status == "candidate"
    found = of_question(SYMPTOM, "管理员的电话号码和值班时间表，还有灯塔钥匙放哪里")
    assert found.cause.link == "retrieval"
    assert "approve" in fixes(found)


def test_weak_ones_beside_a_strong_one_are_told_at_the_context():
    make.remember(text="王经理的过敏原是花生和虾", kind="fact", importance=5)
    make.remember(text="经理例会的茶水由前台准备", kind="other", importance=1)
    found = of_question(SYMPTOM, "王经理的过敏原是什么")
    assert found.cause.link == "context"
    assert fixes(found) == ["lower_limit"]
    assert "limit=1" in found.cause.fixes[0].url


def test_a_missed_memory_is_told_at_its_gate():
    memory = make.remember(text="缆绳存放在三号仓")
    make.remember(text="灯塔每晚八点亮")
    found = of_question(SYMPTOM, "灯塔几点亮", memory_id=memory.public_id)
    assert found.cause.link == "retrieval"
    assert "they share no term" in found.sentence
    assert found.cause.fixes


def test_an_index_that_holds_other_words_is_told_with_the_command():
    memory = make.remember(text="灯塔每晚八点亮")
    make.remember(text="缆绳每晚收好")
    gone = {"text": "缆绳存放在三号仓", "summary": "", "entity": "", "attribute": "", "value": ""}
    Memory.everywhere.filter(pk=memory.pk).update(**gone)
    found = of_question(SYMPTOM, "灯塔")
    assert found.cause.link == "retrieval"
    assert fixes(found) == ["reindex"]


def test_small_talk_was_not_searched():
    make.remember(text="灯塔每晚八点亮")
    found = of_question(SYMPTOM, "你好")
    assert found.cause.link == "retrieval"
    assert "small talk" in found.sentence


def test_an_empty_store_finds_nothing():
    found = of_question(SYMPTOM, "灯塔几点亮")
    assert found.cause.link == "retrieval"
    assert "finds nothing" in found.sentence


def test_a_healthy_answer_has_no_cause():
    make.remember(text="灯塔每晚八点亮")
    record = answered("灯塔每晚几点亮", "每晚八点亮。")
    found = of_record(SYMPTOM, record)
    assert causes(found) == []
    assert "the question that it means" in found.sentence


def test_in_english():
    make.remember(text="The lighthouse keeper may not park on the pier", kind="rule")
    found = of_question(SYMPTOM, "What is the invoice address of the crane supplier on the pier?")
    assert found.cause.link == "retrieval"
    assert "invoice" in found.sentence
