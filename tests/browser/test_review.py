"""The review queue by keyboard and without script."""

import json
import urllib.request

from .axe import axe_violations, fits
from .conftest import PHONE


def say(demo, text: str, **fields) -> dict:
    """Write a memory over HTTP with the printed key."""
    request = urllib.request.Request(
        demo.url + "/api/v1/memories",
        json.dumps({"user_id": "lin.wei", "text": text} | fields).encode(),
        {"Authorization": f"Bearer {demo.api_key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["results"][0]


def waiting(one, text: str):
    return one.page.locator("[data-row]", has_text=text)


def test_the_queue_is_decided_by_keyboard(visitor, demo):
    for text in ("林薇周末爱去爬白云山", "林薇的自行车放在地下二层"):
        assert say(demo, text, confidence=0.1)["action"] == "candidate"
    one = visitor()
    one.go("/review/?status=candidate&user_id=lin.wei")
    page = one.page
    assert axe_violations(page) == []
    one.shot("review")

    page.keyboard.press("j")
    first = page.locator("[data-row]").first
    assert first.evaluate("item => item === document.activeElement")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("x")
    assert first.locator("input[name=item]").is_checked()
    page.keyboard.press("x")
    assert not first.locator("input[name=item]").is_checked()

    page.keyboard.press("a")
    assert page.locator("#reason").evaluate("field => field === document.activeElement")
    # Letters typed into the reason are no commands.
    page.keyboard.type("ask jakarta")
    assert first.locator("input[name=item]").is_checked()
    page.keyboard.press("Enter")
    page.wait_for_url("**done=**")
    assert page.locator("[data-done]").get_by_text("ask jakarta").count() == 1
    one.shot("review-done")
    assert axe_violations(page) == []
    page.get_by_role("button", name="Undo").first.click()
    page.wait_for_load_state()
    one.go("/review/?status=candidate&user_id=lin.wei")
    assert waiting(one, "自行车").count() == 1


def test_enter_in_the_reason_decides_nothing_by_itself(visitor, demo):
    say(demo, "林薇下个月换办公室座位", confidence=0.1)
    one = visitor()
    one.go("/review/?status=candidate&user_id=lin.wei")
    item = waiting(one, "座位")
    item.locator("input[name=item]").check()
    one.page.locator("#reason").fill("hm")
    one.page.locator("#reason").press("Enter")
    one.page.wait_for_load_state()
    assert one.page.get_by_text("Choose what to do.").count() == 1
    assert waiting(one, "座位").locator("input[name=item]").is_checked()
    # The browser says of every form that is refused that it was.
    assert [problem for problem in one.problems if "422" not in problem] == []
    one.problems.clear()


def test_pairs_stand_side_by_side_and_fit_a_phone(visitor, demo):
    say(demo, "我喜欢喝热的豆浆", kind="other")
    say(demo, "我爱喝热豆浆", kind="other")
    one = visitor(viewport=PHONE, theme="dark", language="zh-hans")
    one.go("/review/?status=pair")
    one.shot("review-pair-phone")
    assert waiting(one, "豆浆").count() >= 1
    assert axe_violations(one.page) == []
    assert fits(one.page)
