"""Where the focus goes after a part of a page was answered, and times for who cannot hover."""

import re


def wait_for_focus(page, selector: str) -> None:
    page.wait_for_function("(s) => Boolean(document.activeElement?.matches(s))", arg=selector)


def test_the_focus_stays_where_the_list_was_asked_for(visitor):
    one = visitor()
    page = one.page
    one.go("/memories/?q=预算&kind=fact")
    page.locator("#list .nav-underline a", has_text="Superseded").press("Enter")
    page.wait_for_url("**status=superseded**")
    wait_for_focus(page, ".nav-underline .active")
    page.locator("#list thead a").first.press("Enter")
    page.wait_for_url("**sort=**")
    wait_for_focus(page, "#list thead th:first-child a, #list thead a")
    page.locator("#list [hx-get]", has_text="remove filter").first.press("Enter")
    wait_for_focus(page, ".pager-count, .empty-title")


def test_the_focus_goes_into_the_record_beside_the_list_and_back(visitor):
    one = visitor()
    page = one.page
    one.go("/memories/")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    wait_for_focus(page, "#peek")
    page.keyboard.press("Escape")
    wait_for_focus(page, "[data-row]")


def test_a_refused_form_leads_to_what_is_wrong(visitor):
    one = visitor()
    page = one.page
    one.go("/questions/new/")
    page.locator("main form .btn-primary").click()
    wait_for_focus(page, "main [aria-invalid=true], main .is-invalid, main .alert-danger")
    # Chromium tells the console of every answer above 399.
    one.problems.clear()


def test_exact_times_are_a_key_away_and_stay(visitor):
    one = visitor()
    page = one.page
    one.go("/activity/")
    first = page.locator("main time").first
    relative = first.inner_text()
    page.keyboard.press("t")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC[+-]\d\d:\d\d", first.inner_text())
    assert first.get_attribute("title") == relative
    one.go("/memories/")
    assert "UTC" in page.locator("main time").first.inner_text()
    page.locator("[data-times]").first.click()
    assert "UTC" not in page.locator("main time").first.inner_text()
    page.locator("#q").focus()
    page.keyboard.type("t")
    assert "UTC" not in page.locator("main time").first.inner_text()
