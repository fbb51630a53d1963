from datetime import timedelta
from itertools import pairwise

import pytest

from memory import clock
from memory.recall.rank import PROFILES, freshness, rank
from memory.recall.relevance import Relevance
from tests import factories as make

START = make.instant("2026-03-01 09:00")


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (-3, 1.0), (0, 1.0), (7, 1.0), (18.5, 0.75), (30, 0.5), (60, 0.35), (90, 0.2), (999, 0.2),
    ],
)  # fmt: skip
def test_freshness_runs_through_its_three_points(days, expected):
    moment = START + timedelta(days=days)
    assert freshness(START, moment) == pytest.approx(expected)


def test_freshness_never_rises_with_age_and_never_jumps():
    values = [freshness(START, START + timedelta(hours=h)) for h in range(24 * 120)]
    steps = [a - b for a, b in pairwise(values)]
    assert min(steps) >= 0
    assert max(steps) < 0.001


@pytest.mark.django_db
def test_parts_are_weighed_and_add_up():
    make.remember(text="码头的灯塔在北边", importance=5)
    make.remember(text="码头 lighthouse", importance=1, kind="event")
    answer = make.ask("灯塔 码头 lighthouse")
    assert len(answer.items) == 2
    profile = PROFILES["balanced"]
    assert (profile.relevance, profile.importance, profile.freshness) == (0.5, 0.3, 0.2)
    for item in answer.items:
        assert set(item.parts) == {"relevance", "importance", "freshness"}
        assert item.score == pytest.approx(sum(item.parts.values()), abs=2e-6)
        assert 0 < item.parts["relevance"] <= 0.5
        assert item.parts["importance"] == pytest.approx(0.3 * (item.memory.importance - 1) / 4)
        assert 0 <= item.parts["freshness"] <= 0.2
    assert answer.items[0].score >= answer.items[1].score


@pytest.mark.django_db
def test_matched_terms_say_how_they_matched():
    make.remember(text="客户端口令每月更换")
    item = make.ask("端口 更换 灯塔").items[0]
    assert {(match.term, match.how) for match in item.matches} == {
        ("端口", "characters"), ("更换", "word"),
    }  # fmt: skip
    assert all(match.weight > 0 for match in item.matches)


@pytest.mark.django_db
def test_importance_and_freshness_decide_between_equals():
    with clock.at(START):
        make.remember(text="pier old")
        make.remember(text="pier heavy", importance=5)
    with clock.at(START + timedelta(days=60)):
        make.remember(text="pier new")
        answer = make.ask("pier")
    assert [item.memory.text for item in answer.items] == ["pier heavy", "pier new", "pier old"]


@pytest.mark.django_db
def test_rarer_words_weigh_more():
    for number in range(6):
        make.remember(text=f"pier log {number}")
    make.remember(text="pier lantern")
    make.remember(text="lantern rope shed")
    answer = make.ask("pier lantern rope")
    assert [item.memory.text for item in answer.items[:2]] == ["lantern rope shed", "pier lantern"]


@pytest.mark.django_db
def test_ties_are_always_in_the_same_order_newest_first():
    with clock.at(START):
        rows = [make.remember(text="码头", user_id="ann", agent_id=f"a{n}") for n in range(6)]
        orders = [[item.memory.pk for item in make.ask("码头").items] for _ in range(3)]
    assert orders == [[row.pk for row in rows[::-1]]] * 3
    found = [(row, Relevance(0.5, ())) for row in rows]
    for shuffled in (found, found[::-1], found[3:] + found[:3]):
        ranked = rank(shuffled, PROFILES["balanced"], START)
        assert [item.memory.pk for item in ranked] == orders[0]
