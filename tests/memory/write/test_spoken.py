"""What a user takes back in a dialogue: one clear fact is changed, anything else is asked."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Change, Correction, CorrectionState, Memory, Turn
from memory.recall.request import RecallRequest
from memory.recall.road import recall
from memory.write import intake
from memory.write.proposal import Proposal
from memory.write.remember import remember
from memory.write.spoken import takes_back
from memory.write.turns import Utterance
from tests import factories as make

pytestmark = pytest.mark.django_db


def say(*lines: str, session: str = "s1", user: str = "ann", **options) -> intake.Taken:
    said = [Utterance("user", line, user_id=user, session_id=session) for line in lines]
    return intake.take_in(make.scope(), said, Proposal(), **options)


def fact(entity: str, attribute: str, value: str, text: str, **kept: str) -> Memory:
    kept = {"user_id": "ann", "session_id": "s1"} | kept
    proposal = Proposal(
        **kept, entity=entity, attribute=attribute, value=value, text=text,
        kind="fact", source="user_said",
    )  # fmt: skip
    return remember(make.scope(), [proposal]).outcomes[0].memory


def asked(query: str, session: str = "s1", user: str = "ann"):
    return recall(RecallRequest(make.scope(user_id=user), query, session_id=session))


def values(attribute: str) -> list[tuple[str, str]]:
    rows = Memory.everywhere.filter(attribute=attribute).order_by("id")
    return [(row.value, row.status) for row in rows]


@pytest.mark.parametrize(
    ("attribute", "said", "value"),
    [
        ("装修预算", "不对，装修预算改成2600", "2600"),
        ("moving budget", "No, the moving budget is 2600.", "2600"),
    ],
)
def test_a_clear_one_is_put_right_with_the_turn_as_its_evidence(attribute, said, value):
    old = fact("user", attribute, "1800", f"{attribute} 1800")
    taken = say(said)
    (outcome,) = taken.outcomes
    assert (outcome.action, outcome.memory.value) == ("superseded", value)
    assert outcome.previous.public_id == old.public_id
    assert values(attribute) == [("1800", "superseded"), (value, "active")]
    turn = Turn.everywhere.get()
    assert (outcome.memory.turn_id, outcome.memory.quote) == (turn.public_id, said)
    correction = Correction.everywhere.get()
    assert (correction.state, correction.batch) == (CorrectionState.APPLIED, taken.batch)


def test_what_the_same_dialogue_said_before_can_be_taken_back():
    taken = say("我的装修预算是1800元", "不对，装修预算改成2600")
    assert [o.action for o in taken.outcomes] == ["added", "superseded"]
    assert [status for _, status in values("装修预算")] == ["superseded", "active"]


def test_where_several_fit_nothing_changes_and_it_is_asked():
    for entity in ("南湖项目", "北岸项目"):
        fact(entity, "预算", "1800", f"{entity}的预算是1800")
    taken = say("不对，预算改成2600")
    (outcome,) = taken.outcomes
    correction = Correction.everywhere.get()
    assert outcome.action == "skipped"
    assert outcome.reason == f"correction_open: {correction.public_id}"
    assert correction.state == CorrectionState.OPEN
    assert values("预算") == [("1800", "active")] * 2
    assert taken.batch is None


@pytest.mark.parametrize("said", ["不对", "错了", "That's wrong."])
def test_a_bare_no_doubts_the_one_memory_that_was_given_and_asks(said):
    memory = fact("user", "座位偏好", "靠窗", "用户喜欢靠窗的座位 window seat")
    other = fact("user", "早餐", "豆浆", "用户早餐喝豆浆")
    assert [item.memory.public_id for item in asked("座位偏好").items] == [memory.public_id]
    taken = say(said)
    assert taken.outcomes[0].reason.startswith("correction_open")
    memory.refresh_from_db()
    assert memory.status == "active"
    assert memory.confidence == pytest.approx(0.45)
    assert Correction.everywhere.get().candidates[0]["id"] == str(memory.public_id)
    assert not Change.objects.filter(memory_id=other.public_id).exclude(action="add").exists()


@pytest.mark.parametrize(
    "late", [{"session": "s2"}, {"hours": 2}], ids=["another session", "two hours later"]
)
def test_a_bare_no_that_answers_no_recall_is_only_a_turn(late):
    memory = fact("user", "座位偏好", "靠窗", "用户喜欢靠窗的座位")
    asked("座位偏好")
    with clock.at(clock.now() + timedelta(hours=late.get("hours", 0))):
        taken = say("不对", session=late.get("session", "s1"))
    assert [o.action for o in taken.outcomes] == ["skipped"]
    assert not Correction.everywhere.exists()
    assert Change.objects.filter(memory_id=memory.public_id).count() == 1


def test_a_fact_of_another_session_is_asked_about():
    memory = fact("user", "装修预算", "1800", "装修预算1800", session_id="s0")
    taken = say("不对，装修预算改成2600")
    assert taken.outcomes[0].reason.startswith("correction_open")
    assert Correction.everywhere.get().candidates[0]["id"] == str(memory.public_id)
    assert values("装修预算") == [("1800", "active")]


def test_another_users_fact_is_never_meant():
    fact("user", "装修预算", "1800", "装修预算1800", user_id="ben")
    taken = say("不对，装修预算改成2600")
    assert values("装修预算")[0] == ("1800", "active")
    assert taken.outcomes[0].action == "added"


def test_without_inference_a_turn_is_remembered_as_it_stands():
    fact("user", "装修预算", "1800", "装修预算1800")
    say("不对，装修预算改成2600", infer=False)
    assert values("装修预算") == [("1800", "active")]


@pytest.mark.parametrize(
    "said", ["明天下午的评审应该是4点开始", "请更新一下说明书", "The hike was actually fun."]
)
def test_what_only_looks_like_it_changes_nothing(said):
    fact("user", "评审", "2点", "评审在2点")
    say(said)
    assert values("评审")[0] == ("2点", "active")
    assert not Correction.everywhere.filter(state=CorrectionState.OPEN).exists()


@pytest.mark.parametrize(
    ("said", "may"), [("不对", True), ("预算改成1200", True), ("你好", False), ("x" * 500, False)]
)
def test_whether_it_may_take_back_is_in_the_words_alone(said, may):
    assert takes_back(said) is may
