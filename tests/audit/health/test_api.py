"""GET /health."""

import pytest

from audit.health.api import ReportForm
from audit.health.report import run_report, save_report
from memory.models import Memory
from tests.factories import api_key, client_for, remember, scope, workspace
from tests.memory.api.calls import get, holds_to, owner

pytestmark = pytest.mark.django_db


def counts(client, **query) -> dict[str, int]:
    answer = get(client, "/health", **query)
    assert answer.status_code == 200, answer.data
    assert holds_to(ReportForm, answer.data)
    return {check["id"]: check["count"] for check in answer.data["checks"]}


def test_the_kept_report_stays_until_a_fresh_one_is_asked_for():
    save_report(scope(), run_report(scope()))
    remember(text="没有会话的记录", session_id="", agent_id="")
    client = owner()
    assert counts(client)["missing_metadata"] == 0
    assert counts(client, fresh=1)["missing_metadata"] == 1
    assert counts(client)["missing_metadata"] == 0


def test_a_store_without_a_report_is_looked_at():
    remember(text="没有会话的记录")
    assert counts(owner())["missing_metadata"] == 1


def test_a_key_bound_to_a_user_is_refused():
    for query in ({}, {"fresh": 1}):
        answer = get(client_for(api_key(user_id="ann")[1]), "/health", **query)
        assert (answer.status_code, answer.problem) == (403, "outside_scope")


def test_a_stranger_sees_only_the_own_workspace():
    kept = remember(text="没有会话的记录")
    save_report(scope(), run_report(scope()))
    answer = get(client_for(api_key(workspace("w2"))[1]), "/health", fresh=1)
    assert answer.data["workspace"] == "w2"
    assert sum(answer.data["counts"].values()) == 0
    assert str(kept.public_id) not in answer.content.decode()
    assert Memory.objects.within(scope()).count() == 1


def test_a_wrong_switch_is_named():
    answer = get(owner(), "/health", fresh="perhaps")
    assert [error["field"] for error in answer.data["errors"]] == ["fresh"]
