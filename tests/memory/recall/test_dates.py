"""A day that a question names is a filter, where it asks what happened or was said on it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import clock
from memory.index import search as engine
from memory.models import RecallCandidate
from memory.recall.dates import named_day
from memory.recall.replay import replay
from memory.recall.request import RecallRequest
from memory.recall.why_not import why_not
from tests.factories import ask, instant, remember, scope
from tests.memory.api.calls import owner, post

# A Thursday.
NOW = instant("2026-06-18 10:00")


@pytest.mark.parametrize(
    ("query", "day"),
    [
        ("6月3日我说了什么", "2026-06-03"),
        ("6月3号这天，我们聊了哪些事？", "2026-06-03"),
        ("六月十三号你推荐过什么书？", "2026-06-13"),
        ("我在9月1日为什么问你天气", "2025-09-01"),
        ("去年6月20日我说过什么", "2025-06-20"),
        ("2025年6月20日，你建议了什么？", "2025-06-20"),
        ("昨天聊的", "2026-06-17"),
        ("前天说的方案是哪个", "2026-06-16"),
        ("你还记得昨天下午我们讨论了什么吗", "2026-06-17"),
        ("三天前我提到了谁", "2026-06-15"),
        ("昨晚我吃了什么", "2026-06-17/2026-06-18"),
        ("今天我问过什么", "2026-06-18"),
        ("上周我们聊了什么", "2026-06-08/2026-06-14"),
        ("上周五你告诉我什么", "2026-06-12"),
        ("周一我说了什么", "2026-06-15"),
        ("本周我们讨论过哪些问题", "2026-06-15/2026-06-18"),
        ("What did I say on 3 June?", "2026-06-03"),
        ("what did we discuss on June 3rd, 2024", "2024-06-03"),
        ("On the 3rd of June, what did I order?", "2026-06-03"),
        ("What did I tell you on 2026-06-03 about the lease?", "2026-06-03"),
        ("What did I buy on 29 February?", "2024-02-29"),
        ("tell me what we talked about yesterday", "2026-06-17"),
        ("What did we decide the day before yesterday?", "2026-06-16"),
        ("what did you suggest 10 days ago", "2026-06-08"),
        ("What did I say on Monday?", "2026-06-15"),
        ("what did we talk about last Thursday?", "2026-06-11"),
        ("What happened last week?", "2026-06-08/2026-06-14"),
    ],
)
def test_a_day_that_is_asked_about(query, day):
    assert str(named_day(query, NOW)) == day


@pytest.mark.parametrize(
    "query",
    [
        # No day, or one that is no day.
        "我的预算是多少", "what did I say about the lease", "2月30日我说了什么", "周报里我写了什么",
        "一周两次的课我上了吗", "I may 3 times", "版本 2026.6 我说了什么",
        # A limit.
        "6月3日之前我说了什么", "6月3日以后我们聊了什么", "从6月3日起我说过什么",
        "到6月3日为止我说了什么",
        "What did I say before 3 June?", "what have we discussed since Monday?",
        "what did I say by yesterday", "What did we agree until 3 June?",
        # A part of the thing.
        "6月3日的会议几点", "昨天的会议谁参加了", "我说6月3日交什么", "我昨天买的裙子是什么颜色",
        "我的生日是6月3日，对吗？", "6月3日截止的报告我说了什么", "When is the meeting on 3 June?",
        "what was the trip on 3 June about?", "What did I say about 3 June?",
        "what did yesterday's call decide", "what is due on 3 June?",
        "what was the price on 3 June?",
        # Not past.
        "明天我说了要做什么", "今天我们聊什么", "今天我该做什么", "2027年6月3日我说了什么",
        "What should I say on Monday?", "What will we discuss on Monday?", "Is it open on Monday?",
        # Two days, each day, or nothing asked.
        "6月3日和6月4日我说了什么", "What did I say on 3 June and yesterday?", "每周一我们聊了什么",
        "昨天我说了预算是800，现在改成1200", "I told you yesterday that the budget changed",
        "我昨天换了房子，保险找谁？",
    ],
)  # fmt: skip
def test_a_day_that_may_be_something_else(query):
    assert named_day(query, NOW) is None


def test_a_day_is_the_installations(settings):
    settings.TIME_ZONE = "Asia/Shanghai"
    late = instant("2026-06-18 20:00")
    assert str(named_day("昨天我说了什么", late)) == "2026-06-18"
    assert named_day("昨天我说了什么", late).filter().since == instant("2026-06-17 16:00")


@given(st.text(alphabet="我你昨明前后天月日号周上说了的什么 whatdisyonmejuly,?？。·", max_size=40))
def test_a_question_without_a_number_or_a_days_name_is_left_alone(query):
    named = ("昨天", "前天", "周日", "周天", "上周", "mon", "yesterday")
    if not any(word in query.lower() for word in named):
        assert named_day(query, NOW) is None


@given(st.text(max_size=200))
def test_no_text_is_too_odd(query):
    assert named_day(query, NOW) is None or query


@pytest.fixture
def three_days(db):
    """Memories of 3 June, of other days, and two that name 3 June; all say 合同 and lease."""
    with clock.at(instant("2026-06-01 09:00")):
        return {
            "that day": remember(
                text="合同寄到了财务 lease", occurred_at=instant("2026-06-03 08:00")
            ),
            "another": remember(text="合同还没有签 lease", occurred_at=instant("2026-06-05 08:00")),
            "named": remember(
                text="合同 6月3日要盖章 lease", occurred_at=instant("2026-06-01 08:00")
            ),
            "in english": remember(text="The lease 合同 ends on June 3", occurred_at=None),
            "year before": remember(text="合同旧版 lease", occurred_at=instant("2025-06-03 08:00")),
        }


@pytest.mark.parametrize(
    "query", ["6月3日我说了合同什么事？", "What did I say about the lease on 3 June?"]
)
def test_a_row_of_the_day_or_one_that_names_it_passes(three_days, query):
    with clock.at(NOW):
        answer = ask(query)
    given_out = {item.memory.pk for item in answer.items}
    passed = {three_days[name].pk for name in ("that day", "named", "in english")}
    assert given_out == passed
    assert {(drop.memory.pk, drop.gate) for drop in answer.dropped} == {
        (three_days[name].pk, "time") for name in ("another", "year before")
    }
    assert answer.record.filters["day"] == "2026-06-03"
    kept = RecallCandidate.objects.filter(recall=answer.record, gate="time")
    assert {row.reason for row in kept} == {"outside the time asked for"}


def test_the_day_is_told_to_agents_and_no_day_is_not(three_days):
    client = owner()
    with clock.at(NOW):
        asked = post(client, "/recall", {"query": "6月3日我说了什么", "user_id": "ann"}).data
        plain = post(client, "/recall", {"query": "合同 6月3日", "user_id": "ann"}).data
    assert asked["filters"]["day"] == "2026-06-03"
    assert "day" not in plain["filters"]


def test_what_happened_on_the_day_is_found_whatever_its_words(db):
    with clock.at(instant("2026-06-17 09:00")):
        said = remember(text="阳台的花开了")
        remember(text="阳台的花 ZX-900 开了")
    with clock.at(NOW):
        remember(text="昨天很热")
        answer = ask("昨天我们聊了什么？")
        exact = ask("昨天聊的 ZX-900")
    assert said.pk in {item.memory.pk for item in answer.items}
    assert {item.memory.text for item in answer.items} == {"阳台的花开了", "阳台的花 ZX-900 开了"}
    assert [item.memory.text for item in exact.items] == ["阳台的花 ZX-900 开了"]


def test_where_nothing_passes_nothing_is_given(three_days):
    with clock.at(NOW):
        assert ask("6月4日我说了合同什么事？").items == ()


def test_another_persons_day_stays_theirs(three_days):
    with clock.at(NOW):
        assert ask("6月3日我说了什么？", scope(user_id="bob")).items == ()


@pytest.mark.parametrize(
    "query", ["6月3日我说了合同什么事？", "what did I say yesterday?", "上周我聊了什么"]
)
def test_a_replay_has_the_same_day(three_days, query):
    with clock.at(NOW):
        record = ask(query).record
    with clock.at(instant("2026-08-20 10:00")):
        remember(text="昨天又说到合同 yesterday")
        assert replay(scope(), record).equal


def test_why_not_names_the_day_and_asks_without_it(three_days):
    request = RecallRequest(scope(user_id="ann"), "6月3日我说了合同什么事？")
    with clock.at(NOW):
        asked = why_not(request, three_days["another"].public_id)
        assert (asked.gate, [advice.kind for advice in asked.advice]) == (
            "time",
            ["ask_without_term"],
        )
        again = ask(asked.advice[0].values["query"])
        assert why_not(request, three_days["named"].public_id).found
    assert three_days["another"].pk in {item.memory.pk for item in again.items}


def test_of_a_large_owner_the_words_must_match_too_then_as_now(three_days, monkeypatch):
    monkeypatch.setattr(engine, "LARGE_OWNER", 2)
    with clock.at(NOW):
        answer = ask("6月3日我说了什么财务的事？")
        assert replay(scope(), answer.record).equal
    assert {item.memory.pk for item in answer.items} <= {
        three_days[name].pk for name in ("that day", "named")
    }
    assert three_days["that day"].pk in {item.memory.pk for item in answer.items}
