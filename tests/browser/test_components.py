"""The component page in a real Chromium: every block is there, legible and fits, in both themes
(each sample stands in both), both languages, wide and on a phone."""

import pytest
from PIL import Image

from .axe import fits
from .conftest import WIDE

ADDRESS = "/settings/components/?group=all"
NARROW = {"width": 360, "height": 780}
# Both themes stand in every look, and neither width nor language changes a colour: they are looked
# at once, as that takes 10 s. What may depend on the width is looked at again on the phone.
LOOKS = {
    "wide": ({"viewport": WIDE, "theme": "light", "language": "en"}, {}),
    "phone-zh": (
        {"viewport": NARROW, "theme": "light", "language": "zh-hans"},
        {"color-contrast": {"enabled": False}},
    ),
    "dark-zh": ({"viewport": WIDE, "theme": "dark", "language": "zh-hans"}, None),
}
# Names of blocks with a sample of which nothing is to be seen, and of those wider than they may be.
UNSEEN = """() => [...document.querySelectorAll('.sample')].filter((sample) => {
  const range = document.createRange();
  range.selectNodeContents(sample);
  const box = range.getBoundingClientRect();
  return !(box.width > 0 && box.height > 0);
}).map((sample) => sample.closest('[data-component]').dataset.component)"""
CUT = """() => [...document.querySelectorAll('.sample')]
  .filter((sample) => sample.scrollWidth > sample.clientWidth + 1)
  .map((sample) => sample.closest('[data-component]').dataset.component)"""
# A page of text, pictures and two themes has hundreds of colours; a blank one has a few.
COLOURS = 100


def axe_violations(page, rules: dict) -> list[str]:
    from axe_playwright_python.base import AXE_SCRIPT

    page.evaluate(AXE_SCRIPT)
    found = page.evaluate(
        "(rules) => axe.run(document, {resultTypes: ['violations'], rules})", rules
    )
    return [
        f"{v['id']}: {[node['target'] for node in v['nodes']][:3]}" for v in found["violations"]
    ]


@pytest.mark.parametrize("look", LOOKS)
def test_every_block_is_seen_fits_and_is_legible(visitor, tmp_path, look):
    options, rules = LOOKS[look]
    one = visitor(**options)
    assert one.go(ADDRESS).status == 200
    one.shot(f"components-{look}")
    page = one.page
    assert page.locator("h1").count() == 1
    assert page.locator(".sample[data-bs-theme=dark]").count() == (
        page.locator(".sample[data-bs-theme=light]").count()
    )
    assert page.evaluate(UNSEEN) == []
    assert page.evaluate(CUT) == []
    assert fits(page)
    if rules is not None:
        assert axe_violations(page, rules) == []
    # The page is 24,000 pixels high: a picture of all of it takes longer than all else.
    for name in ("stat", "memory statement", "review item"):
        page.locator(f"[data-component='{name}']").scroll_into_view_if_needed()
        picture = tmp_path / f"{look}-{name}.png"
        page.screenshot(path=picture)
        with Image.open(picture) as drawn:
            colours = drawn.convert("RGB").getcolors(drawn.width * drawn.height)
        assert len(colours) > COLOURS


def test_its_forms_send_nothing_and_its_links_lead_nowhere(visitor):
    one = visitor()
    one.go(ADDRESS)
    sent = []
    one.page.on("request", lambda request: sent.append(request.url))
    for button in ("Keep as a new view", "Cancel the job", "Log out", "Undo"):
        one.page.locator(".sample[data-bs-theme=dark] button", has_text=button).first.click()
    one.page.locator(".sample a", has_text="See the batch").first.click()
    assert [url for url in sent if "/static/" not in url] == []
    assert ADDRESS in one.page.url
