"""The versions of a fact as bars, what stands against one another, and stored reasons."""

import re
from datetime import timedelta

import pytest
from django.utils import translation

from audit.console.reasons import read_as, told
from audit.console.timeline import lanes
from memory import clock
from memory.models import Memory
from memory.write.accesses import HOW
from memory.write.apply import apply
from memory.write.review import plan_hold
from memory.write.revise import plan_retract
from tests.factories import budget, instant, remember, scope

from .pages_kit import operator, queries, stranger, text_of

pytestmark = pytest.mark.django_db
START, DAY = instant("2026-03-01 09:00"), timedelta(days=1)


def story() -> list[Memory]:
    """500 for one day, 800 for two, 1200 since."""
    for days, value in ((0, "500"), (1, "800"), (3, "1200")):
        with clock.at(START + days * DAY):
            last = budget(value)
    return list(Memory.objects.within(scope()).filter(fact=last.fact).order_by("-version"))


def test_each_version_is_a_segment_of_one_line():
    versions = story()
    with clock.at(START + 4 * DAY):
        third, second, first = lanes(versions)
    assert [(lane.start, lane.length) for lane in (first, second, third)] == [
        ("0.0", "25.0"), ("25.0", "50.0"), ("75.0", "25.0"),
    ]  # fmt: skip
    assert [lane.holds for lane in (first, second, third)] == [False, False, True]
    assert third.end is None
    assert second.end == third.begin


def test_a_short_time_is_still_seen_and_nothing_runs_over_the_edge():
    with clock.at(START):
        one = budget("500")
        apply(plan_retract(scope(), [one]).plan("retract", "no"))
    with clock.at(START + 1000 * DAY):
        two = budget("800")
    rows = list(Memory.objects.within(scope()).filter(pk__in=[one.pk, two.pk]).order_by("pk"))
    with clock.at(START + 1000 * DAY):
        for lane in lanes(rows):
            assert float(lane.length) >= 1
            assert float(lane.start) <= 99


def test_what_never_held_has_no_bar():
    one = remember(text="x is 5")
    apply(plan_hold(scope(), [one]).plan("hold", "odd"))
    one.refresh_from_db()
    (lane,) = lanes([one])
    assert lane.begin is None
    assert "never held" in text_of(operator().get(f"/memories/{one.public_id}/"))


def test_the_page_tells_the_line_in_words_too():
    newest = story()[0]
    page = text_of(operator().get(f"/memories/{newest.public_id}/"))
    bars = re.findall(r'<rect class="bar-part[^>]*><title>([^<]+)</title>', page)
    assert len(bars) == 3
    assert bars[1].startswith("2026-03-02 09:00:00")
    assert page.count("until replaced") >= 1


def beside(**fields) -> tuple[Memory, Memory]:
    """Two current values of one thing, each of another agent."""
    return budget("900", agent_id="a1", **fields), budget("950", agent_id="a2", **fields)


def test_two_current_values_stand_side_by_side_with_their_words_marked():
    one, other = beside()
    page = text_of(operator().get(f"/memories/{one.public_id}/"))
    part = page[page.index('id="against"') :]
    assert "我的预算是<mark>900</mark>元" in part
    assert "我的预算是<mark>950</mark>元" in part
    assert f"/memories/{other.public_id}/" in part


def test_what_agrees_or_is_of_somebody_else_stands_beside_nothing():
    one = budget("900", agent_id="a1")
    budget("900", agent_id="a2")
    budget("950", agent_id="a2", user_id="bob")
    assert 'id="against"' not in text_of(operator().get(f"/memories/{one.public_id}/"))
    assert stranger().get(f"/memories/{one.public_id}/").status_code == 404


def test_queries_do_not_grow_with_versions_or_values():
    one, _other = beside()
    address, client = f"/memories/{one.public_id}/", operator()
    few = queries(client, address)
    for number in range(4):
        budget(f"{number}", agent_id=f"b{number}")
    assert queries(client, address) <= few


def test_a_past_day_leads_to_what_has_changed_since():
    versions, client = story(), operator()
    page = text_of(client.get(f"/memories/{versions[2].public_id}/?as_of=2026-03-01"))
    way = re.search(r'href="(/diff/\?since=[^"]+)"', page)[1].replace("&amp;", "&")
    assert "<del>500</del>" in text_of(client.get(way))


@pytest.mark.parametrize(
    "reason",
    ["its time is over", "a memory from its turns no longer holds"],
)
def test_a_reason_of_the_program_is_a_message_of_the_catalogue(reason):
    assert told(reason) == reason


def test_reasons_with_figures_are_told_and_those_of_people_stay():
    with translation.override("en"):
        assert told("20 turns; by rules") == "20 turns; by rules"
        assert told("1 turns") == "1 turn"
        known = "stale, said of recall 01a22dea-665b-7075-bfe3-cc9b27a50cdf"
        assert told(known) == known
    for own in ("上调预算", "20 turns of the wheel", "rude, said of recall x", ""):
        assert told(own) == own


def test_every_way_of_reading_has_words():
    assert all(read_as(how) != how for how in HOW)
    assert read_as("unknown") == "unknown"
