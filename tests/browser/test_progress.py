"""The dashboard's pictures and a job that is watched to its end, in a real browser."""

from .axe import axe_violations, fits
from .conftest import PHONE


def test_the_dashboard_answers_in_one_screen_and_its_pictures_lead_to_rows(visitor):
    one = visitor(viewport={"width": 1280, "height": 800})
    page = one.page
    one.go("/")
    for title in ("What waits for you", "Health", "Latest changes"):
        box = page.get_by_role("heading", name=title, exact=True).bounding_box()
        assert box["y"] < 800
    for name in ("rates", "growth"):
        assert page.locator(f"#{name} canvas").count() == 1
    page.locator("main summary").first.click()
    assert axe_violations(page) == []
    page.locator("svg.flow a").last.click()
    page.wait_for_url("**/activity/?since=*")
    assert page.locator("main tbody tr").count() > 0


def test_on_a_phone_the_open_tables_fit(visitor):
    one = visitor(viewport=PHONE)
    one.go("/")
    for summary in one.page.locator("main summary").all():
        summary.click()
    one.shot("dashboard-tables-phone")
    assert fits(one.page)
    assert axe_violations(one.page) == []


def test_a_job_is_watched_to_its_end(visitor):
    one = visitor()
    page = one.page
    one.go("/jobs/")
    page.get_by_role("button", name="Run the health checks").click()
    page.wait_for_url("**/jobs/*-*/")
    link = page.get_by_role("link", name="See the report")
    link.wait_for(timeout=60_000)
    assert page.locator("[hx-trigger='every 2s']").count() == 0
    assert axe_violations(page) == []
    link.click()
    page.wait_for_url("**/health/reports/*/")


def test_a_slow_look_shows_that_it_was_sent_and_a_download_does_not(visitor):
    one = visitor()
    page = one.page
    one.go("/hygiene/")
    # The answer would take the page away.
    page.evaluate("addEventListener('submit', (event) => event.preventDefault())")
    page.set_input_files("#file", files=[{"name": "a.csv", "mimeType": "text/csv", "buffer": b"a"}])
    bar, send = page.locator("[data-slow]"), page.get_by_role("button", name="Look at it")
    page.select_option("#answer", "json")
    send.click()
    assert bar.is_hidden()
    page.select_option("#answer", "page")
    send.click()
    assert bar.is_visible()
    assert axe_violations(page) == []
