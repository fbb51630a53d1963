"""Corrections over HTTP: what was previewed is what changes, or nothing does."""

import logging
from datetime import timedelta

import pytest

from memory import clock
from memory.api.corrections import AppliedForm
from memory.models import Batch, Correction, Memory
from memory.write.proposal import Proposal
from memory.write.remember import remember
from tests import factories as make
from tests.memory.api.calls import call, get, holds_to, owner, post, written

from .correction_kit import applied, fact, proposed, rows, state_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "new"),
    [("白鹭组的差旅上限改成1800", "1800"), ("不对，白鹭组的差旅上限是1800", "1800")],
)
def test_a_correction_is_previewed_applied_and_undone(text, new):
    client = owner()
    old = fact(client, "白鹭组", "差旅上限", "1500")
    seen = rows()
    preview = proposed(client, text)
    assert (preview["verdict"], preview["count"], preview["blocked"]) == ("correction", 1, False)
    assert [target["id"] for target in preview["targets"]] == [old["id"]]
    assert preview["change"] == {"action": "replace", "value": new}
    assert preview["confirm_count"] is None
    assert rows() == seen
    answer = applied(client, preview, reason="told on the phone")
    assert answer.status_code == 200
    assert holds_to(AppliedForm, answer.data)
    (result,) = answer.data["results"]
    assert (result["action"], result["memory"]["value"]) == ("superseded", new)
    assert result["previous"]["id"] == old["id"]
    assert (result["memory"]["source"], result["memory"]["text"]) == (
        "user_said", f"白鹭组的差旅上限是{new}",
    )  # fmt: skip
    batch = Batch.everywhere.get(public_id=answer.data["batch_id"])
    assert (batch.verb, batch.reason, batch.user_id) == ("correct", "told on the phone", "ann")
    undo = answer.data["undo"].removeprefix("/api/v1")
    assert post(client, undo).status_code == 200
    assert state_of(client, old) == "active"
    assert state_of(client, result["memory"]) == "retracted"


def test_in_english_by_what_the_session_talks_of():
    client = owner()
    fact(client, "the Osprey trip", "budget", "800")
    fact(client, "the Osprey trip", "hotel", "Seaview")
    preview = proposed(client, "No, 1200.", session_id="s1")
    assert [target["attribute"] for target in preview["targets"]] == ["budget"]
    # Without the session nothing tells what is meant.
    assert proposed(client, "No, 1200.")["targets"] == []


def test_without_a_reason_the_utterance_is_the_ledgers():
    client = owner()
    fact(client, "白鹭组", "差旅上限", "1500")
    answer = applied(client, proposed(client, "白鹭组的差旅上限改成1800"))
    assert Batch.everywhere.get(public_id=answer.data["batch_id"]).reason == (
        "白鹭组的差旅上限改成1800"
    )


@pytest.mark.parametrize(
    "text",
    [
        "后天的彩排应该是3点开始",
        "The concert was actually lovely",
        "请更新一下说明书",
        "好的，明白",
    ],
)
def test_what_only_looks_like_a_correction_changes_nothing(text):
    client = owner()
    for value in ("每月最多花3000元", "20230615", "周五彩排挪到5点", "爱喝普洱", "3月交名册"):
        written(client, text=value, session_id="s1")
    seen = rows()
    preview = proposed(client, text, session_id="s1")
    assert (preview["verdict"], preview["targets"]) == ("not_a_correction", [])
    answer = applied(client, preview)
    assert (answer.status_code, answer.problem) == (409, "nothing_to_apply")
    assert rows() == seen


def test_neighbours_do_not_change_what_is_meant():
    alone, among = owner(), owner(of=make.workspace("w2"), name="other")
    for client in (alone, among):
        fact(client, "周会", "时间", "3点")
        fact(client, "user", "餐补", "3000元")
    for n in range(12):
        written(among, text=f"{n} 点 周会")
        fact(among, f"周会{n}", "时间", "3点")
    previews = [proposed(client, "周会的时间改成5点") for client in (alone, among)]
    told = [[(t["entity"], t["attribute"]) for t in preview["targets"]] for preview in previews]
    assert told[0] == told[1] == [("周会", "时间")]
    assert previews[0]["verdict"] == previews[1]["verdict"] == "correction"


def test_forgetting_needs_all_the_words():
    client = owner()
    wanted = written(client, text="A9 初稿 封面")
    for text in ("A9 定稿通知", "初稿整理计划", "最后的排期"):
        written(client, text=text)
    preview = proposed(client, "忘掉 A9 初稿 封面")
    assert [target["id"] for target in preview["targets"]] == [wanted["id"]]
    assert preview["change"] == {"action": "retract", "value": None}
    assert proposed(client, "忘掉 A9 没有的词qqq")["targets"] == []
    short = proposed(client, "忘掉 的")
    assert (short["reason"], short["targets"], short["candidates"]) == ("too_short", [], [])
    answer = applied(client, preview)
    assert [result["action"] for result in answer.data["results"]] == ["retracted"]
    assert state_of(client, wanted) == "retracted"


@pytest.mark.parametrize("text", ["忘掉 %", "忘掉 _", "忘掉 %%", "forget %"])
def test_a_sign_is_no_wildcard(text):
    client = owner()
    for said in ("满减80%", "满减800", "log_level 约定", "logXlevel 约定"):
        written(client, text=said)
    assert proposed(client, text)["targets"] == []


