"""Entities over HTTP: their names, and what ties them together."""

from urllib.parse import quote

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import remember, scope, workspace
from tests.memory.api.calls import get, owner

pytestmark = pytest.mark.django_db


def said(entity: str, attribute: str, value: str, text: str = "", **fields):
    return remember(entity=entity, attribute=attribute, value=value, text=text, **fields)


def store() -> None:
    said("灰鲸项目", "用料", "云母板")
    said("云母板", "供应商", "海川公司")
    said("云母板", "单价", "30")
    said("Project Otter", "material", "云母板")
    remember(text="Hai Chuan writes from Dalian", links=("海川公司", "Dalian"))
    said("海川公司", "城市", "大连", user_id="ben")


def ties(name: str, **query):
    return get(owner(), f"/entities/{quote(name, safe='')}/links", user_id="ann", **query)


def test_entities_are_listed_by_name_with_their_counts():
    store()
    found = get(owner(), "/entities", user_id="ann")
    assert {e["name"]: (e["memories"], e["named_by"]) for e in found.data["items"]} == {
        "云母板": (2, 2), "灰鲸项目": (1, 0), "Project Otter": (1, 0), "海川公司": (0, 2),
        "Dalian": (0, 1),
    }  # fmt: skip
    assert (found.data["total"], found.data["next"]) == (5, None)


def test_pages_follow_one_another():
    store()
    client, cursor, names = owner(), "", []
    while cursor is not None:
        page = get(client, "/entities", user_id="ann", limit=2, cursor=cursor).data
        names += [entity["name"] for entity in page["items"]]
        cursor = page["next"]
    assert len(names) == len(set(names)) == 5
    assert get(client, "/entities", user_id="ann", cursor="*").problem == "invalid"


def test_a_number_and_a_value_that_nobody_speaks_of_are_no_entities():
    said("lamp", "colour", "grey")
    said("heap", "size", "30 kg")
    names = {e["name"] for e in get(owner(), "/entities", user_id="ann").data["items"]}
    assert names == {"lamp", "heap"}
    assert ties("grey").status_code == 404


def test_ties_lead_one_step_or_two():
    store()
    near = ties("灰鲸项目").data
    assert near["nodes"] == ["灰鲸项目", "云母板"]
    (edge,) = near["edges"]
    assert (edge["source"], edge["target"], edge["role"], edge["attribute"]) == (
        "灰鲸项目", "云母板", "value", "用料",
    )  # fmt: skip
    far = ties("灰鲸项目", depth=2).data
    assert set(far["nodes"]) == {"灰鲸项目", "云母板", "海川公司", "Project Otter"}
    assert len(far["edges"]) == 3
    assert not far["truncated"]
    assert ties("灰鲸项目", depth=3).problem == "invalid"


def test_a_name_is_found_however_it_is_written():
    store()
    assert ties("project　OTTER").data["name"] == "Project Otter"
    remember(text="a/b leads to c/d", links=("a/b", "c/d"))
    assert ties("a/b").data["nodes"] == ["a/b", "c/d"]


def test_what_is_no_longer_so_ties_nothing():
    row = said("灰鲸项目", "用料", "云母板")
    said("云母板", "单价", "30")
    apply(plan_retract(scope(), [row]).plan("retract", ""))
    assert ties("云母板").data["edges"] == []
    assert ties("灰鲸项目").status_code == 404


def test_another_user_and_another_workspace_are_not_there():
    store()
    remember(scope(workspace("w2")), entity="灰鲸项目", attribute="用料", value="竹板")
    other = get(owner(), "/entities/海川公司/links", user_id="ben").data
    assert other["nodes"] == ["海川公司"]
    assert get(owner(), "/entities/云母板/links", user_id="ben").status_code == 404
    bound = owner(user_id="ben", name="bens")
    assert [e["name"] for e in get(bound, "/entities").data["items"]] == ["海川公司"]
    assert get(bound, "/entities", user_id="ann").status_code == 403
    assert get(owner(name="all"), "/entities").problem == "invalid"


def test_what_is_bounded_says_so_and_no_query_is_added():
    for number in range(60):
        remember(text=f"hub and {number}", links=("hub", f"rim{number}a", f"rim{number}b"))
    client = owner()
    get(client, "/entities", user_id="ann")
    with CaptureQueriesContext(connection) as few:
        get(client, "/entities/rim3a/links", user_id="ann")
    with CaptureQueriesContext(connection) as many:
        answer = get(client, "/entities/hub/links", user_id="ann")
    assert len(many) == len(few)
    assert len(answer.data["nodes"]) <= 100
    assert len(answer.data["edges"]) <= 100
    assert answer.data["truncated"]
