"""Exactly the memories that are meant, or a question, or nothing."""

import pytest

from memory.models import Memory, ScopeError
from memory.write.correction.propose import understand
from tests import factories as make

pytestmark = pytest.mark.django_db
SESSION = "talk"


def fact(entity, attribute, value, **fields):
    fields = {"session_id": SESSION, "source": "user_said", "user_id": "ann"} | fields
    return make.remember(
        entity=entity,
        attribute=attribute,
        value=value,
        text=f"{entity} {attribute} {value}",
        **fields,
    )


def hear(utterance, session_id=SESSION, **fields):
    return understand(make.scope(user_id="ann"), utterance, session_id=session_id, **fields)


def meant(found):
    return {(change.memory.public_id, change.value) for change in found.changes}


@pytest.fixture
def office():
    return {
        "rent": fact("海棠组", "房租", "2600元"),
        "owner": fact("海棠组", "负责人", "周敏"),
        "meeting": fact("海棠组", "会议时间", "周二下午4点"),
        "other rent": fact("银杏组", "房租", "900元"),
        "lab owner": fact("the Green Lab", "owner", "Grace Kim"),
        "lab due": fact("the Green Lab", "deadline", "April 9"),
    }


@pytest.mark.parametrize(
    ("utterance", "which", "value"),
    [
        ("海棠组的房租改成3100元", "rent", "3100元"),
        ("海棠组的责任人换成沈涛了", "owner", "沈涛"),
        ("海棠组的会议改到周四上午9点", "meeting", "周四上午9点"),
        ("不对，海棠组的会议时间是周四上午9点开始", "meeting", "周四上午9点"),
        ("Actually, Green Lab's owner is Omar Reyes", "lab owner", "Omar Reyes"),
        ("The due date of the Green Lab moved to April 30", "lab due", "April 30"),
        ("Actually make the deadline for the Green Lab April 30", "lab due", "April 30"),
    ],
)
def test_a_named_fact_is_found_from_any_session(office, utterance, which, value):
    for session in (SESSION, "another", ""):
        assert meant(hear(utterance, session)) == {(office[which].public_id, value)}


def test_several_facts_in_one_utterance(office):
    found = hear("海棠组的房租改成3100元，负责人换成沈涛")
    assert meant(found) == {
        (office["rent"].public_id, "3100元"),
        (office["owner"].public_id, "沈涛"),
    }


@pytest.mark.parametrize(
    "utterance",
    ["忘掉海棠组的房租吧", "海棠组的房租不再是2600元了", "Forget the owner of the Green Lab"],
)
def test_a_fact_is_retracted(office, utterance):
    (change,) = hear(utterance).changes
    assert (change.action, change.value) == ("retract", None)
    assert change.memory in (office["rent"], office["lab owner"])


@pytest.mark.parametrize("utterance", ["房租改成3100", "3100，不是2600", "不是2600，是3100"])
def test_the_session_tells_which(utterance):
    mine = fact("user", "房租", "2600")
    fact("user", "房租", "2600", session_id="old", agent_id="other")
    assert [memory for memory, _ in meant(hear(utterance))] == [mine.public_id]


@pytest.mark.parametrize(
    "utterance", ["No, 3100.", "不，3100", "改成3100", "Actually, make it 3100"]
)
def test_a_bare_value_goes_to_the_one_fact_it_fits(utterance):
    mine = fact("user", "rent", "2600")
    fact("user", "city", "Lyon")
    assert meant(hear(utterance)) == {(mine.public_id, "3100")}


@pytest.mark.parametrize(
    "utterance", ["不，我3点下班", "No, I finish at 3 pm", "不对，蓝鲸组的会议是3点"]
)
def test_a_value_that_is_said_of_something_else_goes_nowhere(office, utterance):
    fact("user", "alarm", "8 am")
    assert hear(utterance).targets == ()


def test_it_asks_where_the_session_does_not_tell():
    rows = [fact("海棠组", "房租", "2600元"), fact("银杏组", "房租", "900元")]
    found = hear("房租改成3100元")
    assert (found.verdict, found.reason) == ("ambiguous", "several_fit")
    assert set(found.candidates) == set(rows)


def test_without_a_session_it_asks_whose():
    mine = fact("user", "房租", "2600元", session_id="old")
    found = hear("房租改成3100元", session_id="new")
    assert (found.verdict, found.reason, found.candidates) == ("ambiguous", "whose", (mine,))
    assert meant(hear("我的房租改成3100元", session_id="new")) == {(mine.public_id, "3100元")}


def test_the_last_turn_tells_which():
    fact("海棠组", "房租", "2600元")
    other = fact("银杏组", "房租", "900元")
    make.turn(content="银杏组的房租是多少？", session_id=SESSION)
    make.turn(content="银杏组的房租是900元。", session_id=SESSION, role="assistant")
    assert meant(hear("不对，房租是950元")) == {(other.public_id, "950元")}


