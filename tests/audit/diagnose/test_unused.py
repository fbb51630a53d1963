import pytest

from memory.recall import RecallRequest
from memory.recall.road import recall
from memory.write.apply import apply
from memory.write.revise import find, plan_retract
from tests import factories as make
from tests.audit.diagnose.cases import answered, causes, fixes, of_question, of_record, step

pytestmark = pytest.mark.django_db
SYMPTOM = "unused"


def test_an_answer_without_what_the_context_said_is_the_models():
    memory = make.budget("7300")
    record = answered("我的预算是多少？", "我不清楚您的预算。")
    found = of_record(SYMPTOM, record, memory_id=memory.public_id)
    assert found.cause.link == "model"
    assert "7300" in found.sentence
    assert found.cause.evidence[0].kind == "line"


def test_an_answer_that_says_it_has_no_cause():
    memory = make.budget("7300")
    record = answered("我的预算是多少？", "您的预算是 7,300 元。")
    found = of_record(SYMPTOM, record, memory_id=memory.public_id)
    assert causes(found) == []
    assert "prompt" in found.sentence


def test_below_the_limit_is_told_at_the_rank_and_the_fix_raises_it():
    memory = make.remember(text="灯塔油漆剩两桶", importance=1, kind="other")
    for number in range(3):
        make.remember(text=f"灯塔 {number} 层油漆验收合格", importance=5, kind="rule")
    kept = recall(RecallRequest(make.scope(user_id="ann"), "灯塔油漆", limit=2)).record
    found = of_record(SYMPTOM, kept, memory_id=memory.public_id)
    assert found.cause.link == "rank"
    assert fixes(found) == ["raise_limit", "why_not"]
    assert "limit=4" in found.cause.fixes[0].url
    assert len(found.cause.evidence) == 4


def test_no_room_is_told_at_the_context():
    memory = make.remember(text="灯塔油漆要防锈的，" * 6, importance=1, kind="other")
    make.remember(text="灯塔油漆剩两桶", importance=5, kind="rule")
    kept = recall(RecallRequest(make.scope(user_id="ann"), "灯塔油漆", budget_tokens=150)).record
    found = of_record(SYMPTOM, kept, memory_id=memory.public_id)
    assert found.cause.link == "context"
    assert fixes(found) == ["raise_budget", "why_not"]


def test_a_summary_that_leaves_the_value_out_is_told():
    memory = make.remember(
        entity="灯塔", attribute="油漆", value="两桶", text="灯塔油漆剩两桶", kind="fact",
        summary="灯塔油漆还有剩",
    )  # fmt: skip
    found = of_question(SYMPTOM, "灯塔油漆", memory_id=memory.public_id)
    assert found.cause.link == "context"
    assert "leaves out its value" in found.sentence


def test_the_middle_of_a_long_context_is_told():
    rows = [
        make.remember(
            entity=f"灯塔{number}号", attribute="钥匙", value=f"挂钩{number}", kind="fact",
            text=f"灯塔{number}号的钥匙在挂钩{number}", importance=3,
        )
        for number in range(8)
    ]  # fmt: skip
    record = answered("灯塔的钥匙在哪", "不知道。")
    lines = [row for block in ("facts",) for row in record.blocks[block]]
    memory = next(row for row in rows if str(row.public_id) == lines[4])
    found = of_record(SYMPTOM, record, memory_id=memory.public_id)
    assert found.cause.link == "context"
    assert "middle" in found.sentence
    edge = next(row for row in rows if str(row.public_id) == lines[0])
    assert of_record(SYMPTOM, record, memory_id=edge.public_id).cause.link == "model"


def test_a_retracted_memory_is_told_at_its_freshness():
    memory = make.budget("7300")
    apply(plan_retract(make.scope(), [find(make.scope(), memory.public_id)]).plan("retract", "no"))
    found = of_question(SYMPTOM, "我的预算是多少？", memory_id=memory.public_id)
    assert "freshness" in causes(found)
    assert "restore" in [fix.kind for fix in step(found, "freshness").fixes]


def test_without_an_answer_the_model_cannot_be_judged():
    memory = make.budget("7300")
    found = of_question(SYMPTOM, "我的预算是多少？", memory_id=memory.public_id)
    assert step(found, "model").verdict == "cannot_tell"
    given = of_question(
        SYMPTOM, "我的预算是多少？", memory_id=memory.public_id, answer="I do not know."
    )
    assert given.cause.link == "model"


def test_in_english():
    memory = make.remember(
        entity="Mia", attribute="seat", value="window", text="Mia prefers a window seat",
        kind="preference",
    )  # fmt: skip
    record = answered("Which seat does Mia prefer?", "I booked her an aisle seat.")
    found = of_record(SYMPTOM, record, memory_id=memory.public_id)
    assert found.cause.link == "model"
    assert "window" in found.sentence