def test_over_the_cap_nothing_changes_and_an_alarm_is_raised(caplog):
    client = owner()
    for n in range(36):
        fact(client, f"工地{n}", "进度", f"第{n}步", text=f"工地{n}的进度说明")
    seen = rows()
    with caplog.at_level(logging.WARNING):
        preview = proposed(client, "忘掉所有关于工地的内容")
    assert (preview["count"], preview["cap"], preview["blocked"]) == (36, 20, True)
    assert preview["candidates"] == []
    for body in ({}, {"confirm_count": 36}):
        answer = applied(client, preview, **body)
        assert (answer.status_code, answer.problem) == (409, "over_the_cap")
    assert rows() == seen
    alarms = [record for record in caplog.records if record.levelname == "WARNING"]
    assert any(preview["id"] in alarm.getMessage() for alarm in alarms)
    assert not any("工地" in alarm.getMessage() for alarm in alarms)
    assert Correction.everywhere.get(blocked=True).state == "open"


def test_a_named_thing_with_too_many_facts_is_blocked_with_its_true_number():
    client = owner()
    remember(
        make.scope(),
        [
            Proposal(user_id="ann", entity="仓库B", attribute=f"货架{n}", value=f"第{n}层")
            for n in range(205)
        ],
    )
    preview = proposed(client, "忘掉所有关于仓库B的内容")
    assert (preview["verdict"], preview["count"], preview["blocked"]) == ("correction", 205, True)
    assert applied(client, preview, confirm_count=205).problem == "over_the_cap"


def test_several_facts_need_their_number():
    client = owner()
    mine = [fact(client, "蓝湾店", name, value) for name, value in
            (("电话", "分机31"), ("店长", "小潘"), ("面积", "90平米"))]  # fmt: skip
    other = fact(client, "红坊店", "店长", "小戚")
    preview = proposed(client, "忘掉所有关于蓝湾店的内容")
    assert (preview["count"], preview["confirm_count"], preview["blocked"]) == (3, 3, False)
    for body in ({}, {"confirm_count": 2}):
        answer = applied(client, preview, **body)
        assert (answer.status_code, answer.problem) == (409, "needs_confirmation")
    assert {state_of(client, one) for one in mine} == {"active"}
    answer = applied(client, preview, confirm_count=3)
    assert answer.status_code == 200
    assert {state_of(client, one) for one in mine} == {"retracted"}
    assert state_of(client, other) == "active"
    post(client, answer.data["undo"].removeprefix("/api/v1"))
    assert {state_of(client, one) for one in mine} == {"active"}


def test_a_memory_that_moved_is_named_and_nothing_changes():
    client = owner()
    moved = fact(client, "蓝湾店", "店长", "小潘")
    kept = fact(client, "蓝湾店", "面积", "90平米")
    preview = proposed(client, "忘掉所有关于蓝湾店的内容")
    call(client, "PATCH", f"/memories/{moved['id']}", {"value": "小戚"})
    seen = rows()
    answer = applied(client, preview, confirm_count=2)
    assert (answer.status_code, answer.problem) == (409, "stale_plan")
    assert answer.data["memories"] == [moved["id"]]
    assert rows() == seen
    assert state_of(client, kept) == "active"


def test_what_came_after_the_preview_is_not_touched():
    client = owner()
    fact(client, "蓝湾店", "店长", "小潘")
    preview = proposed(client, "忘掉所有关于蓝湾店的内容")
    later = fact(client, "蓝湾店", "面积", "90平米")
    assert applied(client, preview).status_code == 200
    assert state_of(client, later) == "active"


def test_applying_twice_changes_once_and_names_the_batch():
    client = owner()
    fact(client, "蓝湾店", "店长", "小潘")
    preview = proposed(client, "蓝湾店的店长改成小戚")
    first = applied(client, preview)
    seen = rows()
    again = applied(client, preview)
    assert (again.status_code, again.problem) == (409, "already_applied")
    assert again.data["batches"] == [first.data["batch_id"]]
    assert rows() == seen
    assert get(client, f"/corrections/{preview['id']}").data["batch_id"] == first.data["batch_id"]
    dismissed = post(client, f"/corrections/{preview['id']}/dismiss")
    assert (dismissed.status_code, dismissed.problem) == (409, "already_applied")


def test_an_old_preview_is_gone():
    client = owner()
    fact(client, "蓝湾店", "店长", "小潘")
    preview = proposed(client, "蓝湾店的店长改成小戚")
    with clock.at(clock.now() + timedelta(minutes=59)):
        assert get(client, f"/corrections/{preview['id']}").data["state"] == "open"
    with clock.at(clock.now() + timedelta(minutes=61)):
        answer = applied(client, preview)
        assert (answer.status_code, answer.problem) == (410, "expired")
        assert get(client, f"/corrections/{preview['id']}").data["state"] == "expired"
    assert Memory.everywhere.count() == 1


def test_a_dismissed_one_stays_without_effect():
    client = owner()
    fact(client, "蓝湾店", "店长", "小潘")
    preview = proposed(client, "蓝湾店的店长改成小戚")
    for _ in range(2):
        answer = post(client, f"/corrections/{preview['id']}/dismiss", {"reason": "a slip"})
        assert (answer.status_code, answer.data["state"]) == (200, "dismissed")
    refused = applied(client, preview)
    assert (refused.status_code, refused.problem) == (409, "dismissed")
