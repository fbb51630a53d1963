from datetime import timedelta

import pytest

from memory import clock
from memory.models import ApiKey
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_only_a_digest_is_kept():
    key, text = make.api_key()
    row = ApiKey.objects.values().get(pk=key.pk)
    secret = text.split("_", 2)[2]
    assert text.startswith(f"mase_{key.prefix}_")
    assert len(secret) >= 43
    assert not any(secret in str(value) for value in row.values())
    assert len(row["digest"]) == 64
    assert secret not in str(key)
    assert key.prefix in str(key)


def test_the_digest_hangs_on_the_pepper(settings):
    _, text = make.api_key()
    assert ApiKey.objects.holding(text)
    settings.PEPPER = "another installation"
    assert ApiKey.objects.holding(text) is None


def test_a_live_key_is_held_and_no_other():
    key, text = make.api_key()
    _, other = make.api_key(name="second")
    assert ApiKey.objects.holding(text) == key
    head, prefix, secret = text.split("_", 2)
    for wrong in (
        "",
        "mase",
        prefix,
        text[:-1],
        text + "x",
        text.upper(),
        f"mase_{prefix}_",
        f"mase_00000000_{secret}",
        f"other_{prefix}_{secret}",
        f"{head}_{prefix}_{other.split('_', 2)[2]}",
        "mase_%_%",
        "密钥_一_二",
    ):
        assert ApiKey.objects.holding(wrong) is None, wrong


def test_an_expired_or_revoked_key_is_not_held():
    start = make.instant("2026-03-01 09:00")
    with clock.at(start):
        key, text = make.api_key(expires_at=start + timedelta(days=90))
    with clock.at(start + timedelta(days=90, seconds=-1)):
        assert ApiKey.objects.holding(text) == key
    with clock.at(start + timedelta(days=90)):
        assert ApiKey.objects.holding(text) is None
    with clock.at(start + timedelta(days=1)):
        key.revoked_at = clock.now()
        key.save()
        assert ApiKey.objects.holding(text) is None


@pytest.mark.parametrize("scopes", [[], ["admin"], ["read", "everything"], ["READ"]])
def test_unknown_or_no_scopes_are_refused(scopes):
    with pytest.raises(ValueError, match="scopes are some of"):
        make.api_key(scopes=scopes)
    assert not ApiKey.objects.exists()


def test_scopes_are_kept_once_each():
    key, _ = make.api_key(scopes=["write", "read", "write"])
    assert key.scopes == ["read", "write"]


def test_a_bound_key_gives_the_scope_of_its_user():
    bound, _ = make.api_key(user_id="ann", name="ann's bot")
    free, _ = make.api_key(name="all")
    assert bound.scope().user_id == "ann"
    assert bound.scope().actor == "key:ann's bot"
    assert free.scope().user_id is None
    assert free.scope().surface == "api"


def test_last_use_is_due_once_a_minute():
    key, _ = make.api_key()
    assert key.use_is_due
    start = make.instant("2026-03-01 09:00")
    key.last_used_at = start
    with clock.at(start + timedelta(seconds=60)):
        assert not key.use_is_due
    with clock.at(start + timedelta(seconds=61)):
        assert key.use_is_due