def test_an_entity_of_the_last_turn_tells_whose():
    mine = fact("银杏组", "房租", "900元", session_id="old")
    make.turn(content="说说银杏组吧", session_id="new")
    assert meant(hear("房租改成950元", session_id="new")) == {(mine.public_id, "950元")}


def test_what_was_served_goes_first():
    other = fact("银杏组", "房租", "900元", session_id="old")
    recall = make.ask("银杏组").record
    fact("海棠组", "房租", "2600元")
    assert meant(hear("不对，房租是950元", recall=recall)) == {(other.public_id, "950元")}
    found = hear("错了", recall=recall)
    assert (found.verdict, found.reason) == ("ambiguous", "no_new_value")
    assert other in found.candidates


def test_the_type_of_the_value_decides(office):
    found = hear("海棠组的负责人改成周四上午9点")
    assert (found.verdict, found.reason) == ("ambiguous", "value_does_not_fit")
    assert found.candidates == (office["owner"],)
    assert meant(hear("海棠组改到周四上午9点")) == {(office["meeting"].public_id, "周四上午9点")}


def test_another_old_value_than_the_remembered_one_is_asked_about(office):
    found = hear("海棠组的房租不是2500元，是3100元")
    assert (found.reason, found.candidates) == ("old_value_differs", (office["rent"],))


@pytest.mark.parametrize("utterance", ["不对，海棠组的房租是2600", "海棠组的房租改成2,600元"])
def test_what_is_already_so_is_no_correction(office, utterance):
    assert (hear(utterance).verdict, hear(utterance).reason) == ("not_a_correction", "already_so")


@pytest.mark.parametrize(
    "utterance", ["把蓝鲸组的房租改成3100元", "Actually, Blue Lab's owner is Omar"]
)
def test_an_unknown_fact_changes_no_other(office, utterance):
    found = hear(utterance)
    assert (found.verdict, found.reason) == ("not_a_correction", "no_such_fact")
    assert "remember it" in found.message


def test_a_longer_name_is_another_entity():
    fact("林晓", "电话", "15512340000")
    assert hear("林晓峰的电话改成15512349999").targets == ()


def test_others_rows_are_out():
    fact("user", "房租", "2600", user_id="ben")
    fact("user", "房租", "2600", agent_id="other")
    said = make.turn(content="房租是2600", role="assistant", session_id=SESSION)
    fact("user", "房租", "2600", turn_id=said.public_id, session_id=SESSION, agent_id="mine")
    assert hear("房租改成3100").verdict != "correction"
    assert hear("不是2600，是3100", agent_id="mine").targets == ()


def test_only_active_rows():
    fact("user", "rent", "2600")
    newest = fact("user", "rent", "2700")
    assert Memory.everywhere.count() == 2
    assert meant(hear("No, 3100.")) == {(newest.public_id, "3100")}


def test_a_yes_or_no_is_turned():
    insured = fact("the van", "insurance", "False")
    found = hear("Actually, I would like insurance.")
    assert meant(found) == {(insured.public_id, "True")}
    assert hear("No, I need help.").targets == ()


def test_forgetting_needs_the_very_words():
    note = make.remember(text="Q4 样机 拍照", session_id=SESSION)
    make.remember(text="Q4 进度说明", session_id=SESSION)
    assert hear("忘掉 Q4 样机 拍照").targets == (note,)
    assert hear("忘掉 Q4 样机").targets == ()
    assert hear("忘掉 Q4 没有这条zzz").verdict == "not_a_correction"


@pytest.mark.parametrize("utterance", ["忘记 %", "删掉 _", "忘记 得", "forget a", "忘记 100%"])
def test_signs_and_small_words_select_nothing(utterance):
    make.remember(text="让利100%", session_id=SESSION)
    make.remember(text="让利1000", session_id=SESSION)
    make.remember(text="file_size 说明", session_id=SESSION)
    assert hear(utterance).targets == ()


def test_a_topic_is_refused_and_an_entity_is_listed(office):
    for number in range(30):
        fact(f"小组{number}", "进度", f"{number}%")
    found = hear("忘掉所有关于小组的内容")
    assert (found.verdict, found.reason, found.targets) == ("ambiguous", "too_broad", ())
    assert set(hear("忘掉所有关于海棠组的内容").targets) == {
        office["rent"], office["owner"], office["meeting"],
    }  # fmt: skip


@pytest.mark.parametrize(
    "utterance",
    [
        "后天的评审应该是3点开始",
        "The concert was actually lovely",
        "请整理一下周报",
        "海棠组的房租应该是够用的吧",
        "海棠组的房租是不是3100元？",
        "银杏组的房租是900元，和海棠组不是一回事",
        "No, thanks.",
    ],
)
def test_lookalikes_change_nothing(office, utterance):
    found = hear(utterance)
    assert (found.verdict, found.targets, found.candidates) == ("not_a_correction", (), ())


def test_a_correction_is_for_one_user():
    with pytest.raises(ScopeError):
        understand(make.scope(), "房租改成3100")
