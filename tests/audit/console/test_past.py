"""Pages as they were on another day."""

from datetime import timedelta

import pytest

from memory import clock
from memory.models import Memory
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make
from tests.memory.write.verbs import amend

from .pages_kit import assert_three_ways, links, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
START = make.instant("2026-03-01 09:00")
DAY = timedelta(days=1)


def story() -> tuple[Memory, Memory]:
    """500 on the first of March, 800 on the third; tea said on the second, wrong on the third."""
    with clock.at(START):
        old = make.budget("500")
    with clock.at(START + DAY):
        tea = make.remember(text="Ann likes tea")
    with clock.at(START + 2 * DAY):
        new = amend(old, value="800")
        apply(plan_retract(make.scope(), [tea]).plan("retract", "不对"))
    return old, new


def test_the_list_of_another_day():
    story()
    client = operator()
    page = client.get("/memories/?as_of=2026-03-02")
    assert "我的预算是500元" in text_of(page)
    assert "Ann likes tea" in text_of(page)
    assert "800" not in text_of(page)
    assert [(tab.value, tab.count) for tab in page.context["states"]] == [
        ("active", 2), ("superseded", 0), ("any", 2),
    ]  # fmt: skip
    later = client.get("/memories/?as_of=2026-03-03")
    assert "我的预算是800元" in text_of(later)
    assert "Ann likes tea" not in text_of(later)
    before = client.get("/memories/?as_of=2026-02-27")
    assert not before.context["page"].rows


def test_a_day_is_as_it_was_at_its_end_and_a_time_exact():
    story()
    client = operator()
    assert "500" in text_of(client.get("/memories/?as_of=2026-03-01"))
    assert not client.get("/memories/?as_of=2026-03-01T08:59:59").context["page"].rows
    exact = client.get("/memories/", {"as_of": "2026-03-01T17:00:00+08:00"})
    assert "我的预算是500元" in text_of(exact)


def test_the_page_says_so_and_leads_back():
    story()
    client = operator()
    page = client.get("/memories/?as_of=2026-03-02&user_id=ann")
    assert "As it was on 2026-03-02 23:59:59" in text_of(page)
    assert {"user_id": ["ann"]} in links(page)
    assert "Correct in your own words" not in text_of(page)
    assert "As it was on 2026" not in text_of(client.get("/memories/"))


def test_search_filters_and_links_stay_on_that_day():
    old, _ = story()
    client = operator()
    page = client.get("/memories/?as_of=2026-03-02&q=预算&kind=fact")
    assert [row.public_id for row in page.context["page"].rows] == [old.public_id]
    assert f"/memories/{old.public_id}/?as_of=2026-03-02" in text_of(page)
    assert all("as_of" in query for query in links(page) if "status" in query)
    assert client.get("/memories/?as_of=2026-03-02&q=800").context["page"].total == 0


def test_a_check_has_no_past():
    story()
    page = operator().get("/memories/?as_of=2026-03-02&check=exact_duplicates&status=any")
    assert "is known of the present only" in text_of(page)
    assert page.context["page"].total == 2


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("2999-01-01", "still to come"),
        ("soon", "no date"),
        ("2026-02-30", "no date"),
        ("0001-01-01", "no date"),
        ("9999-12-31", "no date"),
        ("２０２６-03-01", "no date"),
    ],
)
def test_what_is_no_day_is_the_present(asked, told):
    _old, new = story()
    client = operator()
    for address in ("/memories/", f"/memories/{new.public_id}/"):
        page = client.get(address, {"as_of": asked})
        assert page.status_code == 200
        assert told in text_of(page)
        assert "我的预算是800元" in text_of(page)


def test_today_is_now():
    story()
    client = operator()
    with clock.at(START + 2 * DAY + timedelta(hours=1)):
        assert "800" in text_of(client.get("/memories/?as_of=2026-03-03"))


def test_one_memory_on_another_day_is_read_only():
    old, _new = story()
    client = operator()
    page = client.get(f"/memories/{old.public_id}/?as_of=2026-03-02")
    assert page.context["memory"].status == "active"
    assert [event.batch.verb for event in page.context["events"]] == ["remember"]
    assert [row.public_id for row in page.context["versions"]] == [old.public_id]
    assert "800" not in text_of(page)
    assert not page.context["verbs"]
    assert f'action="/memories/{old.public_id}' not in text_of(page)
    assert f"/memories/{old.public_id}/correct/" not in text_of(page)
    now = client.get(f"/memories/{old.public_id}/")
    assert now.context["memory"].status == "superseded"
    assert now.context["verbs"]


def test_versions_lead_on_on_that_day():
    old, new = story()
    page = operator().get(f"/memories/{old.public_id}/?as_of=2026-03-03")
    assert f"/memories/{new.public_id}/?as_of=2026-03-03" in text_of(page)
    assert "This was not what held then" in text_of(page)


def test_what_was_not_there_yet_leads_to_what_is():
    _, new = story()
    answer = operator().get(f"/memories/{new.public_id}/?as_of=2026-03-01", follow=True)
    assert answer.redirect_chain == [(f"/memories/{new.public_id}/", 302)]
    assert "was not there yet" in text_of(answer)


def test_a_stranger_sees_no_past_either():
    old, _ = story()
    client = stranger()
    for memory_id in ("00000000-0000-0000-0000-000000000007", old.public_id):
        for day in ("2026-03-02", "2026-02-01"):
            assert client.get(f"/memories/{memory_id}/?as_of={day}").status_code == 404
    assert not client.get("/memories/?as_of=2026-03-02").context["page"].rows
    assert "500" not in text_of(client.get("/diff/?since=2026-03-01&until=2026-03-04"))


def test_health_of_another_day():
    old, _ = story()
    client = operator()
    page = client.get("/health/?as_of=2026-03-02")
    assert page.status_code == 200
    assert page.context["report"].counts["active"] == 2
    assert "As it was on 2026-03-02" in text_of(page)
    assert "Index drift" in text_of(page)
    assert f"/memories/{old.public_id}/?as_of=2026-03-02" in text_of(page)
    assert viewer().get("/health/?as_of=2026-03-02").status_code == 403
    assert client.get("/health/?as_of=2999-01-01").status_code == 200


def test_the_list_answers_three_ways():
    story()
    assert_three_ways(operator(), "/memories/?as_of=2026-03-02")


def test_as_many_queries_for_many_as_for_one():
    story()
    client = operator()
    few = queries(client, "/memories/?as_of=2026-03-04")
    with clock.at(START + 2 * DAY):
        for number in range(9):
            make.remember(text=f"gate {number}")
    assert queries(client, "/memories/?as_of=2026-03-04") == few
