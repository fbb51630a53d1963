"""Finding within one owner's active rows."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory import clock
from memory.index import search as engine
from memory.index.filters import ACTIVE_ONLY, Filters
from memory.models import Memory, Owner, ScopeError
from memory.text.terms import query_terms
from memory.write.apply import apply
from memory.write.planner import Planner
from memory.write.proposal import Proposal
from memory.write.remember import remember
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def found(question: str, user_id: str = "ann", workspace=None, **filters) -> list[str]:
    scope = make.scope(workspace, user_id=user_id)
    wanted = Filters(statuses=ACTIVE_ONLY, **filters)
    hits = engine.search(scope, query_terms(question), wanted).hits
    rows = Memory.everywhere.in_bulk([hit.pk for hit in hits])
    return [rows[hit.pk].text for hit in hits]


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("第二展厅的门票是45元", ["门票", "45", "展厅", "第二展厅", "门票 展厅", "45元", "４５"]),
        ("把cable-rack旁的断线路由器换掉", ["路由器", "断线", "cable", "rack", "cable-rack"]),
        ("客户端口令每月更换", ["口令", "客户", "端口", "客户端口令"]),
        ("羽毛球拍子借给小吴了", ["球拍", "拍子", "羽毛球", "小吴"]),
        ("运费要附两张回单", ["回单 运费", "运费　回单", "回单运费"]),
        ("編號ＱＸ８８的儀器", ["qx88", "ＱＸ８８", "QX-88", "编号", "仪器"]),
        ("Please book the quieter rooms", ["book", "booking", "quiet room", "ROOMS"]),
        ("Contact @harbor, budget up 35%, C++ only, v2.7.1, a=b, 9 GB/s, it@pier.example",
         ["@harbor", "35%", "C++", "v2.7.1", "2.7.1", "a=b", "GB/s", "it@pier.example"]),
        ("Project Apollo 3 starts in May", ["Apollo-3", "apollo 3", "APOLLO"]),
        ("她说：“周五见”。", ["周五", "“周五见”", "周五见"]),
    ],
)  # fmt: skip
def test_what_is_literally_there_is_found(text, questions):
    # An address is to be found too.
    make.policy("other", personal_data="keep")
    make.remember(text=text)
    make.remember(text="一条别的话 and some other words 77")
    missed = [question for question in questions if found(question)[:1] != [text]]
    assert missed == []


def test_ids_are_exact():
    for text in ("箱号 KX-30517 已封", "箱号 KX-30518 待封", "编号 30517 的托盘空了"):
        make.remember(text=text)
    assert found("KX-30517") == ["箱号 KX-30517 已封"]
    assert found("KX-30517 封了吗") == ["箱号 KX-30517 已封"]
    assert found("kx_30518") == ["箱号 KX-30518 待封"]
    assert found("30517") == ["编号 30517 的托盘空了"]
    assert found("KX-99999") == []
    assert found("KX-99999 箱号") == []
    assert found("KX-3051") == []


def test_words_are_combined_and_the_row_with_both_comes_first():
    make.remember(text="回单要盖章")
    make.remember(text="运费要附回单")
    make.remember(text="运费另算")
    assert found("运费 回单")[0] == "运费要附回单"
    assert len(found("运费 回单")) == 3
    assert found("发票") == []


def test_quoted_words_must_be_there():
    make.remember(text="the north gate opens at six")
    make.remember(text="the south gate opens at seven")
    assert len(found("gate north")) == 2
    assert found('gate "north"') == ["the north gate opens at six"]


ODD = [
    '"', '""', "'", "(", ")", "((", "*", "*:*", "^", "^a", "-", "--", "+", "NOT", "AND", "OR",
    "AND OR NOT", "NEAR(", "NEAR(a b, 3)", "gate AND", "words:gate", "bigrams:ab*", "{words}:x",
    "a\\b", "[x]", "%", "_", ";", "'; DROP TABLE memory_memory; --", '"gate', "gate*", "？！。",
    "~", "1~gate", "k1~", "\t\n", "\u200b", "🙂", "\\", "a" * 512, "門" * 600, "<b>", "??",
]  # fmt: skip


@pytest.mark.parametrize("question", ODD)
def test_a_question_is_data(question):
    make.remember(text="the north gate 北门")
    found(question)
    assert Memory.everywhere.count() == 1


STORABLE = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), max_size=60
) | st.lists(
    st.sampled_from([*ODD, "gate", "门", "北门", "KX-1", "12", " ", "\u3000"]), max_size=8
).map(" ".join)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(STORABLE)
def test_no_question_raises(question):
    if not Memory.everywhere.exists():
        make.remember(text="the north gate 北门 KX-1 12")
    found(question)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=40))
def test_no_question_reaches_another_owners_rows(text):
    for user_id, workspace in (("ann", None), ("ben", None), ("ann", make.workspace("w2"))):
        if text.strip():
            make.remember(make.scope(workspace), user_id=user_id, text=text)
    for question in (text, f"{text} gate", text[:5]):
        query = query_terms(question)
        for user_id, workspace in (("ann", None), ("ben", None), ("ann", make.workspace("w2"))):
            scope = make.scope(workspace, user_id=user_id)
            hits = engine.search(scope, query, Filters(statuses=ACTIVE_ONLY)).hits
            rows = Memory.everywhere.in_bulk([hit.pk for hit in hits]).values()
            assert {(row.workspace_id, row.user_id) for row in rows} <= {
                (scope.workspace_id, user_id)
            }


def test_the_prefix_of_another_owner_is_only_text():
    make.remember(user_id="ann", text="gate code 1357")
    make.remember(user_id="ben", text="gate code 2468")
    theirs = Owner.objects.get(user_id="ann").pk
    for question in (f"{theirs}~gate", f'"{theirs}~gate"', f"words:{theirs}~gate", "~gate"):
        assert found(question, user_id="ben") in ([], ["gate code 2468"])


def test_owners_whose_numbers_begin_alike_stay_apart():
    for number in range(40):
        make.remember(user_id=f"u{number}", text=f"gate code {number}")
    numbers = dict(Owner.objects.values_list("user_id", "pk"))
    assert len(set(numbers.values())) == 40
    for number in range(40):
        assert found("gate", user_id=f"u{number}") == [f"gate code {number}"]


def test_a_scope_without_a_user_is_refused():
    query = query_terms("gate")
    with pytest.raises(ScopeError):
        engine.search(make.scope(), query, Filters())
    with pytest.raises(ScopeError):
        engine.search_as_of(make.scope(), query, Filters(), START)


def test_somebody_unknown_has_nothing():
    make.remember(text="gate")
    assert found("gate", user_id="nobody") == []


@pytest.mark.parametrize("status", ["superseded", "retracted", "expired", "quarantined"])
def test_only_active_rows_are_candidates(status):
    row = make.remember(text="gate code 1357")
    planner = Planner(make.scope())
    planner.change(row, "test", status=status)
    apply(planner.plan("test", ""))
    assert found("gate") == []
    assert Owner.objects.get().active == 0


def test_the_one_valid_row_is_found_among_hundreds_expired():
    with clock.at(START):
        ends = START + timedelta(hours=1)
        remember(
            make.scope(),
            [Proposal(user_id="ann", text=f"gate log {n}", expires_at=ends) for n in range(500)],
            infer=False,
        )
        make.remember(text="the one gate log that still holds, whatever else was noted of it")
    later = START + timedelta(hours=2)
    valid = ["the one gate log that still holds, whatever else was noted of it"]
    assert found("gate log", alive_at=later) == valid


def test_above_the_limit_of_a_large_owner_the_newest_are_taken(monkeypatch):
    monkeypatch.setattr(engine, "LARGE_OWNER", 5)
    monkeypatch.setattr(engine, "NEWEST", 3)
    make.remember(text="gate code north")
    for number in range(8):
        make.remember(text=f"gate number {number}")
    query, scope = query_terms("gate code"), make.scope(user_id="ann")
    result = engine.search(scope, query, Filters(statuses=ACTIVE_ONLY))
    assert result.newest_only
    # The row with every word outlives the cut, then come the newest.
    assert found("gate code") == [
        "gate code north", "gate number 7", "gate number 6", "gate number 5",
    ]  # fmt: skip
    monkeypatch.setattr(engine, "LARGE_OWNER", 9)
    assert not engine.search(scope, query, Filters(statuses=ACTIVE_ONLY)).newest_only
    assert found("gate code")[0] == "gate code north"
    assert len(found("gate code")) == 9


def test_no_more_than_the_best_fifty():
    for number in range(60):
        make.remember(text=f"gate {number}")
    assert len(found("gate")) == engine.BEST == 50


def test_the_frequencies_are_the_owners_own():
    for number in range(3):
        make.remember(text=f"gate {number}")
    make.remember(text="door 门口")
    make.remember(user_id="ben", text="gate")
    result = engine.search(make.scope(user_id="ann"), query_terms("gate 门口 pier"), Filters())
    assert (result.rows, result.frequency["gate"], result.frequency["门口"]) == (4, 3, 1)
    assert "pier" not in result.frequency


@pytest.mark.parametrize(
    ("gate", "filters"),
    [
        ("kind", {"kinds": ["fact"]}),
        ("domain", {"domains": ["home", "work"]}),
        ("source", {"sources": ["imported"]}),
        ("agent", {"agent_id": "planner"}),
        ("session", {"session_id": "s1"}),
        ("time", {"since": START}),
        ("time", {"until": START + timedelta(days=1)}),
        ("expiry", {"alive_at": START}),
    ],
)
def test_each_filter_keeps_its_rows_and_names_what_it_dropped(gate, filters):
    inside = {
        "kind": "fact", "domain": "work", "source": "imported", "agent_id": "planner",
        "session_id": "s1", "occurred_at": START, "expires_at": START + timedelta(seconds=1),
    }  # fmt: skip
    outside = {
        "kind": "event", "domain": "play", "source": "user_said", "agent_id": "other",
        "session_id": "s2", "expires_at": START,
        "occurred_at": START + timedelta(days=1 if "until" in filters else -1),
    }  # fmt: skip
    make.remember(text="gate inside", **inside)
    dropped = make.remember(text="gate outside", **outside)
    wanted = Filters(statuses=ACTIVE_ONLY, **filters)
    result = engine.search(make.scope(user_id="ann"), query_terms("gate"), wanted)
    assert found("gate", **filters) == ["gate inside"]
    assert [(drop.pk, drop.gate) for drop in result.dropped] == [(dropped.pk, gate)]
    assert len(found("gate")) == 2


def test_rows_of_no_agent_in_particular_are_for_every_agent():
    make.remember(text="gate for all")
    make.remember(text="gate of another", agent_id="other")
    assert found("gate", agent_id="planner") == ["gate for all"]


def test_a_row_without_a_time_counts_from_when_it_was_remembered():
    with clock.at(START):
        make.remember(text="gate")
    assert found("gate", since=START) == ["gate"]
    assert found("gate", until=START) == []
