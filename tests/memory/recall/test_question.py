"""Whether to recall at all, and what is really asked, through the road itself."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Recall
from memory.recall import RecallRequest, recall
from memory.recall.rank import DOMAIN_LIFT
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def ask(query: str, **fields):
    return recall(RecallRequest(make.scope(user_id="ann"), query, session_id="s1", **fields))


def stock(entity: str = "A 型号", value: str = "38") -> None:
    make.remember(
        entity=entity,
        attribute="库存",
        value=value,
        text=f"{entity}库存{value}件",
        kind="inventory",
        domain="inventory",
    )


@pytest.mark.parametrize("small_talk", ["你好", "谢谢啦！", "ok, thanks", "好的"])
def test_small_talk_recalls_nothing_and_is_recorded_as_such(small_talk):
    make.remember(text="你好是问候语，好的和谢谢也常说, ok thanks too")
    answer = ask(small_talk)
    assert (answer.items, answer.dropped, answer.context.text) == ((), (), "")
    kept = Recall.everywhere.get()
    assert kept.triggered is False
    assert kept.trigger_reason


def test_a_question_behind_a_greeting_is_asked():
    make.budget("1200")
    answer = ask("你好，我的预算是多少？")
    assert [item.memory.value for item in answer.items] == ["1200"]
    assert Recall.everywhere.get().triggered is True


def test_that_batch_is_what_the_session_was_about():
    stock()
    stock("B 型号", "64")
    make.turn(content="A 型号今天到货了，一共两批")
    answer = ask("上次那批货还有吗")
    kept = Recall.everywhere.get()
    assert answer.items[0].memory.value == "38"
    assert "A 型号" in kept.query_used
    assert kept.query == "上次那批货还有吗"
    assert {move["kind"] for move in kept.moves} >= {"pronoun"}


def test_without_turns_the_question_is_used_as_given():
    stock()
    ask("上次那批货还有吗")
    kept = Recall.everywhere.get()
    assert kept.query_used == kept.query


def test_turns_of_another_session_or_user_do_not_count():
    stock()
    make.turn(content="A 型号到货了", session_id="s2")
    make.turn(content="A 型号到货了", user_id="ben")
    ask("上次那批货还有吗")
    assert Recall.everywhere.get().query_used == "上次那批货还有吗"


def test_turns_after_the_moment_that_is_asked_about_do_not_count():
    with clock.at(START):
        stock()
    with clock.at(START + timedelta(days=2)):
        make.turn(content="A 型号到货了")
        ask("上次那批货还有吗", as_of=START + timedelta(hours=1))
    assert Recall.everywhere.get().query_used == "上次那批货还有吗"


def test_a_named_domain_lifts_its_memories_and_is_shown():
    make.remember(text="kettle stock is 38", domain="inventory", kind="event")
    make.remember(text="kettle stock photo is late", domain="marketing", kind="event")
    answer = ask("kettle stock")
    by_text = {item.memory.text: item.parts for item in answer.items}
    assert by_text["kettle stock is 38"]["domain"] == DOMAIN_LIFT
    assert "domain" not in by_text["kettle stock photo is late"]
    assert [move["kind"] for move in Recall.everywhere.get().moves] == ["domain"]
    for item in answer.items:
        assert item.score == pytest.approx(sum(item.parts.values()), abs=2e-6)


def test_the_confident_profile_weighs_confidence_and_the_half_life_of_the_kind():
    with clock.at(START):
        make.remember(text="pier lamp red", kind="event", confidence=0.9)
        make.remember(text="pier lamp blue", kind="event", confidence=0.5)
    with clock.at(START + timedelta(hours=720)):
        answer = ask("pier lamp", profile="confident")
    assert [item.memory.text for item in answer.items] == ["pier lamp red", "pier lamp blue"]
    assert answer.items[0].parts["confidence"] == pytest.approx(0.27)
    # An event's half-life is 720 hours: exp(-1) of the tenth that freshness has.
    assert answer.items[0].parts["freshness"] == pytest.approx(0.036788, abs=1e-5)
    assert "importance" not in answer.items[0].parts


def test_an_id_that_a_rewrite_put_in_hides_nothing():
    stock("K-20", "7")
    make.remember(text="那批货的库存表在三号柜", kind="event")
    make.turn(content="K-20 到货了")
    answer = ask("上次那批货还有吗")
    assert "K-20" in Recall.everywhere.get().query_used
    assert answer.items[0].memory.value == "7"
    assert len(answer.items) == 2


def test_an_id_that_was_asked_for_is_required():
    stock("K-20", "7")
    stock("K-21", "9")
    assert [item.memory.value for item in ask("K-20 的库存").items] == ["7"]


def test_an_explicit_instruction_outranks_a_passing_remark():
    make.remember(text="答复里要带来源链接", kind="rule")
    make.remember(text="今天的答复带来源链接", kind="other")
    answer = ask("答复 来源链接")
    assert [item.memory.kind for item in answer.items] == ["rule", "other"]
    assert answer.items[0].parts["importance"] > answer.items[1].parts["importance"]
