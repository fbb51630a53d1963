"""What people come for, walked as `docs/tasks.md` tells it: no more clicks and keys than it says.

Everybody starts on the dashboard. Typing a text is not counted, nor is Enter after a search.
"""

import json
import re
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "tasks.md"
ROW = re.compile(r"^\| ([^|]+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
NUMBERS = {
    name: (int(clicks), int(presses))
    for name, clicks, presses in ROW.findall(DOCUMENT.read_text(encoding="utf-8"))
}
CORRECT = "Find a wrong fact and correct it"
UNDO = "Undo the last change"
STALE = "Find why a stale answer was given"
REVIEW = "Review ten held memories"
EXPORT = "Export a health report"
STALE_QUESTION = "D 型号现在可发多少件"
TABS = 120


@dataclass
class Walk:
    """A person at a page; what the hand does is counted."""

    page: object
    clicks: int = 0
    presses: int = 0

    def click(self, place, **options) -> None:
        self.clicks += 1
        place.click(**options)

    def press(self, key: str) -> None:
        self.presses += 1
        self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(text)

    def tab_to(self, place) -> None:
        for _ in range(TABS):
            if place.evaluate("it => it === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"{place} is not within {TABS} presses of Tab")

    def past_the_navigation(self) -> None:
        """By the link that every page begins with."""
        self.press("Tab")
        self.press("Enter")


def call(demo, path: str, body: dict) -> dict:
    request = urllib.request.Request(
        demo.url + path,
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {demo.api_key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def say(demo, text: str, **fields) -> dict:
    """A memory that lacks nothing: other tests count those that do."""
    whole = {
        "user_id": "rosa",
        "agent_id": "porter",
        "source": "user_said",
        "confidence": 0.9,
        "occurred_at": datetime.now(UTC).isoformat(),
    }
    return call(demo, "/api/v1/memories", whole | {"text": text} | fields)["results"][0]


@pytest.fixture
def walk(visitor):
    """Somebody who has just signed in."""
    one = visitor()
    one.go("/")
    return Walk(one.page)


def link(page, name: str):
    return page.locator(".sidebar").get_by_role("link", name=name, exact=True)


def card(page, title: str):
    return page.locator("main section.card", has=page.get_by_role("heading", name=title))


def done(page, text: str) -> None:
    """Waits until the page tells that it was done."""
    page.locator("#messages", has_text=text).wait_for()


def find_the_key(demo, place: str) -> None:
    say(demo, f"The spare key is {place}", entity="spare key", attribute="place", value=place)


def current(demo) -> list[str]:
    asked = {"user_id": "rosa", "query": "Where is the spare key?"}
    return [item["memory"]["value"] for item in call(demo, "/api/v1/recall", asked)["items"]]


def test_the_document_has_every_task():
    assert set(NUMBERS) == {CORRECT, UNDO, STALE, REVIEW, EXPORT}


def test_a_wrong_fact_is_found_and_corrected(walk, demo):
    find_the_key(demo, "behind the door")
    page = walk.page
    walk.click(link(page, "Memories"))
    walk.click(page.locator("#q"))
    walk.type("spare key")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=spare*")
    walk.click(page.locator("main td.statement a", has_text="behind the door").first)
    walk.click(page.get_by_role("link", name="Correct", exact=True))
    page.wait_for_url("**/correct/**")
    walk.type("in the tin")
    walk.click(page.locator("[name=reason]"))
    walk.type("looked")
    walk.click(page.locator("button[value=preview]"))
    walk.click(page.locator("button[value=apply]"))
    done(page, "Done")
    assert current(demo) == ["in the tin"]
    within(walk, CORRECT)


def test_a_wrong_fact_is_corrected_by_keyboard(walk, demo):
    find_the_key(demo, "under the mat")
    page = walk.page
    walk.tab_to(link(page, "Memories"))
    walk.press("Enter")
    page.wait_for_url("**/memories/")
    walk.press("/")
    walk.type("spare key")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=spare*")
    page.locator("[data-row]", has_text="under the mat").wait_for()
    walk.press("Escape")
    walk.press("j")
    walk.press("c")
    page.wait_for_url("**/correct/**")
    walk.type("on the hook")
    walk.press("Tab")
    walk.type("looked")
    walk.press("Control+Enter")
    page.locator("button[value=apply]").wait_for()
    walk.past_the_navigation()
    walk.tab_to(page.locator("button[value=apply]"))
    walk.press("Enter")
    done(page, "Done")
    assert current(demo) == ["on the hook"]
    within(walk, CORRECT)


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_the_last_change_is_undone(walk, demo, by_keyboard):
    before, after = ("in the car", "in the drawer") if by_keyboard else ("in a sock", "in a cup")
    find_the_key(demo, before)
    find_the_key(demo, after)
    walk.page.reload()
    page = walk.page
    last = card(page, "Latest changes").locator("li a").first
    if by_keyboard:
        walk.past_the_navigation()
        walk.tab_to(last)
        walk.press("Enter")
        page.wait_for_url("**/activity/**")
        walk.press("u")
    else:
        walk.click(last)
        walk.click(page.get_by_role("button", name="Undo").first)
    done(page, "Undone")
    assert current(demo) == [before]
    within(walk, UNDO)


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_the_cause_of_a_stale_answer_is_found(walk, demo, by_keyboard):
    asked = {"user_id": "chen.yu", "query": STALE_QUESTION}
    assert call(demo, "/api/v1/recall", asked)["items"]
    page = walk.page
    diagnose = page.get_by_role("link", name="Diagnose this")
    symptom = page.locator("main a.card", has_text="Stale answer")
    if by_keyboard:
        recall = page.get_by_role("link", name=STALE_QUESTION).first
        walk.tab_to(link(page, "Recall log"))
        walk.press("Enter")
        page.wait_for_url("**/recalls/")
        for place in (recall, diagnose, symptom):
            place.wait_for()
            walk.past_the_navigation()
            walk.tab_to(place)
            walk.press("Enter")
    else:
        recall = card(page, "Latest recalls").get_by_role("link", name=STALE_QUESTION).first
        # Records of recalls are written in the background.
        for _ in range(10):
            page.reload()
            if recall.count():
                break
        walk.click(recall)
        walk.click(diagnose)
        walk.click(symptom)
    freshness = page.locator("main section, main li", has_text="Freshness").last
    freshness.wait_for()
    assert "fine" not in freshness.inner_text()
    within(walk, STALE)


def ten_held(demo) -> None:
    for number in range(10):
        said = say(demo, f"Neighbour {number} is reached at +49 151 2345670{number}")
        assert said["action"] == "quarantined"


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_ten_held_memories_are_decided(walk, demo, by_keyboard):
    ten_held(demo)
    page = walk.page
    page.reload()
    held = card(page, "What waits for you").get_by_role("link", name="of these held")
    boxes = page.locator("[data-row] input[type=checkbox]")
    if by_keyboard:
        walk.past_the_navigation()
        walk.tab_to(held)
        walk.press("Enter")
        boxes.nth(9).wait_for()
        walk.press("j")
        walk.press("x")
        for _ in range(9):
            walk.press("j")
        walk.press("Shift+X")
        walk.press("r")
        walk.type("not ours to keep")
        walk.press("Enter")
    else:
        walk.click(held)
        walk.click(boxes.nth(0))
        walk.click(boxes.nth(9), modifiers=["Shift"])
        walk.click(page.locator("#reason"))
        walk.type("not ours to keep")
        walk.click(page.get_by_role("button", name="Reject", exact=True))
    done(page, "Done")
    assert "10 changes" in page.locator("#messages [data-done]").inner_text()
    within(walk, REVIEW)


@pytest.mark.parametrize("by_keyboard", [False, True], ids=["mouse", "keyboard"])
def test_a_report_is_exported(walk, by_keyboard):
    page = walk.page
    file = page.locator("main a[href*='format=html']").first
    if by_keyboard:
        walk.tab_to(link(page, "Health"))
        walk.press("Enter")
        page.wait_for_url("**/health/")
        walk.past_the_navigation()
        walk.tab_to(file)
    else:
        walk.click(page.locator("main .stat", has_text="Health").get_by_role("link"))
    with page.expect_download() as download:
        if by_keyboard:
            walk.press("Enter")
        else:
            walk.click(file)
    assert Path(download.value.path()).read_text(encoding="utf-8").startswith("<!")
    within(walk, EXPORT)


def within(walk: Walk, task: str) -> None:
    """A walk is by mouse or by keyboard alone."""
    clicks, presses = NUMBERS[task]
    assert walk.clicks <= clicks
    assert walk.presses <= presses
    assert not (walk.clicks and walk.presses)
