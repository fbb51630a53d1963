"""People and their roles."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.models import Membership, Role
from tests import factories as make
from tests.audit.console.pages_kit import queries, text_of

pytestmark = pytest.mark.django_db
PAGE = "/settings/people/"


def admin(name: str = "ada", of=None):
    return make.logged_in(make.person(name, of, Role.ADMIN))


def member(name: str) -> Membership:
    return Membership.objects.get(person__username=name, workspace=make.workspace())


def roles() -> dict[str, str]:
    rows = Membership.objects.filter(workspace=make.workspace())
    return dict(rows.values_list("person__username", "role"))


def test_a_new_person_gets_an_account_whose_password_is_shown_once_and_works():
    client = admin()
    answer = client.post(PAGE, {"username": "林舟", "role": "reviewer"})
    password = re.search(r'<code id="password">([^<]+)</code>', text_of(answer))[1]
    assert answer["Cache-Control"] == "no-store"
    assert 'value="林舟"' not in text_of(answer)
    assert password not in text_of(client.get(PAGE))
    assert roles()["林舟"] == "reviewer"
    sent = {"username": "林舟", "password": password}
    assert Client().post("/login/", sent).status_code == 302


def test_who_has_an_account_keeps_it():
    make.person("bo", make.workspace("w2"))
    before = User.objects.get(username="bo").password
    answer = admin().post(PAGE, {"username": "bo", "role": "auditor"}, follow=True)
    assert 'id="password"' not in text_of(answer)
    assert roles()["bo"] == "auditor"
    assert User.objects.get(username="bo").password == before


@pytest.mark.parametrize(
    "sent",
    [
        {"username": "", "role": "viewer"},
        {"username": "a b", "role": "viewer"},
        {"username": "new", "role": "owner"},
        {"username": "ada", "role": "viewer"},
    ],
)
def test_bad_input_gives_no_role(sent):
    assert admin().post(PAGE, sent).status_code == 422
    assert roles() == {"ada": "admin"}
    assert User.objects.count() == 1


def test_a_role_can_be_changed_and_taken():
    client = admin()
    make.person("bo", role=Role.VIEWER)
    client.post(f"{PAGE}{member('bo').pk}/", {"role": "operator"})
    assert roles()["bo"] == "operator"
    client.post(f"{PAGE}{member('bo').pk}/", {"role": ""})
    assert "bo" not in roles()
    assert User.objects.filter(username="bo").exists()


@pytest.mark.parametrize("role", ["viewer", ""])
def test_the_last_admin_stays(role):
    client = admin()
    answer = client.post(f"{PAGE}{member('ada').pk}/", {"role": role}, follow=True)
    assert "needs an admin" in text_of(answer)
    assert roles() == {"ada": "admin"}
    make.person("eve", role=Role.ADMIN)
    client.post(f"{PAGE}{member('ada').pk}/", {"role": role})
    assert roles().get("ada", "") == role


def test_only_admins_of_this_workspace_change_its_people():
    make.person("bo", role=Role.VIEWER)
    for role in (Role.VIEWER, Role.REVIEWER, Role.OPERATOR, Role.AUDITOR):
        client = make.logged_in(make.person(f"p-{role}", role=role))
        assert client.get(PAGE).status_code == 403
        assert client.post(f"{PAGE}{member('bo').pk}/", {"role": "admin"}).status_code == 403
    stranger = admin("sam", make.workspace("w2"))
    assert ">bo<" not in text_of(stranger.get(PAGE))
    assert stranger.post(f"{PAGE}{member('bo').pk}/", {"role": "admin"}).status_code == 404
    assert roles()["bo"] == "viewer"


def test_more_people_ask_no_more_questions():
    client = admin()
    few = queries(client, PAGE)
    for number in range(4):
        make.person(f"p{number}", role=Role.VIEWER)
    assert queries(client, PAGE) == few
