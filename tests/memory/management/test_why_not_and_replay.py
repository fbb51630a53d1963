"""The commands why_not and replay as somebody at a terminal uses them."""

import json
from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from memory import clock
from memory.models import Recall
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")
NOBODY = str(UUID(int=9))


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, no_color=True)
    return out.getvalue()


def refused(*arguments: str) -> str:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    return str(error.value)


def test_why_not_of_what_is_recalled():
    row = make.remember(text="灯塔在北岸")
    out = run("why_not", "灯塔", "--user", "ann", row.public_id)
    assert out == "灯塔在北岸\nis recalled, at rank 1\n"
    assert Recall.everywhere.count() == 0


def test_why_not_shows_both_sides_and_what_to_change():
    row = make.remember(text="灯塔在北岸")
    out = run("why_not", "渡船几点", "--user", "ann", row.public_id)
    for part in (
        "dropped at words: shares no term",
        "question: 渡船",
        "in a row: [渡船]",
        "memory: 灯塔",
        "灯塔 塔在",
        "shared: -",
        "1. Ask with ",
    ):
        assert part in out
    make.remember(text="……", user_id="ben")


def test_why_not_takes_the_filters_of_a_recall():
    row = make.remember(text="灯塔在北岸", kind="fact", domain="port", agent_id="guard")
    ask = ("why_not", "灯塔", "--user", "ann", row.public_id)
    assert "dropped at kind" in run(*ask, "--kind", "rule")
    assert "dropped at domain" in run(*ask, "--domain", "home")
    assert "dropped at agent" in run(*ask, "--agent", "cook")
    assert "dropped at budget" in run(*ask, "--budget", "5")
    assert "limit: from 1 to" in refused(*ask, "--limit", "0")


def test_why_not_without_advice_says_so():
    row = make.remember(text="……")
    assert "no change is known" in run("why_not", "渡船", "--user", "ann", row.public_id)


def test_why_not_as_json():
    row = make.remember(text="the lighthouse is north", user_id="ben")
    data = json.loads(run("why_not", "lighthouse", "--user", "ann", row.public_id, "--json"))
    assert (data["found"], data["gate"]) == (False, "user")
    assert data["advice"][0]["user_id"] == "ben"


def test_why_not_of_nothing():
    make.workspace()
    assert NOBODY in refused("why_not", "灯塔", "--user", "ann", NOBODY)
    assert "invalid" in refused("why_not", "灯塔", "--user", "ann", "not-an-id")
    foreign = make.remember(make.scope(make.workspace("w2")), text="灯塔在北岸")
    ask = ("why_not", "灯塔", "--user", "ann", foreign.public_id, "--workspace")
    assert "no memory" in refused(*ask, "w1")
    assert "is recalled" in run(*ask, "w2")


def replay_of_a_retraction() -> tuple[str, str]:
    with clock.at(START):
        row = make.remember(text="灯塔在北岸")
        record = make.ask("灯塔").record
    with clock.at(START + timedelta(hours=1)):
        apply(plan_retract(make.scope(), [row]).plan("retract", "拆了"))
    return str(record.public_id), str(row.public_id)


def test_replay_tells_then_now_and_why():
    recall_id, _ = replay_of_a_retraction()
    out = run("replay", recall_id)
    for part in (
        "the store of then answers as recorded",
        "1. 0.",
        "now: nothing",
        "1 -> -, batch: 灯塔在北岸",
        "retract by person:ann, 2026-03-01 10:00: 拆了, batch ",
    ):
        assert part in out
    assert Recall.everywhere.count() == 1


def test_replay_of_a_record_that_its_store_does_not_bear_out():
    recall_id, _ = replay_of_a_retraction()
    Recall.everywhere.get().candidates.update(memory_id=UUID(int=9))
    out = run("replay", recall_id)
    assert "does not answer as recorded" in out
    assert "(gone)" in out


def test_replay_as_json():
    recall_id, memory_id = replay_of_a_retraction()
    data = json.loads(run("replay", recall_id, "--json"))
    assert (data["recall_id"], data["equal"]) == (recall_id, True)
    assert [move["memory_id"] for move in data["moves"]] == [memory_id]


def test_replay_of_nothing():
    recall_id, _ = replay_of_a_retraction()
    make.workspace("w2")
    assert NOBODY in refused("replay", NOBODY, "--workspace", "w1")
    assert "no recall" in refused("replay", recall_id, "--workspace", "w2")
    assert "invalid" in refused("replay", "7")


def test_replay_names_the_policy_that_moved_a_memory():
    with clock.at(START - timedelta(days=2)):
        make.remember(text="北岸有一座灯塔", kind="event", confidence=0.66)
    with clock.at(START):
        make.remember(text="北岸有两座灯塔", kind="event", confidence=0.6)
        record = make.ask("北岸的灯塔", profile="confident").record
    with clock.at(START + timedelta(hours=2)):
        make.policy("event", half_life_hours=2)
        out = run("replay", record.public_id)
    assert "1 -> 2, policy: 北岸有一座灯塔" in out
    assert "event, version 1 by person:ann, 2026-03-01 11:00: half-life 720 h -> 2 h" in out
