"""Every page in both languages and themes, wide and on a phone: no console error, axe clean."""

import pytest

from .conftest import PHONE, WIDE

PATHS = {
    "dashboard": "/",
    "memories": "/memories/",
    "memories-any": "/memories/?status=any&q=预算",
    "memories-typed": "/memories/?q=nothing:here",
    "memories-none": "/memories/?q=zzzz-nothing",
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
LOOKS = {
    "wide-light-en": {"viewport": WIDE, "theme": "light", "language": "en"},
    "wide-dark-zh": {"viewport": WIDE, "theme": "dark", "language": "zh-hans"},
    "phone-light-zh": {"viewport": PHONE, "theme": "light", "language": "zh-hans"},
    "phone-dark-en": {"viewport": PHONE, "theme": "dark", "language": "en"},
}


def axe_violations(page) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {[node['target'] for node in v['nodes']][:3]}" for v in found]


def fits(page) -> bool:
    """No sideways scrolling of the page itself."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PATHS)
def test_every_page_is_clean(visitor, name, look):
    one = visitor(**LOOKS[look])
    response = one.go(PATHS[name])
    one.shot(f"{name}-{look}")
    assert response.status == 200
    assert one.page.locator("h1").count() == 1
    assert axe_violations(one.page) == []
    assert fits(one.page)


@pytest.mark.parametrize("look", LOOKS)
def test_replay_and_why_not_are_clean(visitor, look):
    one = visitor(**LOOKS[look])
    one.go("/memories/?status=superseded&q=预算&user_id=lin.wei")
    memory = one.page.locator("main td.statement a").first.get_attribute("href").split("/")[2]
    one.go("/recalls/?user_id=lin.wei")
    one.page.locator("main a[href*='/recalls/']", has_text="预算").last.click()
    record = one.page.url.split("/")[4]
    for name in ("replay", f"why-not/?memory={memory}"):
        response = one.go(f"/recalls/{record}/{name}")
        one.shot(f"{name.split('/')[0]}-{look}")
        assert response.status == 200
        assert axe_violations(one.page) == []
        assert fits(one.page)


@pytest.mark.parametrize("look", LOOKS)
def test_one_of_each_thing_is_clean(visitor, look):
    one = visitor(**LOOKS[look])
    for name, start, link in (
        ("memory", "/memories/?q=预算", "main td.statement a"),
        ("batch", "/activity/", "main a[href*='/activity/']"),
        ("key", "/settings/", "main a[href*='/settings/keys/']"),
        ("recall-record", "/recalls/", "main a[href*='/recalls/']"),
        ("question", "/questions/", "main td.statement a"),
        ("question-run", "/questions/", "main td a[href*='/questions/runs/']"),
    ):
        one.go(start)
        one.page.locator(link).first.click()
        one.page.wait_for_load_state()
        one.shot(f"{name}-{look}")
        assert axe_violations(one.page) == []
        assert fits(one.page)


def test_login_page_is_clean(browser, demo):
    page = browser.new_context(locale="zh-CN", viewport=PHONE).new_page()
    page.goto(demo.url + "/memories/")
    assert "/login/" in page.url
    assert axe_violations(page) == []
