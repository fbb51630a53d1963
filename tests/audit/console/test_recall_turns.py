"""The turns of a record, and of its replay, on the pages."""

from datetime import timedelta

import pytest
from django.urls import reverse

from memory import clock
from memory.models import Turn
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def said(content: str, at=START, **fields):
    with clock.at(at):
        return make.turn(content=content, **fields)


def asked(query: str, at=START + timedelta(days=2), **fields):
    with clock.at(at):
        return make.ask(query, **fields).record


def fee(value: str, at=START):
    with clock.at(at):
        return make.remember(entity="user", attribute="停车费", value=value, kind="fact")


def page(client, name: str, record):
    return client.get(reverse(name, args=[record.public_id]))


def test_turns_given_and_kept_back_are_shown_with_score_and_gate():
    given = said("停车费的单据", role="assistant", session_id="s7")
    held = said("停车费35", session_id="s8")
    memory = fee("35")
    fee("50", START + timedelta(days=1))
    answer = page(operator(), "recall", asked("停车费"))
    shown = text_of(answer)
    (one,), (other,) = answer.context["turns_given"], answer.context["turns_kept_back"]
    assert (one.turn, one.candidate.rank) == (given, 1)
    assert [text for text, matched in one.pieces if matched] == ["停车费"]
    assert sum(value for _, value in one.parts) == pytest.approx(one.candidate.score, abs=2e-6)
    assert (other.turn, other.candidate.gate) == (held, "superseded")
    assert other.because == memory.public_id
    assert "memory has moved on from what it says" in shown
    assert reverse("memory", args=[memory.public_id]) in shown
    assert "停车费35" in shown
    assert "Turns of the dialogue, best first" in shown
    assert "s7" in shown


def test_a_record_without_turns_shows_none():
    fee("35")
    shown = text_of(page(operator(), "recall", asked("停车费")))
    assert "Turns of the dialogue" not in shown
    assert "Turns found but not given" not in shown


def test_a_turn_is_plain_text_and_only_its_head():
    said("停车费 <script>alert(1)</script>" + "码" * 3000 + "尾")
    shown = text_of(page(operator(), "recall", asked("停车费")))
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert" in shown
    assert "尾" not in shown


def test_a_turn_that_is_gone_is_told():
    said("停车费的单据")
    record = asked("停车费")
    Turn.everywhere.all().delete()
    assert "erased since" in text_of(page(operator(), "recall", record))


def test_a_replay_tells_which_turns_moved_and_why():
    said("停车费35块", session_id="s1")
    with clock.at(START):
        make.remember(
            entity="user", attribute="停车费", value="35", text="车位每月三十五", kind="fact"
        )
    record = asked("停车费 车位", at=START + timedelta(hours=1))
    client = operator()
    same = page(client, "recall-replay", record)
    assert same.context["turn_moves"] == []
    with clock.at(START + timedelta(days=1)):
        make.remember(
            entity="user", attribute="停车费", value="50", text="车位每月五十", kind="fact"
        )
    answer = page(client, "recall-replay", record)
    (moved,) = answer.context["turn_moves"]
    assert (moved.move.was_rank, moved.move.now_rank) == (1, None)
    assert "Turns that moved, and why" in text_of(answer)
    assert reverse("batch", args=[moved.batches[0].public_id]) in text_of(answer)


def test_other_turns_now_are_no_difference_of_memories():
    said("停车费的单据")
    record = asked("停车费")
    said("停车费 停车费", at=START + timedelta(days=3), session_id="s2")
    shown = text_of(page(operator(), "recall-replay", record))
    assert "Equal to the record; other turns now" in shown


def test_a_stranger_sees_no_turn():
    said("停车费的单据")
    record, client = asked("停车费"), stranger()
    for name in ("recall", "recall-replay"):
        answer = page(client, name, record)
        assert answer.status_code == 404
        assert "单据" not in text_of(answer)


def test_queries_do_not_grow_with_turns():
    client = operator()
    said("停车费 0")
    one = reverse("recall", args=[asked("停车费").public_id])
    for number in range(20):
        said(f"停车费 {number}", session_id=f"s{number}")
    many = reverse("recall", args=[asked("停车费", turns=20).public_id])
    assert queries(client, many) <= queries(client, one)
