"""What goes on while the cache is down: everything but working memory, and that says so."""

import pytest
from django.core.cache import cache
from django.test import Client

from memory.jobs import alive, work
from memory.models import Memory
from tests import factories as make
from tests.audit.console.pages_kit import operator, text_of
from tests.memory.api.calls import call, get, owner, post

pytestmark = pytest.mark.django_db
PUT = ("PUT", "/working/s1/step", {"user_id": "ann", "value": 3})


@pytest.fixture(autouse=True)
def _down(settings, _own_cache):
    settings.CACHES = {"default": {"BACKEND": "tests.broken_cache.BrokenCache"}}
    with pytest.raises(ConnectionError):
        cache.get("anything")


def log_in(password: str):
    return Client().post("/login/", {"username": "ann", "password": password})


def test_people_log_in_and_nobody_is_kept_out(caplog):
    make.person("ann")
    assert [log_in("guess").status_code for _ in range(6)] == [200] * 6
    assert log_in("pass-word-1").status_code == 302
    assert "The cache is down" in caplog.text
    assert "guess" not in caplog.text


def test_agents_write_and_recall(settings):
    settings.RATE_PER_MINUTE = 1
    client = owner()
    for _ in range(2):
        assert post(client, "/memories", {"user_id": "ann", "text": "茶要热的"}).status_code < 300
        asked = {"user_id": "ann", "query": "什么茶", "session_id": "s1"}
        assert post(client, "/recall", asked).data["items"][0]["memory"]["text"] == "茶要热的"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        PUT,
        ("GET", "/working/s1?user_id=ann", None),
        ("GET", "/working/s1/step?user_id=ann", None),
        ("DELETE", "/working/s1/step?user_id=ann", None),
        ("DELETE", "/working/s1?user_id=ann", None),
    ],
)
def test_working_memory_says_to_come_again(method, path, body):
    answer = call(owner(), method, path, body)
    assert (answer.status_code, answer.problem) == (503, "out_of_reach")
    assert answer["Content-Type"] == "application/problem+json"
    assert int(answer["Retry-After"]) >= 1


def test_its_pages_say_so_and_the_others_stand():
    memory = make.budget("640")
    client = operator()
    for address in ("/working/", "/working/abc/"):
        away = client.get(address)
        assert (away.status_code, "does not answer" in text_of(away)) == (503, True)
    assert client.post("/working/abc/remove/").status_code == 503
    assert client.get("/working.json").status_code == 503
    for address in ("/", "/memories/", "/jobs/", "/imports/", "/settings/", "/health/"):
        assert client.get(address).status_code == 200, address
    job = work.start(make.scope(), "reindex")
    assert client.get(f"/jobs/{job.public_id}/").status_code == 200
    # What working memory says could not be looked at, so nothing is said to be gone.
    refused = client.get(f"/memories/{memory.public_id}/erase/", follow=True)
    assert "Nothing was erased" in text_of(refused)


def test_nothing_is_erased_that_could_not_be_looked_for():
    memory = make.budget("640")
    answer = post(owner(), f"/memories/{memory.public_id}/erase", {"reason": "asked"})
    assert (answer.status_code, answer.problem) == (503, "out_of_reach")
    assert Memory.everywhere.filter(pk=memory.pk).exists()


def test_a_worker_works_and_its_sign_is_not_missed():
    alive.Sign().give()
    alive.gone()
    work.start(make.scope(), "reindex")
    work.work()
    assert get(owner(), "/jobs").data["items"][0]["state"] == "done"
