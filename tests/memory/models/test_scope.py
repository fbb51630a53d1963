import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from memory.models import (
    Batch,
    Membership,
    Memory,
    Recall,
    Role,
    Scope,
    ScopeError,
    Turn,
    UnscopedQuery,
)
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("model", [Memory, Batch, Recall, Turn])
@pytest.mark.parametrize(
    "ask",
    [
        lambda rows: rows.all(),
        lambda rows: rows.filter(pk=1),
        lambda rows: rows.exclude(pk=1),
        lambda rows: rows.get(pk=1),
        lambda rows: rows.count(),
        lambda rows: rows.first(),
        lambda rows: rows.values_list("pk"),
        lambda rows: rows.create(),
    ],
)
def test_a_query_without_a_scope_raises(model, ask):
    with pytest.raises(UnscopedQuery):
        ask(model.objects)


@pytest.mark.parametrize("thing", [None, "", 1, {"workspace_id": 1}, object()])
def test_what_is_not_a_scope_raises(thing):
    with pytest.raises(UnscopedQuery):
        Memory.objects.within(thing)


@pytest.mark.parametrize(
    "parts",
    [
        {"workspace_id": 0, "actor": "a", "surface": "api"},
        {"workspace_id": None, "actor": "a", "surface": "api"},
        {"workspace_id": 1, "actor": "", "surface": "api"},
        {"workspace_id": 1, "actor": "a", "surface": ""},
        {"workspace_id": 1, "actor": "a", "surface": "api", "user_id": ""},
        {"workspace_id": 1, "actor": "a", "surface": "api", "user_id": " \u3000"},
    ],
)
def test_an_empty_scope_cannot_be_made(parts):
    with pytest.raises(ScopeError):
        Scope(**parts)


def test_three_people_see_only_their_own():
    ann = make.remember(user_id="ann", text="Ann parks on level two")
    ben = make.remember(user_id="ben", text="Ben parks on level three")
    other = make.workspace("w2")
    cai = make.remember(make.scope(other), user_id="ann", text="另一家公司的安停在地下一层")

    def seen(scope):
        return set(Memory.objects.within(scope).values_list("public_id", flat=True))

    assert seen(make.scope(user_id="ann")) == {ann.public_id}
    assert seen(make.scope(user_id="ben")) == {ben.public_id}
    assert seen(make.scope()) == {ann.public_id, ben.public_id}
    assert seen(make.scope(other)) == {cai.public_id}
    assert seen(make.scope(other, user_id="ben")) == set()


def test_a_scope_narrows_and_never_widens():
    wide = make.scope()
    narrow = wide.narrow("ann")
    assert narrow.user_id == "ann"
    assert (narrow.workspace_id, narrow.actor) == (wide.workspace_id, wide.actor)
    assert wide.narrow(None) is wide
    assert narrow.narrow("ann") is narrow
    assert narrow.narrow(None) is narrow
    for wrong in ("ben", "", " ann"):
        with pytest.raises(ScopeError):
            narrow.narrow(wrong)
    for empty in ("", "  ", "\u3000"):
        with pytest.raises(ScopeError):
            wide.narrow(empty)


def test_one_role_a_person_and_only_known_ones():
    person = User.objects.create_user("ann")
    Membership.objects.create(workspace=make.workspace(), person=person, role=Role.VIEWER)
    with pytest.raises(IntegrityError, match="UNIQUE"), transaction.atomic():
        Membership.objects.create(workspace=make.workspace(), person=person, role=Role.ADMIN)
    with pytest.raises(IntegrityError, match="known_role"), transaction.atomic():
        Membership.objects.create(workspace=make.workspace("w2"), person=person, role="owner")


@pytest.mark.parametrize(
    ("role", "may"),
    [
        ("viewer", False),
        ("auditor", False),
        ("reviewer", True),
        ("operator", True),
        ("admin", True),
    ],
)
def test_who_may_correct(role, may):
    assert Membership(role=role).may_correct is may
