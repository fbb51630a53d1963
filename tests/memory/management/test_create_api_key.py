"""`manage.py create_api_key`."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory import clock
from memory.models import ApiKey
from tests.factories import instant, workspace

pytestmark = pytest.mark.django_db
NOON = instant("2026-03-01 12:00")


def made(*args: str) -> tuple[ApiKey, str, str]:
    out, told = StringIO(), StringIO()
    call_command("create_api_key", *args, stdout=out, stderr=told)
    text = out.getvalue().strip()
    return ApiKey.objects.holding(text), text, told.getvalue()


def test_the_key_alone_is_printed_and_only_its_digest_is_kept():
    workspace("w1")
    key, text, told = made("客服机器人")
    assert (key.name, key.workspace.name, key.user_id) == ("客服机器人", "w1", "")
    assert key.scopes == ["read", "write"]
    assert text not in told
    secret = text.split("_", 2)[2]
    assert secret not in str(vars(key))


def test_scopes_user_and_expiry():
    workspace("w1")
    with clock.at(NOON):
        key, *_ = made("bot", "--scopes", "read, erase", "--user", "ann", "--expires", "90d")
    assert (key.scopes, key.user_id) == (["erase", "read"], "ann")
    assert key.expires_at == NOON + timedelta(days=90)


def test_a_key_may_have_a_number_of_requests_of_its_own():
    workspace("w1")
    assert made("bot", "--rate", "60")[0].rate == 60
    assert made("other")[0].rate is None


def test_several_workspaces_must_be_told_apart():
    workspace("w1"), workspace("w2")
    assert made("bot", "--workspace", "w2")[0].workspace.name == "w2"
    for wrong in ((), ("--workspace", "w3")):
        with pytest.raises(CommandError):
            made("bot", *wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        ("bot", "--scopes", "read,admin"),
        ("bot", "--scopes", ","),
        ("bot", "--expires", "90"),
        ("bot", "--expires", "0d"),
        ("bot", "--expires", "-1d"),
        ("bot", "--expires", "99999w"),
        ("bot", "--rate", "-1"),
        ("bot", "--user", "*"),
        ("bot", "--user", " "),
        ("bot", "--user", "u" * 201),
        ("  ",),
        ("n" * 101,),
    ],
)
def test_a_wrong_argument_makes_no_key(wrong):
    workspace("w1")
    with pytest.raises(CommandError):
        made(*wrong)
    assert ApiKey.objects.count() == 0
