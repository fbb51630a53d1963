"""Every page in both languages and themes, wide and on a phone: no console error, axe clean.

A page is loaded once a language; size and theme change under it, as they do for a reader.
"""

import pytest

from .axe import COLOURS, SHAPES, axe_violations, fits
from .conftest import PHONE, WIDE, Visitor

PATHS = {
    "dashboard": "/",
    "memories": "/memories/",
    "memories-any": "/memories/?status=any&q=预算",
    "memories-typed": "/memories/?q=nothing:here",
    "memories-none": "/memories/?q=zzzz-nothing",
    "memories-columns": "/memories/?kind=fact&kind=rule&columns=source&columns=tags&columns=id",
    "activity-chosen": "/activity/?verb=correct&surface=console",
    "memories-bulk": "/memories/bulk/?verb=retract&all=1&user_id=lin.wei",
    "memories-bulk-set": "/memories/bulk/?verb=kind&all=1&user_id=lin.wei",
    "history": "/history/",
    "memories-then": "/memories/?status=any&as_of=2026-03-10",
    "difference": "/diff/?since=2026-01-01",
    "difference-none": "/diff/?user_id=nobody",
    "recall": "/recall/",
    "recall-asked": "/recall/?user_id=lin.wei&query=我现在预算多少&limit=2&kinds=fact",
    "recalls": "/recalls/",
    "recalls-none": "/recalls/?q=zzzz-nothing&user_id=lin.wei",
    "recall-verify": "/recalls/verify/",
    "activity": "/activity/",
    "imports": "/imports/",
    "ledger-verify": "/activity/ledger/?verify=1",
    "erasures": "/erasures/",
    "erasure-verify": "/erasures/verify/",
    "review": "/review/",
    "questions": "/questions/",
    "questions-none": "/questions/?result=failed&user_id=lin.wei",
    "questions-archived": "/questions/?status=archived",
    "question-new": "/questions/new/",
    "health": "/health/",
    "health-then": "/health/?as_of=2026-03-10",
    "health-reports": "/health/reports/",
    "health-trends": "/health/trends/",
    "hygiene": "/hygiene/",
    "health-trend": "/health/trends/?check=missing_metadata",
    "health-fix": "/health/missing_metadata/fix/?fix=fill-agent&agent_id=helper",
    "check-limits": "/settings/checks/",
    "check-limit": "/settings/checks/no_result/",
    "settings": "/settings/",
    "people": "/settings/people/",
    "you": "/settings/me/",
    "webhooks": "/settings/webhooks/",
    "policy": "/settings/policies/inventory/",
    "jobs": "/jobs/",
    "images": "/images/",
    "working": "/working/",
    "inbox": "/inbox/",
    "corrections": "/corrections/",
    "diagnose": "/diagnose/",
    "diagnose-case": "/diagnose/?symptom=guess",
    "diagnose-result": "/diagnose/?symptom=stale_answer&user_id=chen.yu&query=D 型号现在可发多少件",
}
# By language, the looks that one load goes through: together all four of size and theme. Colours
# take two thirds of axe's time, and neither size nor language changes one: they are looked at once
# a theme, all else once a size.
LOOKS = {
    "en": ((WIDE, "light", {}), (PHONE, "dark", None)),
    "zh-hans": ((PHONE, "light", SHAPES), (WIDE, "dark", COLOURS)),
}
# A table that no phone can read, or a cell in it that does not say what it is.
BARE_TABLES = """[...document.querySelectorAll("main table:not(.u-legend)")].filter((table) =>
    !table.classList.contains("table-cards") ||
    [...table.querySelectorAll("tbody td:not([data-label]):not(.statement)")].some((cell) =>
        table.tHead?.rows[0].cells[cell.cellIndex]?.matches(":not(:has(.visually-hidden))"))
).map((table) => table.innerText.slice(0, 60))"""


@pytest.fixture(scope="module")
def windows(enter):
    """One window a language, in which page after page is opened, as a person does."""
    opened = {name: enter(language=name) for name in LOOKS}
    yield opened
    for one in opened.values():
        one.leave()


@pytest.fixture
def reader(windows, language) -> Visitor:
    """The window of the test's language; what the browser complains of in it fails the test."""
    one = windows[language]
    one.problems.clear()
    yield one
    assert one.problems == []


def look_at(one, language: str, name: str) -> None:
    """The page as it is open, in each look of its language, that of the window first."""
    page = one.page
    looks = sorted(LOOKS[language], key=lambda look: look[0] != page.viewport_size)
    for viewport, theme, rules in looks:
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.wait_for_function(
            "theme => document.documentElement.dataset.bsTheme === theme", arg=theme
        )
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
        one.shot(f"{name}-{viewport['width']}-{theme}-{language}")
        if rules is not None:
            assert axe_violations(page, rows=6, **rules) == [], (viewport, theme)
        assert fits(page), (viewport, theme)
    assert page.evaluate(BARE_TABLES) == []


@pytest.mark.parametrize("language", LOOKS)
@pytest.mark.parametrize("name", PATHS)
def test_every_page_is_clean(reader, name, language):
    response = reader.go(PATHS[name])
    assert response.status == 200
    assert reader.page.locator("h1").count() == 1
    look_at(reader, language, name)


@pytest.mark.parametrize("language", LOOKS)
def test_replay_and_why_not_are_clean(reader, language):
    one = reader
    one.go("/memories/?status=superseded&q=预算&user_id=lin.wei")
    memory = one.page.locator("main td.statement a").first.get_attribute("href").split("/")[2]
    one.go("/recalls/?user_id=lin.wei")
    one.page.locator("main a[href*='/recalls/']", has_text="预算").last.click()
    record = one.page.url.split("/")[4]
    for name in ("replay", f"why-not/?memory={memory}"):
        response = one.go(f"/recalls/{record}/{name}")
        assert response.status == 200
        look_at(one, language, name.split("/")[0])


ONE_OF_EACH = {
    "memory": ("/memories/?q=预算", "main td.statement a"),
    "batch": ("/activity/", "main td a[href*='/activity/']"),
    "key": ("/settings/", "main a[href*='/settings/keys/']"),
    "recall-record": ("/recalls/", "main td a[href*='/recalls/']"),
    "question": ("/questions/", "main td.statement a"),
    "question-run": ("/questions/", "main td a[href*='/questions/runs/']"),
}


@pytest.fixture(scope="module")
def addresses(windows) -> dict[str, str]:
    """Where there is one of each thing."""
    page, found, at = windows["en"].page, {}, ""
    for name, (start, link) in ONE_OF_EACH.items():
        if start != at:
            windows["en"].go(start)
            at = start
        found[name] = page.locator(link).first.get_attribute("href")
    return found


@pytest.mark.parametrize("language", LOOKS)
@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_one_of_each_thing_is_clean(reader, addresses, name, language):
    assert reader.go(addresses[name]).status == 200
    look_at(reader, language, name)


def test_login_page_is_clean(browser, demo):
    page = browser.new_context(locale="zh-CN", viewport=PHONE).new_page()
    page.goto(demo.url + "/memories/")
    assert "/login/" in page.url
    assert axe_violations(page) == []
