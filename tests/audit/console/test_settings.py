import json
import re
import shlex
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse

from memory import clock
from memory.models import ApiKey, Role
from tests import factories as make

pytestmark = pytest.mark.django_db
GOOD = {"name": "support bot", "scopes": ["read", "write"], "user_id": "", "expires_days": "30"}


def person(role: str = Role.ADMIN) -> Client:
    return make.logged_in(make.person(f"p-{role}", role=role))


def revoke(key: ApiKey) -> str:
    return reverse("key-revoke", args=[key.pk])


def test_policies_show_the_workspaces_own_and_the_defaults():
    make.policy("fact", half_life_hours=4321)
    page = person().get("/settings/").content.decode()
    assert "4321" in page
    assert "inventory" in page


def test_keys_are_listed_without_their_text_or_digest():
    key, text = make.api_key(name="indexer", user_id="bo")
    page = person().get("/settings/").content.decode()
    assert "indexer" in page
    assert key.prefix in page
    assert "bo" in page
    assert text not in page
    assert key.digest not in page


def test_a_new_key_is_shown_once_works_and_is_not_kept_in_a_cache():
    client = person()
    answer = client.post("/settings/keys/", GOOD)
    page = answer.content.decode()
    text = re.search(r'<code class="text-break fs-3" id="key">(mase_[^<]+)</code>', page)[1]
    key = ApiKey.objects.holding(text)
    assert (key.name, key.scopes) == ("support bot", ["read", "write"])
    assert key.workspace == make.workspace()
    assert timedelta(days=29) < key.expires_at - clock.now() < timedelta(days=31)
    assert answer.headers["Cache-Control"] == "no-store"
    assert text not in client.get("/settings/").content.decode()


def test_the_ready_commands_run_as_they_stand():
    answer = person().post("/settings/keys/", GOOD | {"user_id": 'd\'Arc "bo"'})
    write, read = (
        shlex.split(command.replace("\\\n", "")) for command in answer.context["commands"]
    )
    assert write[1].endswith("/api/v1/memories")
    assert read[1].endswith("/api/v1/recall")
    assert json.loads(read[-1])["user_id"] == 'd\'Arc "bo"'
    client = make.client_for(answer.context["text"])
    for command in (write, read):
        path = command[1].removeprefix("http://testserver")
        assert client.post(path, command[-1], "application/json").status_code in (200, 201)


def test_a_key_that_may_only_read_is_offered_no_write():
    answer = person().post("/settings/keys/", GOOD | {"scopes": ["read"], "expires_days": ""})
    assert len(answer.context["commands"]) == 1
    assert ApiKey.objects.get().expires_at is None


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "n" * 101),
        ("name", "taken"),
        ("scopes", []),
        ("scopes", ["everything"]),
        ("expires_days", "0"),
        ("expires_days", "soon"),
        ("expires_days", "99999999999"),
        ("user_id", "u" * 201),
    ],
)
def test_bad_input_makes_no_key(field, value):
    make.api_key(name="taken")
    answer = person().post("/settings/keys/", GOOD | {field: value})
    assert answer.status_code == 422
    assert answer.context["form"].errors[field]
    assert ApiKey.objects.count() == 1


def test_the_name_of_a_revoked_key_is_free_again():
    make.api_key(name="support bot")
    ApiKey.objects.update(revoked_at=clock.now())
    assert person().post("/settings/keys/", GOOD).status_code == 200


def test_revoke_stops_the_key_at_once():
    key, text = make.api_key()
    client = person()
    page = client.post(revoke(key), follow=True).content.decode()
    assert "revoked" in page
    assert ApiKey.objects.holding(text) is None
    first = ApiKey.objects.get().revoked_at
    client.post(revoke(key))
    assert ApiKey.objects.get().revoked_at == first


@pytest.mark.parametrize("role", [Role.VIEWER, Role.REVIEWER, Role.OPERATOR, Role.AUDITOR])
def test_others_see_the_list_without_buttons(role):
    key, text = make.api_key(name="indexer")
    client = person(role)
    page = client.get("/settings/").content.decode()
    assert "indexer" in page
    assert 'action="/settings/keys/' not in page
    assert client.post("/settings/keys/", GOOD).status_code == 403
    assert client.post(revoke(key)).status_code == 403
    assert ApiKey.objects.holding(text) == key
    assert ApiKey.objects.count() == 1


def test_an_admin_of_another_workspace_sees_and_stops_nothing_here():
    key, text = make.api_key(name="indexer")
    stranger = make.logged_in(make.person("sam", make.workspace("w2"), Role.ADMIN))
    assert "indexer" not in stranger.get("/settings/").content.decode()
    assert stranger.post(revoke(key)).status_code == 404
    assert ApiKey.objects.holding(text) == key
    stranger.post("/settings/keys/", GOOD)
    assert ApiKey.objects.get(name="support bot").workspace == make.workspace("w2")


def test_anonymous_goes_to_login():
    key, _text = make.api_key()
    assert Client().get("/settings/").headers["Location"].startswith("/login/")
    for path in ("/settings/keys/", revoke(key)):
        assert Client().post(path, GOOD).headers["Location"].startswith("/login/")
    assert ApiKey.objects.count() == 1


def test_making_and_revoking_are_posts():
    key, _text = make.api_key()
    client = person()
    assert client.get("/settings/keys/").status_code == 405
    assert client.get(revoke(key)).status_code == 405


def test_queries_do_not_grow_with_keys(django_assert_max_num_queries):
    client = person()
    for number in range(20):
        make.api_key(name=f"bot {number}")
    client.get("/settings/")
    with django_assert_max_num_queries(11):
        client.get("/settings/")


def test_in_chinese():
    client = person()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in client.get("/settings/").content.decode()
