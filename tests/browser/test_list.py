"""The list by keyboard, with the record beside it."""

from .axe import axe_violations, fits
from .conftest import PHONE

ROW = "[data-row]"


def active_row(page) -> int:
    return page.evaluate(
        "[...document.querySelectorAll('[data-row]')].indexOf(document.activeElement)"
    )


def test_a_record_is_read_beside_the_list_without_losing_the_place(visitor):
    one = visitor()
    one.go("/memories/")
    page = one.page
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert active_row(page) == 1
    page.keyboard.press("k")
    assert active_row(page) == 0
    page.keyboard.press("Enter")
    page.wait_for_url("**peek=**")
    first = page.locator(ROW).first
    assert first.get_attribute("aria-current") == "true"
    page.wait_for_selector("#peek .peek-bar")
    one.shot("peek")
    assert axe_violations(page) == []
    assert fits(page)

    page.keyboard.press("j")
    second = page.locator(ROW).nth(1)
    page.wait_for_url(f"**peek={second.get_attribute('data-row')}*")
    address = page.url
    page.keyboard.press("Escape")
    assert page.locator("#peek").is_hidden()
    assert "peek" not in page.url
    assert active_row(page) == 1

    # The address alone brings the same view back.
    page.goto(address)
    assert page.locator("#peek .peek-bar").is_visible()
    assert page.locator(ROW).nth(1).get_attribute("aria-current") == "true"


def test_letters_in_the_search_field_are_no_commands(visitor):
    one = visitor()
    one.go("/memories/")
    page = one.page
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("j?k")
    assert page.input_value("#q") == "j?k"
    assert not page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    one.shot("keys")
    assert axe_violations(page) == []


def test_typed_filters_become_the_address_and_chips(visitor):
    one = visitor()
    one.go("/memories/")
    page = one.page
    page.fill("#q", "is:superseded kind:fact 预算")
    page.keyboard.press("Enter")
    page.wait_for_url("**status=superseded**")
    assert "kind=fact" in page.url
    assert page.input_value("#q") == "预算"


def test_on_a_phone_the_record_lies_over_the_list(visitor):
    one = visitor(viewport=PHONE)
    one.go("/memories/")
    page = one.page
    page.locator(ROW).first.locator("td").nth(1).click()
    page.wait_for_selector("#peek .peek-bar")
    one.shot("peek-phone")
    assert fits(page)
    page.locator("[data-peek-close]").click()
    assert page.locator("#peek").is_hidden()


def test_a_recall_is_read_beside_the_log(visitor):
    one = visitor()
    one.go("/recalls/")
    page = one.page
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_selector("#peek .peek-bar")
    first = page.locator(ROW).first
    page.wait_for_url(f"**peek={first.get_attribute('data-row')}*")
    assert first.locator("a").first.inner_text() in page.locator("#peek h2").first.inner_text()
    one.shot("recall-peek")
    assert axe_violations(page) == []
    assert fits(page)
    page.set_viewport_size(PHONE)
    one.shot("recall-peek-phone")
    assert fits(page)
    page.keyboard.press("Escape")
    assert page.locator("#peek").is_hidden()
    assert active_row(page) == 0


def test_a_policy_that_was_saved_is_taken_back_by_u(visitor):
    one = visitor()
    one.go("/settings/policies/event/")
    page = one.page
    before = page.input_value("#id_importance")
    page.select_option("#id_importance", "2" if before != "2" else "3")
    page.get_by_role("button", name="Preview the change").click()
    page.fill("#id_reason", "to see")
    page.locator("button[name=step][value=save]").click()
    page.wait_for_selector("[data-undo]")
    assert axe_violations(page) == []
    page.locator("h1").click()
    page.keyboard.press("u")
    page.get_by_text("says what ruled before").wait_for()
    assert page.input_value("#id_importance") == before
