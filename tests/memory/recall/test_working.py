"""Working memory in contexts, records and replays."""

from datetime import timedelta

import pytest

from memory import clock
from memory.recall.replay import as_dict, replay
from memory.recall.sealed import export
from memory.recall.verify import verify
from memory.write import working
from tests import factories as make
from tests.factories import ask, remember

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def ann():
    return make.scope(user_id="ann")


def asked(query: str = "海鲜能吃吗", **fields):
    return ask(query, session_id="s1", **fields)


def test_it_comes_first_in_the_immediate_block_with_its_label():
    make.turn(content="海鲜饭店订在周五", session_id="s1")
    remember(text="我对海鲜过敏")
    item = working.put(ann(), "s1", "步骤", {"n": 3})
    answer = asked()
    assert answer.context.blocks["immediate"][0] == item.id
    assert len(answer.context.blocks["immediate"]) == 2
    lines = answer.context.text.split("\n")
    assert lines[lines.index("即时：") + 1] == '- [工作记忆，刚刚] 步骤: {"n": 3}'
    assert "我对海鲜过敏" in answer.context.text


def test_in_english():
    remember(text="The kitchen tap drips")
    working.put(ann(), "s1", "step", "3 of 5")
    text = asked("What about the kitchen tap?").context.text
    assert "- [working memory, just now] step: 3 of 5" in text


@pytest.mark.parametrize(
    "fields", [{"session_id": "s2"}, {"session_id": ""}, {"as_of": START}], ids=str
)
def test_other_sessions_and_the_past_have_none_of_it(fields):
    remember(text="我对海鲜过敏")
    working.put(ann(), "s1", "步骤", 3)
    answer = ask("海鲜能吃吗", **{"session_id": "s1"} | fields)
    assert answer.context.blocks["immediate"] == []
    assert "working" not in answer.record.terms


def test_another_users_session_of_the_same_name_has_none_of_it():
    working.put(make.scope(user_id="bob"), "s1", "步骤", 3)
    assert asked().context.working == ()


def test_small_talk_is_given_none_of_it():
    working.put(ann(), "s1", "步骤", 3)
    answer = asked("你好呀")
    assert not answer.record.triggered
    assert (answer.context.working, "working" in answer.record.terms) == ((), False)


def test_it_takes_a_fifth_of_the_room_and_more_only_where_nothing_else_wants_it():
    for n in range(20):
        with clock.at(clock.now() - timedelta(seconds=n)):
            working.put(ann(), "s1", f"k{n}", "字" * 30)
    alone = asked(budget_tokens=600)
    assert len(alone.context.working) >= 3
    for n in range(12):
        remember(text=f"我第{n}次吃海鲜的时候过敏了，{'很' * 60}")
    beside = asked(budget_tokens=600)
    assert len(beside.context.working) < len(alone.context.working)
    assert len(beside.items) >= 2
    assert beside.context.tokens <= 600
    # The newest goes first.
    assert beside.context.working[0].key == "k0"


def test_the_record_can_be_replayed_when_it_is_gone():
    remember(text="我对海鲜过敏")
    with clock.at(clock.now() - timedelta(seconds=5)):
        for n in range(3):
            working.put(ann(), "s1", f"k{n}", n, ttl_seconds=3600)
    answer = asked()
    assert len(answer.record.terms["working"]) == 3
    same = replay(make.scope(), answer.record)
    assert (same.equal, same.working.moves) == (True, ())
    working.put(ann(), "s1", "k1", "other")
    working.remove(ann(), "s1", "k2")
    working.put(ann(), "s1", "k3", 3)
    told = as_dict(replay(make.scope(), answer.record))
    assert told["equal"]
    assert told["working"]["then"] == ["k2", "k1", "k0"]
    assert {(move["key"], move["cause"]) for move in told["working"]["moves"]} == {
        ("k2", "expired"), ("k1", "changed"), ("k3", "added"),
    }  # fmt: skip
    with clock.at(clock.now() + timedelta(days=1)):
        gone = replay(make.scope(), answer.record)
    assert (gone.equal, gone.working.now) == (True, ())
    assert {move.cause for move in gone.working.moves} == {"expired"}


def test_a_redacted_document_says_none_of_it_and_holds():
    remember(text="我对海鲜过敏")
    working.put(ann(), "s1", "航班号", "CA1837")
    record = asked().record
    whole, redacted = export(record), export(record, redact=True)
    assert "CA1837" in str(whole)
    assert "CA1837" not in str(redacted)
    assert "航班号" not in str(redacted)
    assert verify(whole, make.scope()).valid
    assert verify(redacted, make.scope()).valid
