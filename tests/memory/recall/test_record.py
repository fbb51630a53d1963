from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory import clock
from memory.models import Change, Memory, Recall, RecallCandidate, Scope
from memory.recall import RecallRequest, recall
from memory.recall.answer import as_dict
from memory.recall.record import add_outcome
from memory.text.terms import VERSION
from memory.write.snapshot import snapshot
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def test_all_of_a_recall_is_kept():
    with clock.at(START):
        best = make.remember(text="码头六点开", importance=5, agent_id="guide")
        second = make.remember(text="码头有灯塔")
        third = make.remember(text="码头旧闻", importance=1)
        other = make.remember(text="码头会议", kind="event")
    scope = Scope(make.workspace().pk, "key:guide", "api", "ann")
    since = START - timedelta(days=1)
    with clock.at(START + timedelta(hours=1)):
        answer = recall(
            RecallRequest(
                scope, "我想问码头几点开？", agent_id="guide", session_id="s7", limit=2,
                kinds=["other"], since=since, budget_tokens=500,
            )
        )  # fmt: skip
    row = Recall.everywhere.get()
    assert row == answer.record
    assert (row.user_id, row.agent_id, row.session_id) == ("ann", "guide", "s7")
    assert (row.actor, row.surface, row.at) == ("key:guide", "api", START + timedelta(hours=1))
    assert row.query == row.query_used == "我想问码头几点开？"
    assert "码头" in row.terms["used"]
    assert ["我", "stop-word"] in row.terms["dropped"]
    assert row.filters == {
        "user_id": "ann", "agent_id": "guide", "session_id": "s7", "kinds": ["other"],
        "since": since.isoformat(), "limit": 2, "budget_tokens": 500,
    }  # fmt: skip
    assert (row.profile, row.analyser, row.triggered, row.as_of) == (
        "balanced",
        VERSION,
        True,
        None,
    )
    assert (row.context, row.tokens) == (answer.context.text, answer.context.tokens)
    assert (row.served, row.prompt, row.answer) == (2, "", "")
    assert 0 < row.took_ms < 60_000
    kept = list(row.candidates.order_by("id"))
    assert [(c.memory_id, c.rank, c.gate) for c in kept] == [
        (best.public_id, 1, ""),
        (second.public_id, 2, ""),
        (other.public_id, None, "kind"),
        (third.public_id, None, "limit"),
    ]
    assert all(c.reason for c in kept if c.gate)
    assert all((c.status, c.revision, c.stale) == ("active", 1, False) for c in kept)
    assert [c.was_served for c in kept] == [True, True, False, False]
    for candidate, item in zip(kept, answer.items, strict=False):
        assert (candidate.score, candidate.parts) == (item.score, item.parts)
        assert candidate.matched == [[match.term, match.how] for match in item.matches]


def test_an_answer_of_nothing_is_kept_too():
    answer = make.ask("码头")
    assert (answer.record.served, answer.record.context) == (0, "")
    assert Recall.everywhere.count() == 1
    assert not RecallCandidate.objects.exists()


def test_reading_changes_nothing_but_the_log():
    make.budget("800")
    make.budget("1200")
    before = [snapshot(row) for row in Memory.everywhere.order_by("id")]
    entries = Change.objects.count()
    for _ in range(3):
        make.ask("预算")
    assert [snapshot(row) for row in Memory.everywhere.order_by("id")] == before
    assert Change.objects.count() == entries
    assert Recall.everywhere.count() == 3


def test_a_question_about_the_past_is_kept_as_one():
    with clock.at(START):
        make.budget("800")
    with clock.at(START + timedelta(days=1)):
        make.budget("1200")
    answer = make.ask("预算", as_of=START)
    assert answer.record.as_of == START
    candidate = answer.record.candidates.get()
    assert (candidate.status, candidate.stale) == ("active", False)


def test_what_came_of_it_is_kept_beside_it():
    make.budget("1200")
    answer = make.ask("预算")
    with clock.at(START):
        add_outcome(answer.record, prompt="…预算1200…", answer="您的预算是1200元。")
    row = Recall.everywhere.get()
    assert (row.prompt, row.answer, row.answered_at) == (
        "…预算1200…", "您的预算是1200元。", START,
    )  # fmt: skip
    assert row.context == answer.context.text


def test_the_answer_as_plain_data():
    row = make.budget("1200")
    make.remember(text="预算会议", kind="event")
    answer = make.ask("预算 gate", kinds=["fact"])
    data = as_dict(answer)
    assert data["recall_id"] == str(answer.record.public_id)
    assert data["triggered"] is True
    item = data["items"][0]
    assert (item["rank"], item["memory"]["id"]) == (1, str(row.public_id))
    assert item["memory"]["value"] == "1200"
    assert item["score"] == pytest.approx(sum(item["parts"].values()), abs=2e-6)
    assert item["matched_terms"][0]["term"] == "预算"
    assert [drop["gate"] for drop in data["dropped"]] == ["kind"]
    assert data["context"]["blocks"] == {
        "facts": [str(row.public_id)],
        "background": [],
        "immediate": [],
    }
    assert data["terms"]["used"] == ["预算", "gate"]


@pytest.mark.parametrize("asked", [{}, {"as_of": START}])
def test_queries_do_not_grow_with_rows(asked):
    def count() -> int:
        with CaptureQueriesContext(connection) as queries:
            answer = make.ask("码头", limit=40, budget_tokens=9000, **asked)
        counts.append(len(answer.items))
        return len(queries)

    counts: list[int] = []
    with clock.at(START):
        make.remember(text="码头 0")
        make.remember(text="码头 x", expires_at=START)
        few = count()
        for number in range(1, 40):
            make.remember(text=f"码头 {number}")
        many = count()
    assert counts == [1, 40]
    assert many == few <= 14


def test_questions_of_health_use_the_stale_mark_alone():
    make.budget("1200")
    answer = make.ask("预算")
    Memory.everywhere.update(status="retracted")
    assert not answer.record.candidates.filter(stale=True).exists()
