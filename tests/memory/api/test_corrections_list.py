"""Corrections over HTTP: whose memories are meant, and the list of what was asked."""

import pytest

from memory.api.corrections import CorrectionRow
from memory.api.paging import Page
from memory.models import Status
from tests import factories as make
from tests.memory.api.calls import get, holds_to, owner, post

from .correction_kit import applied, fact, proposed, state_of

pytestmark = pytest.mark.django_db


def test_what_a_recall_served_is_what_is_talked_of():
    client = owner()
    mine = fact(client, "蓝湾店", "房租", "7000", session_id="s7")
    fact(client, "红坊店", "面积", "90平米", session_id="s8")
    recall = post(client, "/recall", {"query": "蓝湾店 房租", "user_id": "ann"}).data["recall_id"]
    preview = proposed(client, "不对，是7500", recall_id=recall)
    assert [target["id"] for target in preview["targets"]] == [mine["id"]]


def test_each_user_and_workspace_for_itself():
    client = owner()
    fact(client, "蓝湾店", "店长", "小潘")
    theirs = fact(client, "蓝湾店", "店长", "小潘", user_id="ben")
    preview = proposed(client, "蓝湾店的店长改成小戚")
    ben = make.client_for(make.api_key(user_id="ben", name="of ben")[1])
    elsewhere = owner(of=make.workspace("w2"), name="elsewhere")
    missing = get(client, "/corrections/00000000-0000-0000-0000-000000000007")
    for stranger in (ben, elsewhere):
        path = f"/corrections/{preview['id']}"
        answers = [
            get(stranger, path), post(stranger, f"{path}/apply"), post(stranger, f"{path}/dismiss"),
        ]  # fmt: skip
        assert {answer.status_code for answer in answers} == {404}
        assert {answer.content for answer in answers} == {missing.content}
    teammate = owner(name="teammate")
    assert applied(teammate, preview).status_code == 200
    assert state_of(client, theirs) == "active"
    outside = post(ben, "/corrections", {"text": "蓝湾店的店长改成小戚", "user_id": "ann"})
    assert (outside.status_code, outside.problem) == (403, "outside_scope")


def test_a_bound_key_needs_no_user():
    make.remember(user_id="ben", entity="蓝湾店", attribute="店长", value="小潘")
    ben = make.client_for(make.api_key(user_id="ben", name="of ben")[1])
    preview = post(ben, "/corrections", {"text": "蓝湾店的店长改成小戚"}).data
    assert (preview["user_id"], preview["count"]) == ("ben", 1)


def test_another_agents_memory_is_not_meant():
    client = owner()
    fact(client, "蓝湾店", "店长", "小潘", agent_id="a1")
    assert proposed(client, "蓝湾店的店长改成小戚", agent_id="a2")["targets"] == []
    assert proposed(client, "蓝湾店的店长改成小戚", agent_id="a1")["count"] == 1


def test_a_guess_gives_way_to_the_users_own_word():
    client = owner()
    old = fact(client, "货架D", "存量", "38", source="inferred", confidence=0.5)
    answer = applied(client, proposed(client, "货架D的存量改成41"))
    new = answer.data["results"][0]["memory"]
    assert (new["source"], new["confidence"]) == ("user_said", 0.9)
    assert state_of(client, old) == Status.SUPERSEDED


def test_corrections_are_listed_newest_first_by_pages():
    client = owner()
    fact(client, "user", "预算", "800")
    first = proposed(client, "不对，我的预算是1200")
    second = proposed(client, "不对，我的预算是1500")
    applied(client, second)
    page = get(client, "/corrections", limit=1)
    assert holds_to(Page[CorrectionRow], page.data)
    assert (page.data["items"][0]["id"], page.data["total"]) == (second["id"], 2)
    rest = get(client, "/corrections", limit=1, cursor=page.data["next"]).data
    assert [one["id"] for one in rest["items"]] == [first["id"]]
    (done,) = get(client, "/corrections", state="applied", user_id="ann").data["items"]
    assert done["batch_id"]
    assert get(client, "/corrections", state="over").status_code == 422
    theirs = owner(of=make.workspace("w2"), name="theirs")
    assert get(theirs, "/corrections").data["items"] == []
    bobs = owner(user_id="bob", name="bobs")
    assert get(bobs, "/corrections").data["total"] == 0
    assert get(bobs, "/corrections", user_id="ann").status_code == 403
