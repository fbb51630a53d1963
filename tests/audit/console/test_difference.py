"""The page of the difference of two dates."""

from datetime import timedelta

import pytest

from audit.health.report import run_report, save_report
from memory import clock
from memory.write.apply import apply
from memory.write.revise import plan_confirm
from tests import factories as make

from .pages_kit import links, operator, queries, text_of, viewer
from .test_past import DAY, START, story

pytestmark = pytest.mark.django_db
SPAN = "/diff/?since=2026-03-02&until=2026-03-03"


def test_what_happened_in_whole_days_from_first_to_last():
    story()
    client = operator()
    page = client.get(SPAN)
    assert [row.moved.change for row in page.context["rows"]] == ["superseded"]
    assert "<del>500</del><ins>800</ins>" in text_of(page)
    first = client.get("/diff/?since=2026-03-01&until=2026-03-01")
    assert [row.moved.change for row in first.context["rows"]] == ["added"]
    assert "<ins>我的预算是500元</ins>" in text_of(first)
    third = client.get("/diff/?since=2026-03-03&until=2026-03-03")
    assert [row.label for row in third.context["rows"]] == ["Retracted", "Superseded"]
    assert "<del>Ann likes tea</del>" in text_of(third)
    assert "不对" in text_of(third)


def test_fields_that_changed_in_place():
    with clock.at(START):
        row = make.remember(text="Ann likes tea", confidence=0.5)
    with clock.at(START + 2 * DAY):
        apply(plan_confirm(make.scope(), row).plan("confirm", ""))
    page = operator().get(SPAN)
    (row,) = page.context["rows"]
    assert row.moved.change == "changed"
    assert "confidence" in [field.label for field in row.fields]


def test_one_kind_has_its_tab():
    story()
    page = operator().get("/diff/?since=2026-03-03&until=2026-03-03&change=retracted")
    assert [row.moved.change for row in page.context["rows"]] == ["retracted"]
    assert [(tab.value, tab.count, tab.active) for tab in page.context["states"]] == [
        ("", 2, False), ("superseded", 1, False), ("retracted", 1, True),
    ]  # fmt: skip


def test_a_user_and_an_agent_narrow_it():
    with clock.at(START + DAY):
        make.remember(text="Ann likes tea", agent_id="a1")
        make.remember(text="Ben likes tea", user_id="ben")
    client = operator()
    assert len(client.get(SPAN).context["rows"]) == 2
    ann = client.get(f"{SPAN}&user_id=ann")
    assert [row.moved.after["user_id"] for row in ann.context["rows"]] == ["ann"]
    other = client.get(f"{SPAN}&agent_id=a2")
    assert [row.moved.after["user_id"] for row in other.context["rows"]] == ["ben"]
    nobody = client.get(f"{SPAN}&user_id=nobody")
    assert "Nothing is different" in text_of(nobody)


def test_without_days_the_last_seven():
    with clock.at(START):
        make.remember(text="an old thing")
    client = operator()
    with clock.at(START + 8 * DAY):
        make.remember(text="a new thing")
        page = client.get("/diff/")
    assert [row.moved.after["text"] for row in page.context["rows"]] == ["a new thing"]


def test_usual_spans_and_the_last_report():
    client = operator()
    assert len(client.get("/diff/").context["ranges"]) == 3
    with clock.at(START):
        save_report(make.scope(), run_report(make.scope()))
    story()
    page = client.get("/diff/")
    since = page.context["ranges"][-1][1]
    assert since == START.isoformat()
    assert {"since": [since]} in links(page)
    rows = client.get("/diff/", {"since": since}).context["rows"]
    assert [row.moved.change for row in rows] == ["superseded"]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"since": "soon"}, "A date such as"),
        ({"since": "2026-03-03", "until": "2026-03-01"}, "before the first"),
        ({"until": "2999-01-01"}, "still to come"),
        ({"since": "2999-01-01"}, "still to come"),
        ({"user_id": "x" * 201}, "200"),
        ({"change": "vanished"}, "Compare"),
    ],
)
def test_what_cannot_be_asked_is_told(asked, told):
    story()
    client = operator()
    page = client.get("/diff/", asked)
    assert page.status_code == 422
    assert told in text_of(page)
    assert client.get("/diff.json", asked).status_code == 422


def test_pages_go_on():
    with clock.at(START + DAY):
        for number in range(53):
            make.remember(text=f"gate {number}")
    client = operator()
    first = client.get(SPAN)
    assert first.context["total"] == 53
    rest = client.get(SPAN, {"cursor": first.context["next"]} | asked(SPAN))
    assert [row.moved.after["text"] for row in rest.context["rows"]] == [
        "gate 2",
        "gate 1",
        "gate 0",
    ]
    assert rest.context["next"] is None


def asked(address: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in address.partition("?")[2].split("&"))


def test_the_same_as_json():
    story()
    client = operator()
    assert "/diff.json?since=2026-03-02" in text_of(client.get(SPAN))
    body = client.get("/diff.json", asked(SPAN)).json()
    assert [item["change"] for item in body["items"]] == ["superseded"]
    assert body["items"][0]["new"]["text"] == "我的预算是800元"
    assert body["counts"]["superseded"] == body["total"] == 1


def test_who_may_only_read_sees_it_too():
    story()
    assert viewer().get(SPAN).status_code == 200


def test_as_many_queries_for_many_as_for_one():
    story()
    client = operator()
    few = queries(client, SPAN)
    with clock.at(START + DAY + timedelta(hours=1)):
        for number in range(9):
            make.remember(text=f"gate {number}")
    assert queries(client, SPAN) == few
