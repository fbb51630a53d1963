"""`manage.py rotate_api_key`."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory import clock
from memory.models import ApiKey
from tests.factories import api_key, instant, workspace

pytestmark = pytest.mark.django_db
NOON = instant("2026-03-01 12:00")


def rotated(*args: str) -> str:
    out, told = StringIO(), StringIO()
    call_command("rotate_api_key", *args, stdout=out, stderr=told)
    assert out.getvalue().strip() not in told.getvalue()
    return out.getvalue().strip()


def test_the_new_key_may_what_the_old_one_may_and_both_work_for_a_while():
    with clock.at(NOON):
        old, old_text = api_key(
            scopes=["read", "erase"], user_id="ann", name="客服",
            expires_at=NOON + timedelta(days=90), rate=7,
        )  # fmt: skip
    with clock.at(NOON + timedelta(days=80)):
        text = rotated("客服", "--days", "3")
        new = ApiKey.objects.holding(text)
        assert (new.name, new.scopes, new.user_id, new.rate) == ("客服", old.scopes, "ann", 7)
        assert new.replaces == old
        assert new.expires_at == clock.now() + timedelta(days=90)
        assert ApiKey.objects.holding(old_text) == old
    with clock.at(NOON + timedelta(days=83, seconds=1)):
        assert ApiKey.objects.holding(old_text) is None
        assert ApiKey.objects.holding(text) == new


def test_an_old_key_never_lives_longer_than_it_would_have():
    with clock.at(NOON):
        old, _ = api_key(expires_at=NOON + timedelta(days=1))
        rotated("bot", "--days", "30")
    old.refresh_from_db()
    assert old.expires_at == NOON + timedelta(days=1)


def test_a_key_without_an_end_is_followed_by_one_without_an_end():
    old, old_text = api_key()
    assert ApiKey.objects.holding(rotated(f"mase_{old.prefix}", "--days", "0")).expires_at is None
    assert ApiKey.objects.holding(old_text) is None


@pytest.mark.parametrize("wrong", [("nobody",), ("bot", "--days", "-1"), ("bot", "--days", "91")])
def test_what_cannot_be_rotated_changes_nothing(wrong):
    api_key()
    with pytest.raises(CommandError):
        rotated(*wrong)
    assert ApiKey.objects.count() == 1


def test_dead_keys_and_keys_of_other_workspaces_are_not_found():
    workspace("w2")
    api_key(name="old", expires_at=clock.now() - timedelta(seconds=1))
    for args in (("old", "--workspace", "w1"), ("old", "--workspace", "w2")):
        with pytest.raises(CommandError, match="in use"):
            rotated(*args)


def test_two_keys_of_one_name_must_be_told_apart_and_a_replaced_one_is_not_meant():
    first, _ = api_key()
    api_key()
    with pytest.raises(CommandError, match="several"):
        rotated("bot")
    rotated(f"mase_{first.prefix}")
    with pytest.raises(CommandError):
        rotated(f"mase_{first.prefix}")
    assert ApiKey.objects.filter(replaces=first).count() == 1
