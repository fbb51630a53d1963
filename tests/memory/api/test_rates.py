"""How many requests a minute a key may make."""

from datetime import timedelta

import pytest

from memory import clock
from memory.api import rates
from memory.models import ApiKey
from tests.factories import api_key, client_for, instant, person
from tests.factories import logged_in as logged
from tests.memory.api.calls import get, post

pytestmark = pytest.mark.django_db
NOON = instant("2026-05-01 12:00")


def test_beyond_its_number_a_key_is_told_when_to_come_again(settings):
    settings.RATE_PER_MINUTE = 3
    client = client_for(api_key()[1])
    with clock.at(NOON + timedelta(seconds=20)):
        answers = [get(client, "/memories") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer["RateLimit-Remaining"] for answer in answers] == ["2", "1", "0", "0"]
    refused = answers[-1]
    assert refused.problem == "rate_limited"
    assert refused["Content-Type"] == "application/problem+json"
    assert (refused["Retry-After"], refused["RateLimit-Reset"]) == ("40", "40")
    assert refused["RateLimit-Limit"] == "3"
    with clock.at(NOON + timedelta(seconds=60)):
        assert get(client, "/memories").status_code == 200


def test_each_key_has_its_own_count_and_may_have_its_own_number(settings):
    settings.RATE_PER_MINUTE = 1
    mine, other, free = (client_for(api_key(name=name)[1]) for name in ("mine", "other", "free"))
    ApiKey.objects.filter(name="mine").update(rate=2)
    ApiKey.objects.filter(name="free").update(rate=0)
    with clock.at(NOON):
        assert [get(mine, "/memories").status_code for _ in range(3)] == [200, 200, 429]
        assert [get(other, "/memories").status_code for _ in range(2)] == [200, 429]
        answers = [get(free, "/memories") for _ in range(5)]
    assert {answer.status_code for answer in answers} == {200}
    assert "RateLimit-Limit" not in answers[0]


def test_a_refusal_counts_and_says_how_much_is_left(settings):
    settings.RATE_PER_MINUTE = 3
    client = client_for(api_key(scopes=["read"])[1])
    with clock.at(NOON):
        assert post(client, "/memories", {"text": "好"})["RateLimit-Remaining"] == "2"
        unknown = get(client, "/memories/00000000-0000-0000-0000-000000000001")
        assert (unknown.status_code, unknown["RateLimit-Remaining"]) == (404, "1")


def test_without_a_cache_nobody_is_refused_and_a_line_is_logged(settings, monkeypatch, caplog):
    settings.RATE_PER_MINUTE = 1

    def down(*args, **more):
        raise ConnectionError("no cache")

    monkeypatch.setattr(rates, "_tally", down)
    client = client_for(api_key()[1])
    assert [get(client, "/memories").status_code for _ in range(3)] == [200] * 3
    assert "not counted" in caplog.text
    assert "mase_" not in caplog.text


def test_people_and_probes_are_not_counted(settings):
    settings.RATE_PER_MINUTE = 1
    client = logged(person())
    assert {client.get("/memories/").status_code for _ in range(3)} == {200}
    assert {client.get("/healthz").status_code for _ in range(3)} == {200}
