"""Turns on the command line."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import Recall
from tests import factories as make

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, "--workspace", "w1", stdout=out, no_color=True)
    return out.getvalue()


def test_recall_prints_turns_and_why():
    make.turn(content="锚链要十五米")
    make.turn(content="锚链旧的卖了", agent_id="clerk", session_id="s2")
    said = run("recall", "锚链多长", "--user", "ann", "--agent", "guide", "--explain")
    assert "锚链要十五米" in said.split("</memory>")[0]
    assert "turn 1. " in said
    assert "matched 锚链" in said
    assert "turn dropped at agent: belongs to another agent\n   user: 锚链旧的卖了" in said
    data = json.loads(run("recall", "锚链多长", "--user", "ann", "--json"))
    assert len(data["turns"]) == 2
    assert all(one["turn"]["role"] == "user" for one in data["turns"])


def test_the_number_of_turns_is_an_option():
    make.turn(content="锚链要十五米")
    assert "(nothing)" in run("recall", "锚链", "--user", "ann", "--turns", "0")
    assert Recall.everywhere.get().filters["turns"] == 0
    with pytest.raises(CommandError, match="turns"):
        run("recall", "锚链", "--user", "ann", "--turns", "21")


def test_replay_and_reindex_know_turns():
    make.turn(content="锚链要十五米")
    record = make.ask("锚链").record
    data = json.loads(run("replay", str(record.public_id), "--json"))
    assert data["equal"]
    assert len(data["turns"]["now"]) == 1
    out = StringIO()
    call_command("reindex", verbosity=0, stdout=out)
    call_command("reindex", "--check", stdout=out)
    assert len(make.ask("锚链").turns) == 1
