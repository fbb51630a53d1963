"""What a person does: find the budget, see 800 → 1200, correct it, undo that."""

import json
import re
import urllib.request
from pathlib import Path

from .axe import axe_violations
from .conftest import PHONE


def recalled(demo, question: str) -> dict:
    """What an agent is given for a question, over HTTP with the printed key."""
    request = urllib.request.Request(
        demo.url + "/api/v1/recall",
        json.dumps({"user_id": "lin.wei", "query": question}).encode(),
        {"Authorization": f"Bearer {demo.api_key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def open_budget(one):
    one.go("/memories/?q=预算&user_id=lin.wei")
    one.page.locator("main td.statement a", has_text="预算").first.click()
    one.page.wait_for_url(re.compile(r"/memories/[0-9a-f-]{36}/"))
    return one.page


def test_budget_is_seen_corrected_and_undone(visitor, demo):
    one = visitor()
    page = open_budget(one)
    history = page.locator("main")
    assert history.locator("del", has_text="800").count() >= 1
    assert history.locator("ins", has_text="1200").count() >= 1
    assert history.get_by_text("上调预算").count() >= 1

    page.get_by_role("link", name="Correct", exact=True).click()
    page.locator("[name=value]").fill("1500")
    page.locator("[name=reason]").fill("approved for the fair")
    page.locator("button[value=preview]").click()
    one.shot("correct-preview")
    assert axe_violations(page) == []
    assert page.locator("ins", has_text="1500").count() >= 1
    assert [i["memory"]["value"] for i in recalled(demo, "预算")["items"]] == ["1200"]

    page.locator("button[value=apply]").click()
    page.wait_for_load_state()
    one.shot("correct-done")
    assert axe_violations(page) == []
    after = recalled(demo, "我现在预算多少？")
    assert [i["memory"]["value"] for i in after["items"]] == ["1500"]
    assert "1200" not in after["context"]["text"]

    page.get_by_role("button", name="Undo").first.click()
    page.wait_for_load_state()
    one.shot("undone")
    assert [i["memory"]["value"] for i in recalled(demo, "预算")["items"]] == ["1200"]


def test_back_gives_the_whole_page(visitor):
    one = visitor()
    page = one.page
    one.go("/memories/")
    page.locator("#q").fill("预算")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"q=%E9%A2%84%E7%AE%97"))
    page.locator("main td.statement a").first.click()
    page.wait_for_url(re.compile(r"/memories/[0-9a-f-]{36}/"))
    page.go_back()
    assert page.locator("h1").inner_text() == "Memories"
    assert page.locator(".sidebar").count() == 1
    assert page.locator("#q").input_value() == "预算"
    page.go_back()
    assert page.locator("h1").inner_text() == "Memories"
    assert page.locator(".sidebar").count() == 1


def test_reads_without_javascript(visitor):
    one = visitor(scripted=False)
    page = open_budget(one)
    assert "1200" in page.locator("main").inner_text()
    one.go("/history/?q=预算")
    assert page.locator("main del", has_text="800").count() >= 1
    one.go("/health/")
    assert page.locator("h1").inner_text() == "Health"


def test_recall_explorer_shows_the_answer_and_why(visitor):
    one = visitor(language="zh-hans", viewport=PHONE)
    page = one.page
    one.go("/recall/")
    page.locator("[name=user_id]").fill("lin.wei")
    page.locator("[name=query]").fill("我现在预算多少？")
    page.locator("main form button[type=submit]").first.click()
    page.wait_for_url(re.compile(r"/recall/\?"))
    one.shot("recall-explorer-answer-phone-zh")
    text = page.locator("main").inner_text()
    assert "1200" in text
    assert "800" not in page.locator("main pre, main .plain").first.inner_text()
    assert page.locator("main mark", has_text="预算").count() >= 1
    assert axe_violations(page) == []
    page.locator("#keep button").click()
    page.wait_for_url(re.compile(r"/recalls/[0-9a-f-]{36}/"))
    with page.expect_download() as download:
        page.locator("a[href$='redact=true']").click()
    document = Path(download.value.path()).read_text(encoding="utf-8")
    assert "预算" not in document
    page.locator("#document").set_input_files(
        {"name": "r.json", "mimeType": "application/json", "buffer": document.encode()}
    )
    page.locator("form[enctype] button").click()
    page.wait_for_url(re.compile("/recalls/verify/"))
    one.shot("recall-verified-phone-zh")
    assert page.locator("main .alert-success").count() == 2
    assert axe_violations(page) == []


def test_a_finding_opens_exactly_its_rows(visitor, demo):
    # Other tests change the store too: how many there are now, the API tells.
    key = {"Authorization": f"Bearer {demo.api_key}"}
    asked = urllib.request.Request(f"{demo.url}/api/v1/health?fresh=1", headers=key)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        checks = {check["id"]: check for check in json.load(answer)["checks"]}
    count = checks["missing_metadata"]["count"]
    assert 0 < count < 50
    one = visitor()
    page = one.page
    one.go("/health/")
    link = page.locator("main a[href^='/memories/'][href*='check=missing_metadata']").first
    link.click()
    page.wait_for_url(re.compile("check=missing_metadata"))
    one.shot("finding-rows")
    assert page.locator("main tbody tr").count() == count


def test_language_and_theme_are_kept(visitor):
    one = visitor()
    page = one.page
    one.go("/")
    page.get_by_role("button", name="简体中文").click()
    page.locator("html[lang=zh-hans]").wait_for()
    with page.expect_response("**/settings/me/theme/"):
        page.locator("[data-theme-value=dark]").first.click()
    one.go("/memories/")
    assert page.locator("html").get_attribute("data-bs-theme") == "dark"
    assert page.locator("html").get_attribute("lang") == "zh-hans"
    # The choices go with the person, whom the other tests are too.
    one.go("/settings/me/")
    page.select_option("main select[name=language]", "")
    page.select_option("main select[name=theme]", "")
    page.locator("main form [type=submit]").click()
    page.locator("html[lang=en]").wait_for()
    assert page.locator("html").get_attribute("data-bs-theme") == "light"


def test_api_page_needs_no_outside_host(visitor, demo):
    one = visitor()
    asked = []
    one.page.on("request", lambda request: asked.append(request.url))
    one.go("/api/v1/docs")
    one.page.locator(".opblock-tag").first.wait_for()
    one.shot("api-docs")
    assert all(url.startswith((demo.url, "data:")) for url in asked)
