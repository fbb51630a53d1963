import json
import stat
from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from memory.index.upkeep import drift
from memory.models import ApiKey, Batch, Membership, Memory, Turn, Workspace
from memory.write.ledger import first_break
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


def demo(*options: str) -> str:
    out = StringIO()
    call_command("demo", "--no-serve", *options, stdout=out)
    return out.getvalue()


def counts() -> tuple[int, ...]:
    rows = [Memory.everywhere, Turn.everywhere, Batch.everywhere, ApiKey.objects]
    return tuple(each.count() for each in rows)


def test_the_demo_gives_a_store_an_account_and_a_key_and_is_played_once(tmp_path):
    facts = json.loads(demo("--json", "--port", "8123"))
    assert set(facts) == {"url", "username", "password", "api_key", "workspace"}
    assert facts["url"] == "http://127.0.0.1:8123/"
    workspace = Workspace.objects.get(name=facts["workspace"])
    person = get_user_model().objects.get(username=facts["username"])
    assert person.check_password(facts["password"])
    assert Membership.objects.get(person=person, workspace=workspace).may_correct
    key = ApiKey.objects.holding(facts["api_key"])
    assert (key.workspace, key.user_id) == (workspace, "")
    kept = tmp_path / "demo_account.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    before = counts()
    assert before[0] >= 150
    assert before[1] >= 60
    assert list(drift()) == []
    assert first_break() is None

    assert json.loads(demo("--json", "--port", "8123")) == facts
    assert counts() == before
    told = demo()
    assert "already there" in told
    assert facts["api_key"] in told
    assert facts["password"] in told

    budgets = Memory.objects.within(make.scope(workspace)).filter(attribute_key="预算")
    assert budgets.filter(status="active").exists()
    assert budgets.filter(status="superseded").exists()
    assert set(Memory.everywhere.values_list("workspace__name", flat=True)) == {"demo"}

    # A revoked key is made anew.
    ApiKey.objects.all().delete()
    again = json.loads(demo("--json"))
    assert again["api_key"] != facts["api_key"]
    assert ApiKey.objects.holding(again["api_key"])
    assert ApiKey.objects.holding(facts["api_key"]) is None
