"""Meaning beside words, through HTTP."""

import pytest

from memory.api.recall import RecallAnswer
from memory.index.embedding import embedder
from memory.write.embed import embed_pending
from tests.meanings import broken, compared
from tests.memory.api.calls import holds_to, owner, post
from tests.model_server import error

pytestmark = pytest.mark.django_db


def recalled(client, query: str, **more) -> dict:
    answer = post(client, "/recall", {"query": query, "user_id": "ann"} | more)
    assert answer.status_code == 200, answer.data
    assert holds_to(RecallAnswer, answer.data)
    return answer.data


def kept(client, text: str, user_id: str = "ann") -> str:
    answer = post(client, "/memories", {"user_id": user_id, "text": text, "kind": "fact"})
    return answer.data["results"][0]["memory"]["id"]


def test_an_agent_finds_other_words_of_its_users_meaning_only(settings):
    client = owner()
    mine = kept(client, "The trip has a budget of 1200 euros")
    kept(client, "The party has a budget of 70 euros", "bob")
    with compared(settings):
        embed_pending(embedder())
        told = recalled(client, "How much money may we burn?")
    assert [item["memory"]["id"] for item in told["items"]] == [mine]
    assert told["items"][0]["matched_by"] == "meaning"
    assert told["meaning"] == {"model": "concepts-1 at 127.0.0.1", "problem": ""}


def test_an_agent_is_told_that_words_went_alone(settings):
    client = owner()
    mine = kept(client, "The trip has a budget of 1200 euros")
    with compared(settings, broken(error(500))):
        told = recalled(client, "budget of the trip")
    assert [item["memory"]["id"] for item in told["items"]] == [mine]
    assert told["items"][0]["cosine"] is None
    assert told["meaning"]["problem"] == "http_500"


def test_where_nothing_compares_meaning_no_answer_speaks_of_it():
    client = owner()
    kept(client, "The trip has a budget of 1200 euros")
    told = recalled(client, "budget of the trip")
    assert "meaning" not in told
    assert not {"matched_by", "cosine"} & told["items"][0].keys()
