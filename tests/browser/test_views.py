"""Views, columns and completion of the list, in a real browser."""

from .axe import axe_violations, fits
from .conftest import PHONE

OPTIONS = ".completion [role=option]"


def menu(page, text: str):
    return page.locator("details.menu > summary", has_text=text)


def test_a_view_is_kept_changed_and_removed(visitor):
    one = visitor()
    one.go("/memories/?kind=fact")
    page = one.page
    menu(page, "Views").click()
    page.fill("#new-view", "Facts of mine")
    assert axe_violations(page) == []
    assert fits(page)
    one.shot("views-menu")
    page.keyboard.press("Enter")
    page.wait_for_url("**view=*")
    assert "kind=fact" in page.url
    summary = menu(page, "Facts of mine")
    assert summary.is_visible()

    page.locator(".facet-link", has_text="rule").first.click()
    page.wait_for_url("**kind=rule**")
    assert "changed since" in summary.inner_text()
    summary.click()
    one.shot("views-changed")
    page.locator("button", has_text="Remove").click()
    page.wait_for_url("**view=none**")
    assert menu(page, "Views").is_visible()
    menu(page, "Views").click()
    page.keyboard.press("Escape")
    assert not page.locator("#new-view").is_visible()


def test_columns_are_chosen_and_the_usual_ones_come_back(visitor):
    one = visitor(theme="dark")
    one.go("/memories/?status=any")
    page = one.page
    menu(page, "Columns").click()
    one.shot("columns-menu-dark")
    assert axe_violations(page) == []
    for name in ("tags", "entity"):
        page.check(f".menu-form input[value={name}]")
    page.locator("button", has_text="Show these").click()
    page.wait_for_url("**columns=tags**")
    assert page.locator("thead th", has_text="Tags").is_visible()
    one.shot("columns-many-dark")
    one.go("/memories/")
    assert page.locator("thead th", has_text="Tags").is_visible()
    menu(page, "Columns").click()
    page.locator("button", has_text="The usual ones").click()
    page.wait_for_load_state()
    assert page.locator("thead th", has_text="Tags").count() == 0


def test_the_search_field_completes_by_keyboard(visitor):
    one = visitor()
    one.go("/memories/")
    page = one.page
    page.focus("#q")
    page.keyboard.type("is:su")
    page.wait_for_selector(OPTIONS)
    assert page.get_attribute("#q", "aria-expanded") == "true"
    page.keyboard.press("ArrowDown")
    chosen = page.locator(f"{OPTIONS}[aria-selected=true]")
    assert chosen.get_attribute("id") == page.get_attribute("#q", "aria-activedescendant")
    assert axe_violations(page) == []
    page.keyboard.press("Enter")
    assert page.input_value("#q") == "is:superseded "
    # A key leads on to its values; Tab takes the first.
    page.keyboard.type("use")
    page.wait_for_selector(OPTIONS)
    page.keyboard.press("Tab")
    assert page.input_value("#q") == "is:superseded user:"
    page.wait_for_selector(OPTIONS)
    page.keyboard.press("Escape")
    assert page.locator(OPTIONS).count() == 0
    assert page.evaluate("document.activeElement.id") == "q"
    page.keyboard.type("lin")
    page.wait_for_selector(OPTIONS)
    page.locator(OPTIONS).first.click()
    assert page.input_value("#q") == "is:superseded user:lin.wei "
    # Nothing is chosen: Enter searches.
    page.keyboard.press("Enter")
    page.wait_for_url("**status=superseded**")
    assert "user_id=lin.wei" in page.url


def test_while_characters_are_composed_nothing_is_offered(visitor):
    one = visitor(language="zh-hans")
    one.go("/memories/")
    page = one.page
    asked = []
    page.on("request", lambda request: "/complete/" in request.url and asked.append(request.url))
    page.focus("#q")
    client = page.context.new_cdp_session(page)
    client.send("Input.imeSetComposition", {"text": "us", "selectionStart": 2, "selectionEnd": 2})
    # Longer than the wait after a letter.
    page.wait_for_timeout(300)
    assert asked == []
    client.send("Input.insertText", {"text": "us"})
    page.wait_for_selector(OPTIONS)
    assert len(asked) == 1


def test_the_list_goes_along_and_fits_a_phone(visitor):
    one = visitor(viewport=PHONE)
    one.go("/memories/")
    page = one.page
    menu(page, "Views").click()
    one.shot("views-phone")
    assert fits(page)
    menu(page, "Views").click()
    menu(page, "Export this list").click()
    one.shot("take-phone")
    assert fits(page)
    assert "$MASE_API_KEY" in page.locator(".curl").inner_text()
    assert axe_violations(page) == []
