"""The graph of a memory: drawn, listed, and only of what holds."""

import re

import pytest

from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests.factories import remember, scope, workspace

from .pages_kit import operator, queries, stranger, text_of

pytestmark = pytest.mark.django_db


def said(entity: str, attribute: str, value: str, **fields):
    return remember(entity=entity, attribute=attribute, value=value, **fields)


def page_of(memory) -> str:
    return text_of(operator().get(f"/memories/{memory.public_id}/"))


def test_a_memorys_ties_are_drawn_and_listed():
    one = said("灰鲸项目", "用料", "云母板")
    other = said("云母板", "供应商", "海川公司")
    remember(text="Hai Chuan is in Dalian", links=("海川公司", "Dalian"))
    page = page_of(one)
    drawing = page[page.index('<svg class="graph"') :].partition("</svg>")[0]
    assert len(re.findall("<line ", drawing)) == 2
    for name in ("灰鲸项目", "云母板", "海川公司"):
        assert f">{name}</text>" in drawing
    assert "Dalian" not in drawing
    assert "style=" not in drawing
    assert "?entity=%E6%B5%B7%E5%B7%9D%E5%85%AC%E5%8F%B8&amp;user_id=ann" in page
    table = page[page.index("</svg>", page.index('class="graph"')) :].partition("</table>")[0]
    for word in ("用料", "供应商", "this memory", f"/memories/{other.public_id}/"):
        assert word in table


def test_nothing_tied_nothing_drawn():
    client, lamp = operator(), said("lamp", "colour", "grey")
    for one in (lamp, remember(text="just a remark")):
        assert 'class="graph"' not in text_of(client.get(f"/memories/{one.public_id}/"))


def test_what_no_longer_holds_or_is_another_users_is_not_drawn():
    one = said("灰鲸项目", "用料", "云母板")
    gone = said("云母板", "供应商", "海川公司")
    apply(plan_retract(scope(), [gone]).plan("retract", ""))
    said("云母板", "供应商", "北岸公司", user_id="ben")
    remember(scope(workspace("w2")), entity="云母板", attribute="供应商", value="南岸公司")
    page = page_of(one)
    for name in ("海川公司", "北岸公司", "南岸公司"):
        assert f">{name}</text>" not in page


def test_names_are_escaped_and_cut():
    one = remember(text="two", links=("<b>bold</b>", "x" * 90))
    page = page_of(one)
    assert "<b>bold</b>" not in page
    assert "x" * 18 + "…</text>" in page


def test_the_list_of_an_entity_has_what_is_about_it_and_what_names_it():
    about = said("云母板", "供应商", "海川公司")
    names = said("灰鲸项目", "用料", "云母板")
    beside = said("竹板", "供应商", "竹料厂")
    page = text_of(operator().get("/memories/", {"entity": "云母板"}))
    assert str(about.public_id) in page
    assert str(names.public_id) in page
    assert str(beside.public_id) not in page


def test_a_stranger_sees_no_graph():
    one = said("灰鲸项目", "用料", "云母板")
    said("云母板", "供应商", "海川公司")
    assert stranger().get(f"/memories/{one.public_id}/").status_code == 404


def test_queries_do_not_grow_with_the_ties():
    one = said("灰鲸项目", "用料", "云母板")
    said("云母板", "供应商", "海川公司")
    client = operator()
    queries(client, f"/memories/{one.public_id}/")
    few = queries(client, f"/memories/{one.public_id}/")
    for number in range(30):
        said(f"展台{number}", "用料", "云母板")
    assert queries(client, f"/memories/{one.public_id}/") == few
