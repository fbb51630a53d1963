import pytest
from django.test import Client
from django.urls import reverse

from memory.models import Recall
from tests import factories as make

pytestmark = pytest.mark.django_db


def owner() -> Client:
    return make.logged_in(make.person("olive", role="operator"))


def test_a_question_is_recorded_and_answered_by_its_record():
    make.budget("640")
    make.budget("910")
    answer = owner().post("/recall/", {"user_id": "ann", "query": "预算多少"})
    kept = Recall.everywhere.get()
    assert answer.headers["Location"] == reverse("recall", args=[kept.public_id])
    assert (kept.actor, kept.surface, kept.user_id) == ("person:olive", "console", "ann")
    assert "910" in kept.context
    assert "640" not in kept.context


def test_looking_records_nothing():
    make.budget("640")
    page = owner().get("/recall/", {"user_id": "ann", "query": "预算"}).content.decode()
    assert not Recall.everywhere.exists()
    assert 'value="ann"' in page
    assert ">预算</textarea>" in page


def test_all_filters_reach_the_recall():
    make.remember(text="tea at four", kind="rule", domain="house", agent_id="butler")
    make.remember(text="tea is green", kind="fact", domain="shop", agent_id="butler")
    said = {
        "user_id": "ann",
        "query": "tea",
        "agent_id": "butler",
        "kinds": ["rule", "fact"],
        "domains": "house，garden",
        "limit": "3",
        "as_of": "2999-01-01T10:00",
    }
    owner().post("/recall/", said)
    kept = Recall.everywhere.get()
    assert kept.filters["kinds"] == ["rule", "fact"]
    assert kept.filters["domains"] == ["house", "garden"]
    assert kept.filters["agent_id"] == "butler"
    assert kept.filters["limit"] == 3
    assert kept.as_of.year == 2999


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_id", ""),
        ("user_id", "  "),
        ("query", ""),
        ("limit", "0"),
        ("limit", "many"),
        ("kinds", "gossip"),
        ("as_of", "yesterday"),
        ("as_of", "0001-01-01T00:00"),
    ],
)
def test_bad_input_is_said_beside_its_field_and_nothing_is_lost(field, value):
    said = {"user_id": "ann", "query": "how much tea", "domains": "house"} | {field: value}
    answer = owner().post("/recall/", said)
    assert answer.status_code == 422
    assert answer.context["form"].errors[field]
    assert 'value="house"' in answer.content.decode()
    assert not Recall.everywhere.exists()


def test_the_latest_questions_are_the_persons_own():
    client = owner()
    make.budget("640")
    make.ask("asked by an agent", make.scope(user_id="ann", actor="key:bot", surface="api"))
    client.post("/recall/", {"user_id": "ann", "query": "asked by olive"})
    page = client.get("/recall/").content.decode()
    assert "asked by olive" in page
    assert "asked by an agent" not in page


def test_users_are_suggested_of_this_workspace_only():
    make.remember(text="one", user_id="bo")
    make.remember(make.scope(make.workspace("w2")), text="two", user_id="elsewhere")
    page = owner().get("/recall/").content.decode()
    assert '<option value="bo">' in page
    assert "elsewhere" not in page


def test_a_viewer_may_ask():
    make.budget("640")
    viewer = make.logged_in(make.person("vic", role="viewer"))
    assert viewer.post("/recall/", {"user_id": "ann", "query": "预算"}).status_code == 302


def test_a_stranger_is_given_nothing_of_this_workspace():
    make.budget("640")
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    answer = stranger.post("/recall/", {"user_id": "ann", "query": "预算"}, follow=True)
    assert "640" not in answer.content.decode()
    assert Recall.everywhere.get().served == 0


def test_anonymous_goes_to_login():
    assert Client().get("/recall/").headers["Location"].startswith("/login/")
    answer = Client().post("/recall/", {"user_id": "ann", "query": "预算"})
    assert answer.headers["Location"].startswith("/login/")
    assert not Recall.everywhere.exists()


def test_in_chinese():
    client = owner()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in client.get("/recall/").content.decode()
