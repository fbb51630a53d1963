"""The component page: every block with a sample, in both themes, for staff alone."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory
from django.utils import translation

from audit.console import components
from memory.models import Role
from tests.audit.console.pages_kit import operator, queries, text_of
from tests.factories import logged_in, person, remember

pytestmark = pytest.mark.django_db

ADDRESS = "/settings/components/"
WHOLE = f"{ADDRESS}?group=all"
BLOCKS = Path(__file__).resolve().parents[3] / "templates" / "console" / "blocks"


def staff():
    someone = person("stella")
    someone.is_staff = True
    someone.save(update_fields=["is_staff"])
    return logged_in(someone)


def asked():
    request = RequestFactory().get(ADDRESS)
    request.user = AnonymousUser()
    return request


def shown() -> list[components.Component]:
    return list(components.shown(asked()))


def without_tokens(response, address: str) -> str:
    """A page without what differs from request to request."""
    kept = re.sub(
        r'"x-csrftoken": "[^"]*"|name="csrfmiddlewaretoken" value="[^"]*"', "", text_of(response)
    )
    return kept.replace(address, "")


def test_staff_see_every_block_with_its_file_and_use():
    page = text_of(staff().get(WHOLE))
    for path in BLOCKS.iterdir():
        assert f"templates/console/blocks/{path.name}" in page
    assert page.count("<h1") == 1


def test_the_settings_lead_staff_there_and_nobody_else():
    assert ADDRESS in text_of(staff().get("/settings/"))
    assert ADDRESS not in text_of(operator().get("/settings/"))


def test_nobody_else_finds_the_page():
    admin = logged_in(person("ada", role=Role.ADMIN))
    for client in (operator(), admin):
        found, missing = (client.get(path) for path in (ADDRESS, "/settings/nothing-here/"))
        assert found.status_code == 404
        assert without_tokens(found, ADDRESS) == without_tokens(missing, "/settings/nothing-here/")


def test_a_block_without_a_sample_is_found():
    sampled = {sample.template for sample in components.samples()}
    assert sorted(f"blocks/{path.name}" for path in BLOCKS.glob("*.html")) == sorted(
        template for template in sampled if template.startswith("blocks/")
    )


def test_every_block_says_what_it_is_for():
    assert [one.file for one in shown() if not one.use] == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_sample_shows_something(language):
    with translation.override(language):
        for sample in components.samples():
            drawn = components.render(asked(), sample)
            assert drawn.strip(), sample.template
            assert "{{" not in drawn
            assert "{%" not in drawn


def test_a_block_stands_once_with_all_its_samples():
    files = [one.file for one in shown()]
    assert len(files) == len(set(files))


def test_each_stands_in_one_group_and_the_groups_lead_to_all_of_them():
    client = staff()
    page = text_of(client.get(ADDRESS))
    groups = re.findall(r'href="\?group=(\w+)"', page)
    assert groups == [*components.GROUPS]
    files = [one.file for name in groups[:-1] for one in components.shown(asked(), name)]
    assert sorted(files) == sorted(one.file for one in shown())
    assert all([*components.shown(asked(), name)] for name in groups)
    lists = text_of(client.get(f"{ADDRESS}?group=lists&lang=zh-hans"))
    assert "blocks/pager.html" in lists
    assert "blocks/sidebar.html" not in lists
    assert 'href="?lang=zh-hans&amp;group=all"' in lists
    unknown = text_of(client.get(f"{ADDRESS}?group=nothing"))
    assert "blocks/sidebar.html" in unknown
    assert "blocks/pager.html" not in unknown


def test_the_words_are_in_the_language_asked_for():
    client = staff()
    chinese = text_of(client.get(f"{ADDRESS}?lang=zh-hans"))
    assert '<html lang="zh-hans"' in chinese
    assert "升降桌" in chinese
    english = text_of(client.get(f"{ADDRESS}?lang=en"))
    assert "afternoon" in english
    assert "升降桌" not in english
    assert text_of(client.get(f"{ADDRESS}?lang=xx")).count("afternoon")


def test_ids_are_apart_and_nothing_leads_anywhere():
    page = text_of(staff().get(WHOLE))
    ids = re.findall(r'\sid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    body = page.partition('class="samples"')[2]
    assert set(re.findall(r'<a\b[^>]*\shref="([^"]*)"', body)) == {"#main"}
    assert 'method="post"' not in body
    assert " hx-" not in body


def test_an_awake_block_is_put_to_sleep():
    drawn = components.asleep(
        '<nav aria-label="x"><form method="post" action="/a/"><label for="q">q</label>'
        '<input id="q" name="q" aria-describedby="a b"></form><a class="c" href="/b/">b</a></nav>'
        '<div id="k" popover>k</div><svg><use href="/icons.svg#x"/></svg>',
        "-1",
    )
    assert drawn == (
        '<div role="group" aria-label="x"><form method="dialog"><label for="q-1">q</label>'
        '<input id="q-1" name="q-1" aria-describedby="a-1 b-1"></form>'
        '<a class="c" href="#main">b</a></div><div id="k-1">k</div>'
        '<svg><use href="/icons.svg#x"/></svg>'
    )


def test_the_store_is_not_read_for_it():
    client = staff()
    before = queries(client, WHOLE)
    for number in range(5):
        remember(text=f"note {number}", user_id="ann")
    assert queries(client, WHOLE) == before
