"""Turns in the index: what is kept of them, who finds them, and what keeps it true."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory import clock
from memory.index import search, turns
from memory.index.schema import TURNS
from memory.index.turn_rows import INDEXED
from memory.index.turns import TurnFilters, search_turns, search_turns_as_of
from memory.index.upkeep import drift, rebuild
from memory.models import Owner, ScopeError, Turn
from memory.text.terms import query_terms
from memory.write.turns import Utterance, add_turns
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def run(sql: str, *values) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def indexed() -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT rowid FROM {TURNS}")
        return {row[0] for row in cursor.fetchall()}


def found(query: str, user_id: str = "ann", **filters) -> list[str]:
    scope = make.scope(user_id=user_id)
    hits = search_turns(scope, query_terms(query), TurnFilters(**filters)).hits
    return sorted(hit.content for hit in hits)


def check() -> str:
    out = StringIO()
    try:
        call_command("reindex", "--check", stdout=out, no_color=True)
    except CommandError:
        return out.getvalue()
    return ""


@pytest.mark.parametrize(
    ("content", "query"),
    [("渡船周三停航", "渡船"), ("The ferries are cancelled", "ferry"), ("单号 QX-31", "QX-31")],
)
def test_what_was_said_is_found(content, query):
    make.turn(content=content)
    assert found(query) == [content]
    assert found("鹦鹉 parrot") == []


def test_a_turn_is_also_found_by_the_turn_before_it():
    for content in ("渡船几点开？", "七点半", "好的谢谢"):
        make.turn(content=content)
    make.turn(content="别的会话", session_id="s2")
    make.turn(content="别的用户", user_id="ben")
    assert found("渡船") == ["七点半", "渡船几点开？"]


def test_the_turn_before_may_be_of_no_agent_or_of_the_same_only():
    make.turn(content="渡船几点开", agent_id="guide")
    make.turn(content="七点半", agent_id="clerk")
    make.turn(content="八点", agent_id="guide")
    make.turn(content="随便")
    assert found("渡船") == ["八点", "渡船几点开"]


def test_an_instruction_and_a_turn_of_nobody_are_not_indexed():
    make.turn(content="渡船", role="system")
    add_turns(make.scope(), [Utterance("user", "渡船")])
    make.turn(content="灯塔")
    assert found("渡船") == []
    assert dict(Owner.objects.values_list("user_id", "turns")) == {"ann": 1}
    assert list(drift()) == []


def test_turns_of_one_batch_stand_beside_each_other():
    said = [
        Utterance("user", "渡船几点开？", user_id="ann", session_id="s1"),
        Utterance("assistant", "七点半", user_id="ann", session_id="s1"),
        Utterance("user", "灯塔呢", user_id="ben", session_id="s1"),
    ]
    add_turns(make.scope(), said)
    assert found("渡船") == ["七点半", "渡船几点开？"]
    assert found("灯塔", "ben") == ["灯塔呢"]
    assert list(drift()) == []


def test_nobody_finds_what_another_said():
    make.turn(content="渡船")
    assert found("渡船", "ben") == []
    other = make.scope(make.workspace("w2"), "ann")
    assert search_turns(other, query_terms("渡船"), TurnFilters()).hits == ()
    with pytest.raises(ScopeError):
        search_turns(make.scope(), query_terms("渡船"), TurnFilters())


def test_filters_keep_out_and_say_so():
    make.turn(content="渡船 a", agent_id="guide", session_id="s1")
    make.turn(content="渡船 b", occurred_at=START, session_id="s2")
    make.turn(content="渡船 c", agent_id="clerk", session_id="s3")
    assert found("渡船", agent_id="guide") == ["渡船 a", "渡船 b"]
    assert found("渡船", until=make.instant("2026-03-02 09:00")) == ["渡船 b"]
    assert found("渡船", since=START, until=START) == []
    filters = TurnFilters("guide", since=make.instant("2026-03-02 09:00"))
    dropped = search_turns(make.scope(user_id="ann"), query_terms("渡船"), filters).dropped
    assert {hit.content: hit.gate for hit in dropped} == {"渡船 b": "time", "渡船 c": "agent"}


def test_an_id_must_stand_in_the_turn_or_the_one_before():
    for content in ("QX-31 到哪了", "在码头", "QX-32 的码头"):
        make.turn(content=content)
    assert found("QX-31 码头") == ["QX-31 到哪了", "在码头"]


def test_the_past_is_the_log_as_it_was():
    with clock.at(START):
        make.turn(content="渡船")
    with clock.at(make.instant("2026-03-02 09:00")):
        make.turn(content="渡船 渡船", session_id="s2")
    asked = make.scope(user_id="ann"), query_terms("渡船"), TurnFilters()
    then = search_turns_as_of(*asked, START)
    assert ([hit.content for hit in then.hits], then.rows, then.frequency["渡船"]) == (
        ["渡船"], 1, 1,
    )  # fmt: skip
    now = search_turns(*asked)
    again = search_turns_as_of(*asked, make.instant("2026-03-03 09:00"))
    assert (now.rows, now.frequency) == (again.rows, again.frequency) == (2, {"渡船": 2})
    cut = search_turns_as_of(*asked, make.instant("2026-03-03 09:00"), [now.hits[0].pk, 999])
    assert [hit.pk for hit in cut.hits] == [now.hits[0].pk]


def test_a_large_owner_gets_the_newest_and_what_holds_every_term(monkeypatch):
    monkeypatch.setattr(turns, "LARGE_OWNER", 3)
    monkeypatch.setattr(turns, "NEWEST", 2)
    make.turn(content="渡船 灯塔", session_id="s0")
    for number in range(4):
        make.turn(content=f"渡船 {number}", session_id=f"s{number + 1}")
    assert found("渡船 灯塔") == ["渡船 2", "渡船 3", "渡船 灯塔"]
    assert search.LARGE_OWNER > 3


def test_only_the_head_of_a_huge_turn_is_indexed():
    make.turn(content="渡船" + "水" * INDEXED + "灯塔")
    assert len(found("渡船")) == 1
    assert found("灯塔") == []


def test_drift_is_found_row_by_row_and_repaired():
    first = make.turn(content="渡船几点开？")
    second = make.turn(content="七点半")
    third = make.turn(content="好的")
    assert check() == ""
    run(f"DELETE FROM {TURNS} WHERE rowid = %s", first.pk)
    run(f"UPDATE {TURNS} SET before_words = 'x' WHERE rowid = %s", second.pk)
    run(
        f"INSERT INTO {TURNS}(rowid, words, bigrams, before_words, before_bigrams) "
        "VALUES (900, 'x', '', '', '')"
    )
    assert {(one.index, one.what, one.rowid) for one in drift()} == {
        (TURNS, "missing", first.pk), (TURNS, "different", second.pk), (TURNS, "extra", 900),
    }  # fmt: skip
    assert str(second.public_id) in check()
    call_command("reindex", verbosity=0, stdout=StringIO())
    assert check() == ""
    assert indexed() == {first.pk, second.pk, third.pk}


def test_a_wrong_count_is_drift():
    make.turn(content="渡船")
    Owner.objects.update(turns=7)
    assert [one.what for one in drift()] == ["count"]
    rebuild()
    assert list(drift()) == []
    assert Owner.objects.get().turns == 1


def test_a_turn_that_is_gone_from_the_table_is_drift_of_the_next_one_too():
    first = make.turn(content="渡船几点开？")
    make.turn(content="七点半")
    Turn.everywhere.filter(pk=first.pk).delete()
    assert {one.what for one in drift()} == {"extra", "different", "count"}


def test_drift_walks_more_turns_than_one_page(monkeypatch):
    from memory.index import upkeep

    for number in range(5):
        make.turn(content=f"渡船 {number}", session_id=f"s{number % 2}")
    for page in (1, 2, 5):
        monkeypatch.setattr(upkeep, "PAGE", page)
        assert list(drift()) == []
        rebuild()
        assert list(drift()) == []


def test_turns_of_a_fixture_are_indexed_in_any_order(tmp_path):
    for content in ("渡船几点开？", "七点半", "好的"):
        make.turn(content=content)
    make.turn(content="灯塔", user_id="ben")
    file = tmp_path / "all.json"
    call_command("dumpdata", "memory", "--output", str(file), verbosity=0)
    run("DELETE FROM memory_turn")
    run(f"DELETE FROM {TURNS}")
    Owner.objects.all().delete()
    call_command("loaddata", str(file), verbosity=0)
    assert list(drift()) == []
    first = Turn.everywhere.order_by("pk").first()
    Turn.everywhere.filter(pk=first.pk).delete()
    first.save_base(raw=True, force_insert=True)
    assert list(drift()) == []
    assert found("渡船") == ["七点半", "渡船几点开？"]
