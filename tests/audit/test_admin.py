import pytest
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client
from django.urls import NoReverseMatch, reverse

from memory.models import ApiKey, Batch, Change, Memory, Recall, Turn
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def chief(client) -> Client:
    client.force_login(User.objects.create_superuser("chief", password="pass-word-1"))
    return client


@pytest.mark.parametrize("name", ["workspace", "membership", "apikey"])
def test_lists_and_forms_open(chief, name):
    make.api_key()
    make.person("olive")
    assert chief.get(reverse(f"admin:memory_{name}_changelist")).status_code == 200
    row = admin.site.get_model_admin(
        {m._meta.model_name: m for m in admin.site._registry}[name]
    ).model.objects.first()
    assert chief.get(reverse(f"admin:memory_{name}_change", args=[row.pk])).status_code == 200


@pytest.mark.parametrize("model", [Memory, Batch, Change, Recall, Turn])
def test_memories_and_the_ledger_are_not_here(model):
    assert not admin.site.is_registered(model)
    with pytest.raises(NoReverseMatch):
        reverse(f"admin:memory_{model._meta.model_name}_changelist")


def test_only_people_their_workspaces_and_keys_are_here(chief):
    names = {model._meta.model_name for model in admin.site._registry}
    assert names == {"user", "workspace", "membership", "apikey"}
    for path in ("/admin/auth/group/", "/admin/django_tasks_database/dbtaskresult/"):
        assert chief.get(path).status_code == 404


def test_a_key_shows_no_digest_and_is_not_made_here(chief):
    key, _text = make.api_key()
    page = chief.get(reverse("admin:memory_apikey_change", args=[key.pk])).content.decode()
    assert key.prefix in page
    assert key.digest not in page
    assert chief.get(reverse("admin:memory_apikey_add")).status_code == 403


def test_a_key_is_revoked_here(chief):
    key, text = make.api_key()
    data = {"action": "revoke", "_selected_action": [key.pk]}
    chief.post(reverse("admin:memory_apikey_changelist"), data)
    assert ApiKey.objects.holding(text) is None


def test_only_staff_come_in():
    client = make.logged_in(make.person("olive"))
    assert client.get("/admin/memory/apikey/").status_code == 302
    assert Client().get("/admin/memory/apikey/").status_code == 302
