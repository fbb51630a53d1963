"""The commands as somebody at a terminal uses them."""

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory import clock
from memory.models import Batch, Memory, Recall, Workspace
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, no_color=True)
    return out.getvalue()


def refused(*arguments: str) -> CommandError:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    return error.value


def test_remember_adds_supersedes_and_confirms():
    first = run("remember", "我的车位是B2-17", "--user", "ann", "--session", "s1")
    assert first.startswith("added ")
    second = run("remember", "我的车位是B3-02", "--user", "ann", "--reason", "换了")
    assert second.startswith("superseded ")
    assert "instead of: 我的车位是B2-17" in second
    assert run("remember", "我的车位是B3-02。", "--user", "ann").startswith("confirmed ")
    row = Memory.everywhere.get(status="active")
    assert str(row.public_id) in second
    assert (row.entity, row.attribute, row.value) == ("user", "车位", "B3-02")
    assert (row.source, row.user_id, row.confirmations) == ("user_said", "ann", 1)
    assert list(Batch.everywhere.order_by("id").values_list("reason", "actor"))[1] == (
        "换了", "command",
    )  # fmt: skip


def test_remember_makes_a_first_workspace_and_then_asks_which():
    run("remember", "x", "--user", "ann")
    assert Workspace.objects.get().name == "default"
    make.workspace("w2")
    error = refused("remember", "y", "--user", "ann")
    assert error.returncode == 2
    assert "default, w2" in str(error)
    run("remember", "y", "--user", "ann", "--workspace", "w2")
    assert Memory.everywhere.get(text="y").workspace.name == "w2"
    error = refused("remember", "z", "--user", "ann", "--workspace", "w3")
    assert (error.returncode, "w3" in str(error)) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("remember", "  ", "--user", "ann"), "text"),
        (("remember", "nul\0", "--user", "ann"), "text"),
        (("remember", "x", "--user", ""), "user"),
        (("remember", "x", "--user", " "), "user"),
        (("remember", "x", "--user", "u" * 201), "user_id"),
        (("remember", "x"), "--user"),
        (("remember", "--user", "ann"), "text"),
        (("recall", "  ", "--user", "ann"), "query"),
        (("recall", "x", "--user", ""), "user"),
        (("recall", "x"), "--user"),
        (("recall", "x", "--user", "ann", "--limit", "0"), "limit"),
        (("recall", "x", "--user", "ann", "--limit", "many"), "limit"),
        (("recall", "x", "--user", "ann", "--profile", "loud"), "profile"),
        (("recall", "x", "--user", "ann", "--as-of", "yesterday"), "--as-of"),
        (("recall", "x", "--user", "ann", "--as-of", "2026-13-01T00:00+08:00"), "--as-of"),
        (("recall", "x", "--user", "ann", "--as-of", "2026-03-01T00:00"), "--as-of"),
        (("demo", "--port", "first"), "--port"),
        (("reindex", "--chek"), "--chek"),
        (("maintain", "now"), "now"),
    ],
)
def test_wrong_arguments_are_told_and_nothing_is_written(arguments, said):
    error = refused(*arguments)
    assert said in str(error)
    assert error.returncode in (1, 2)
    assert not Memory.everywhere.exists()
    assert not Recall.everywhere.exists()


def test_recall_prints_what_an_agent_would_be_given():
    with clock.at(START):
        make.budget("800")
    with clock.at(START + timedelta(days=1)):
        make.budget("1200")
    out = run("recall", "我现在预算多少？", "--user", "ann")
    assert "我的预算是1200元" in out
    assert "800" not in out
    assert run("recall", "预算", "--user", "ben") == "(nothing)\n"
    record = Recall.everywhere.order_by("id").first()
    assert (record.actor, record.surface) == ("command", "command")


def test_recall_of_the_past():
    with clock.at(START):
        make.budget("800")
    with clock.at(START + timedelta(days=1)):
        make.budget("1200")
    out = run("recall", "预算", "--user", "ann", "--as-of", "2026-03-01T20:00+08:00")
    assert "我的预算是800元" in out
    assert "1200" not in out


def test_recall_explains_itself():
    make.remember(text="码头六点开")
    make.remember(text="码头有事", agent_id="buyer")
    out = run("recall", "我问码头", "--user", "ann", "--agent", "guide", "--explain")
    row = Recall.everywhere.get()
    for part in (
        "码头六点开",
        "relevance 0.",
        "importance 0.",
        "freshness 0.",
        "matched 码头",
        "stop-word",
        "dropped at agent: belongs to another agent",
        str(row.public_id),
    ):
        assert part in out


def test_recall_as_json():
    row = make.budget("1200")
    data = json.loads(run("recall", "预算", "--user", "ann", "--json"))
    assert data["items"][0]["memory"]["id"] == str(row.public_id)
    assert data["recall_id"] == str(Recall.everywhere.get().public_id)
    assert "预算" in data["context"]["text"]


def test_reindex_says_how_many():
    make.budget("800")
    make.budget("1200")
    assert "reindexed 2 memories" in run("reindex")
    assert "say what the table says" in run("reindex", "--check")


def counted_indexes() -> set[str]:
    """Of which the engine knows how many rows they give for a value."""
    with connection.cursor() as cursor:
        return {name for (name,) in cursor.execute("SELECT DISTINCT idx FROM sqlite_stat1")}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("options", [[], ["--optimise"]])
def test_maintain_expires_what_is_due_and_folds_the_log(options):
    make.remember(text="milk", expires_at=START)
    make.remember(text="honey")
    with clock.at(START + timedelta(hours=1)):
        out = run("maintain", *options)
    assert "expired 1" in out
    assert "folded in" in out
    assert dict(Memory.everywhere.values_list("text", "status")) == {
        "milk": "expired", "honey": "active",
    }  # fmt: skip
    assert "expired 0" in run("maintain", *options)
    assert "memory_by_user" in counted_indexes()
    assert "say what the table says" in run("reindex", "--check")
    assert "every entry" in run("verify_ledger")


@pytest.mark.django_db(transaction=True)
def test_maintain_gives_rows_the_end_that_their_policy_makes(monkeypatch):
    monkeypatch.setattr("memory.write.policies.AT_ONCE", 0)
    with clock.at(START):
        row = make.remember(text="forty crates of pears", kind="inventory")
        make.policy("inventory", ttl_hours=48)
        assert "another end by policy 1" in run("maintain")
        assert "another end by policy 0" in run("maintain")
    with clock.at(START + timedelta(hours=47)):
        assert "expired 0" in run("maintain")
    row.refresh_from_db()
    assert (row.ttl_hours, row.expires_at) == (48, START + timedelta(hours=48))


def test_remember_tells_what_waits_and_why():
    run("remember", "我的车位是B2-17", "--user", "ann", "--session", "s1")
    told = run("remember", "我的电话是13900001234", "--user", "ann")
    assert told.startswith("quarantined ")
    assert "held for: personal_data" in told
    assert "held for" not in run("remember", "我的车位是B3-02", "--user", "ann")
    error = refused("remember", "后台的密码是 Blauwal-7731-Kiel", "--user", "ann")
    assert "looks like a secret" in str(error)
    assert "Blauwal" not in str(error)
