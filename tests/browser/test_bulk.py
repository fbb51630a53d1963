"""Choosing many memories by keyboard and mouse, with and without script; taking it back."""

import pytest

from .axe import axe_violations, fits
from .conftest import PHONE
from .test_review import say

ROW = "[data-row]"
LIST = "/memories/?status=active&user_id=bulk.{}"


@pytest.fixture
def listed(visitor, demo, request):
    """A list of four memories of a user of its own."""

    def opened(name: str, **look):
        for n in range(4):
            say(demo, f"第{n}张便签 sticky {n} {name}", user_id=f"bulk.{name}", kind="other")
        one = visitor(**look)
        one.go(LIST.format(name))
        return one

    return opened


def boxes(page) -> list[bool]:
    return [box.is_checked() for box in page.locator("input[name=memory]").all()]


def test_rows_are_chosen_and_retracted_by_keyboard_and_it_is_undone(listed):
    one = listed("keys")
    page = one.page
    bar = page.locator(".bulk-bar")
    assert not bar.is_visible()
    page.keyboard.press("j")
    page.keyboard.press("x")
    assert boxes(page) == [True, False, False, False]
    assert bar.is_visible()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Shift+X")
    assert boxes(page) == [True, True, True, False]
    assert page.locator("[data-count]").inner_text() == "3 selected"
    one.shot("bulk-bar")
    assert axe_violations(page) == []

    page.keyboard.press("r")
    page.wait_for_url("**/memories/bulk/**")
    assert page.get_by_text("nothing has changed yet").count() == 1
    one.shot("bulk")
    assert axe_violations(page) == []
    page.fill("#reason", "out of date")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-done]")
    assert page.locator(ROW).count() == 1
    assert "done=" not in page.url
    page.locator("#announcer", has_text="retract").wait_for(state="attached")
    one.shot("bulk-done")
    assert axe_violations(page) == []

    page.keyboard.press("u")
    page.wait_for_selector("text=Undone.")
    assert page.locator(ROW).count() == 4
    # An undo is undone the same way.
    page.keyboard.press("u")
    page.locator(ROW).nth(1).wait_for(state="detached")
    assert page.locator(ROW).count() == 1


def test_a_shift_click_chooses_all_between_and_all_matching_says_so(listed):
    one = listed("mouse")
    page = one.page
    box = page.locator("input[name=memory]")
    box.nth(0).click()
    box.nth(2).click(modifiers=["Shift"])
    assert boxes(page) == [True, True, True, False]
    page.locator("[data-page]").check()
    assert boxes(page) == [True] * 4
    page.locator("input[name=all]").check()
    assert page.locator("[data-count]").inner_text() == "All 4 selected"
    page.get_by_text("Set", exact=True).click()
    page.get_by_role("button", name="Add a tag…").click()
    page.fill("#id_to", "复查")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=4 memories")
    one.shot("bulk-tag")


def test_it_works_without_script(listed):
    one = listed("plain", scripted=False)
    page = one.page
    assert page.locator(".bulk-bar").is_visible()
    page.locator("input[name=memory]").first.check()
    page.get_by_role("button", name="Retract", exact=True).click()
    page.fill("#reason", "no script")
    page.locator("main form[method=post] .btn-primary").click()
    assert page.locator(ROW).count() == 3
    page.locator("[data-undo]").click()
    assert page.locator(ROW).count() == 4


def test_one_row_is_decided_from_the_list_and_the_place_is_kept(listed):
    one = listed("place")
    page = one.page
    page.keyboard.press("j")
    page.keyboard.press("j")
    second, third = (page.locator(ROW).nth(n).get_attribute("data-row") for n in (1, 2))
    page.keyboard.press("q")
    page.wait_for_selector("#peek details[open] input[name=reason]")
    # Letters are text there, also those that an input method is still composing.
    page.keyboard.type("check again, maybe")
    page.evaluate(
        """document.activeElement.dispatchEvent(
            new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, isComposing: true,
                                          bubbles: true, cancelable: true}))"""
    )
    assert page.locator("[data-done]").count() == 0
    one.shot("peek-acts")
    assert axe_violations(page) == []
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("[data-done]")
    page.wait_for_selector(f"#peek:not([hidden])[data-of*='{third}']")
    assert page.locator(f"[data-row='{second}']").count() == 0
    focused = page.evaluate("document.activeElement.dataset.row")
    assert focused == third
    page.keyboard.press("u")
    page.wait_for_selector("text=Undone.")
    assert page.locator(ROW).count() == 4


def test_an_input_method_s_keys_are_no_commands(listed):
    one = listed("ime")
    page = one.page
    page.keyboard.press("j")
    for detail in ('isComposing: true, key: "x"', 'keyCode: 229, key: "x"'):
        page.evaluate(
            "document.activeElement.dispatchEvent(new KeyboardEvent("
            f'"keydown", {{bubbles: true, {detail}}}))'
        )
    assert boxes(page) == [False] * 4


@pytest.mark.parametrize("width", [1024, 1280, 1400])
def test_nothing_is_cut_off_beside_the_panel(visitor, width):
    one = visitor(viewport={"width": width, "height": 800})
    one.go("/memories/")
    page = one.page
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#peek .peek-bar")
    one.shot(f"peek-{width}")
    assert fits(page)
    table = page.locator("[data-list] .table-responsive")
    assert table.evaluate("table => table.scrollWidth <= table.clientWidth + 1")
    # What the panel lies over is not what one reads the list for.
    statement, panel = (page.locator(at).first.bounding_box() for at in ("td.statement a", "#peek"))
    assert statement["x"] + statement["width"] <= panel["x"]


def test_the_panel_is_made_wider_by_keyboard_and_stays_so(listed):
    one = listed("wide", viewport={"width": 1600, "height": 800})
    page = one.page
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#peek .peek-bar")
    before = page.locator("#peek").bounding_box()["width"]
    page.locator("[data-peek-width]").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    after = page.locator("#peek").bounding_box()["width"]
    assert after > before
    page.reload()
    page.wait_for_selector("#peek .peek-bar")
    assert abs(page.locator("#peek").bounding_box()["width"] - after) < 2


def test_the_keys_are_told_on_a_phone_in_the_dark(listed):
    one = listed("phone", viewport=PHONE, theme="dark", language="zh-hans")
    page = one.page
    page.locator("input[name=memory]").first.check()
    one.shot("bulk-phone")
    assert fits(page)
    page.locator("[popovertarget=keys]").click()
    assert page.locator("#keys").is_visible()
    one.shot("keys-phone")
    assert axe_violations(page) == []


@pytest.mark.parametrize("path", ["/history/", "/review/", "/inbox/"])
def test_the_panel_stands_beside_other_lists_too(visitor, path):
    one = visitor()
    one.go(path)
    page = one.page
    row = page.locator("[data-row][data-peek]").first
    if row.count():
        while page.locator("[data-row][aria-current=true][data-peek]").count() == 0:
            page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_selector("#peek .peek-bar")
        one.shot(f"peek-{path.strip('/')}")
        assert fits(page)
        assert axe_violations(page) == []
        page.keyboard.press("Escape")
        assert page.locator("#peek").is_hidden()
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
