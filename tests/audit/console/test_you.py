"""Language, time zone and theme go with the person, not with the browser."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from audit.models import Preference
from memory.write.queue import QueueTimeout
from tests.factories import logged_in, person, remember

from .pages_kit import text_of

pytestmark = pytest.mark.django_db
CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN"}


def language(client, **headers) -> str:
    return re.search(r'<html lang="([^"]+)"', text_of(client.get("/settings/me/", **headers)))[1]


def theme(client, address: str = "/settings/me/") -> str:
    found = re.search(
        r'<html lang="[^"]+"(?: data-bs-theme="([^"]+)")?>', text_of(client.get(address))
    )
    return found[1] or "system"


def on_another_device(name: str = "olga") -> Client:
    client = Client()
    client.force_login(User.objects.get(username=name))
    return client


def save(client, **fields):
    return client.post("/settings/me/", {"language": "", "zone": "", "theme": ""} | fields)


def test_a_language_is_kept_on_every_device():
    client = logged_in(person("olga"))
    assert language(client) == "en"
    assert save(client, language="zh-hans").status_code == 302
    assert language(on_another_device()) == "zh-hans"


def test_the_switch_keeps_it_for_a_person_and_only_for_that_one():
    client = logged_in(person("olga"))
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/"})
    assert Preference.objects.get().language == "zh-hans"
    assert language(logged_in(person("otto"))) == "en"


def test_a_stranger_s_switch_keeps_nothing():
    Client().post("/i18n/setlang/", {"language": "zh-hans", "next": "/"})
    assert not Preference.objects.exists()


@pytest.mark.parametrize("wrong", [{"language": "xx"}, {"zone": "Mars/Base"}, {"theme": "sepia"}])
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
        person=User.objects.get(username="olga"), zone="Old/Zone", language="xx", theme="sepia"
    )
    assert (language(client), theme(client)) == ("en", "system")


def test_the_choice_costs_one_query():
    client = logged_in(person("olga"))
    save(client, zone="Asia/Shanghai", language="zh-hans", theme="dark")
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


def test_a_theme_is_kept_on_every_device_and_the_system_s_is_none():
    client = logged_in(person("olga"))
    assert theme(client) == "system"
    save(client, theme="dark")
    assert (theme(client), theme(on_another_device())) == ("dark", "dark")
    assert '<option value="dark" selected>' in text_of(on_another_device().get("/settings/me/"))
    assert theme(logged_in(person("otto"))) == "system"
    save(on_another_device())
    # What this browser kept meanwhile does not stand against the person.
    assert client.cookies["theme"].value == "dark"
    assert theme(client) == "system"


def test_the_switch_of_the_theme_keeps_it_for_a_person():
    client = logged_in(person("olga"))
    answer = client.post("/settings/me/theme/", {"theme": "dark", "next": "/memories/?q=x"})
    assert (answer.status_code, answer["Location"]) == (302, "/memories/?q=x")
    assert theme(on_another_device()) == "dark"
    pressed = re.findall(r'value="(\w*)"[^>]*aria-pressed="true"', text_of(client.get("/")))
    assert "dark" in pressed
    asked = client.post("/settings/me/theme/", {"theme": ""}, HTTP_HX_REQUEST="true")
    assert (asked.status_code, asked.content) == (204, b"")
    assert theme(on_another_device()) == "system"


def test_a_stranger_s_theme_stays_in_the_browser():
    client = Client()
    assert theme(client, "/login/") == "system"
    client.post("/settings/me/theme/", {"theme": "dark"})
    assert theme(client, "/login/") == "dark"
    assert theme(Client(), "/login/") == "system"
    # Who never chose anything keeps it on logging in.
    client.force_login(person("olga"))
    assert theme(client) == "dark"
    assert '<option value="dark" selected>' in text_of(client.get("/settings/me/"))
    client.post("/i18n/setlang/", {"language": "zh-hans", "next": "/"})
    assert theme(client) == theme(on_another_device()) == "dark"
    save(client)
    assert theme(client) == "system"


@pytest.mark.parametrize("wrong", ["sepia", "system", "dark;x"])
def test_a_theme_that_is_not_known_is_refused(wrong):
    client = logged_in(person("olga"))
    assert client.post("/settings/me/theme/", {"theme": wrong}).status_code == 400
    assert client.get("/settings/me/theme/").status_code == 405
    assert not Preference.objects.exists()
    client.cookies["theme"] = wrong
    assert theme(client) == "system"


def test_the_switch_of_the_theme_leads_to_no_other_site():
    answer = Client().post(
        "/settings/me/theme/", {"theme": "dark", "next": "https://example.org/x"}
    )
    assert answer["Location"] == "/"


def test_a_busy_store_says_so_and_keeps_the_theme_that_was(monkeypatch):
    def busy(*args, **more):
        raise QueueTimeout

    client = logged_in(person("olga"))
    monkeypatch.setattr("audit.console.you.choose", busy)
    answer = client.post("/settings/me/theme/", {"theme": "dark"}, HTTP_HX_REQUEST="true")
    assert answer["HX-Refresh"] == "true"
    assert "theme" not in answer.cookies
    assert "The store is busy" in text_of(client.get("/settings/me/"))
