"""Language and time zone go with the person, not with the browser."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import Preference
from tests.factories import logged_in, person, remember

from .pages_kit import text_of

pytestmark = pytest.mark.django_db
CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN"}


def language(client, **headers) -> str:
    return re.search(r'<html lang="([^"]+)"', text_of(client.get("/settings/me/", **headers)))[1]


def save(client, **fields):
    return client.post("/settings/me/", {"language": "", "zone": ""} | fields)


def test_a_language_is_kept_on_every_device():
    client = logged_in(person("olga"))
    assert language(client) == "en"
    assert save(client, language="zh-hans").status_code == 302
    other = Client()
    other.force_login(User.objects.get(username="olga"))
    assert language(other) == "zh-hans"


def test_the_switch_keeps_it_for_a_person_and_only_for_that_one():
    client = logged_in(person("olga"))
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/"})
    assert Preference.objects.get().language == "zh-hans"
    assert language(logged_in(person("otto"))) == "en"


def test_a_stranger_s_switch_keeps_nothing():
    Client().post("/i18n/setlang/", {"language": "zh-hans", "next": "/"})
    assert not Preference.objects.exists()


@pytest.mark.parametrize("wrong", [{"language": "xx"}, {"zone": "Mars/Base"}])
def test_what_is_not_known_is_refused(wrong):
    client = logged_in(person("olga"))
    assert save(client, **wrong).status_code == 422
    assert not Preference.objects.exists()


def test_without_a_choice_the_browser_decides():
    client = logged_in(person("olga"))
    save(client, language="en")
    assert language(client, **CHINESE) == "en"
    save(client)
    assert language(client, **CHINESE) == "zh-hans"


def test_times_are_in_the_person_s_zone():
    client, one = logged_in(person("olga")), remember(text="x is 5")
    address = f"/memories/{one.public_id}/"
    assert "UTC+00:00" in text_of(client.get(address))
    save(client, zone="Asia/Shanghai")
    page = text_of(client.get(address))
    assert "UTC+08:00" in page
    assert "UTC+00:00" not in page
    assert "UTC+00:00" in text_of(logged_in(person("otto")).get(address))


def test_a_zone_that_is_known_no_more_is_left_out():
    client = logged_in(person("olga"))
    Preference.objects.create(
        person=User.objects.get(username="olga"), zone="Old/Zone", language="xx"
    )
    assert language(client) == "en"


def test_the_choice_costs_one_query():
    client = logged_in(person("olga"))
    save(client, zone="Asia/Shanghai", language="zh-hans")
    with CaptureQueriesContext(connection) as seen:
        client.get("/link/?to=x")
    assert sum("audit_preference" in query["sql"] for query in seen.captured_queries) == 1


def test_columns_of_a_list_stay_when_the_language_changes():
    client = logged_in(person("olga"))
    Preference.objects.create(
        person=User.objects.get(username="olga"), columns={"memories": ["kind"]}
    )
    save(client, language="zh-hans")
    assert Preference.objects.get().columns == {"memories": ["kind"]}
