"""The panel beside the list: the short of one memory, and only of one's own."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.factories import budget, remember

from .pages_kit import operator, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
HTMX = {"HTTP_HX_REQUEST": "true"}


def address(memory) -> str:
    return reverse("memory-peek", args=[memory.public_id])


def without_tokens(response) -> str:
    """The page without what differs from answer to answer: tokens, and the address asked for."""
    own = r'"x-csrftoken": "[^"]+"|value="[^"]{64}"|/memories/[0-9a-f-]{36}/'
    return re.sub(own, "", text_of(response))


def asked(client, memory) -> int:
    client.get(address(memory), **HTMX)
    with CaptureQueriesContext(connection) as seen:
        assert client.get(address(memory), **HTMX).status_code == 200
    return len(seen)


def test_the_panel_shows_the_memory_and_its_former_values():
    budget("800")
    now = budget("1200")
    text = text_of(operator().get(address(now), **HTMX))
    assert "<html" not in text
    assert "1200" in text
    assert "superseded" in text
    assert reverse("memory-correct", args=[now.public_id]) in text


def test_a_viewer_sees_it_and_is_not_offered_to_correct():
    now = budget("1200")
    text = text_of(viewer().get(address(now), **HTMX))
    assert "1200" in text
    assert reverse("memory-correct", args=[now.public_id]) not in text


def test_asked_for_as_a_page_it_leads_to_the_memorys_own():
    now = budget("1200")
    answer = operator().get(address(now))
    assert (answer.status_code, answer["Location"]) == (
        302, reverse("memory", args=[now.public_id]),
    )  # fmt: skip


def test_strangers_find_nothing():
    now = budget("1200")
    assert operator().get(address(now), **HTMX).status_code == 200
    assert viewer().get(address(now), **HTMX).status_code == 200
    other = stranger()
    refused = other.get(address(now), **HTMX)
    unknown = other.get(reverse("memory-peek", args=[uuid4()]), **HTMX)
    assert refused.status_code == unknown.status_code == 404
    assert without_tokens(refused) == without_tokens(unknown)


def test_the_address_of_the_list_holds_what_is_shown():
    now = budget("1200")
    other = remember(text="the office is upstairs")
    text = text_of(operator().get("/memories/", {"peek": now.public_id}))
    assert 'aria-current="true"' in text
    assert 'id="peek"' in text
    panel = text.partition('id="peek"')[2]
    assert "1200" in panel
    assert str(other.public_id) not in panel


@pytest.mark.parametrize("peek", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_what_names_no_memory_shows_no_panel(peek):
    budget("1200")
    answer = operator().get("/memories/", {"peek": peek})
    assert answer.status_code == 200
    assert answer.context["peek"] is None


def test_the_panels_cost_does_not_grow_with_the_versions():
    for value in range(3):
        now = budget(str(value + 100))
    client = operator()
    few = asked(client, now)
    for value in range(20):
        now = budget(str(value + 200))
    assert asked(client, now) == few


def keys_of(text: str) -> dict[str, str]:
    """By letter, what it opens in the panel."""
    found = re.findall(r'data-key="(.)"[^>]*>\s*<summary.*?</svg>(\w+)</summary>', text)
    return dict(found)


def test_what_can_be_decided_has_its_form_and_its_key():
    row = budget("1200")
    client = operator()
    text = text_of(client.get(address(row), **HTMX))
    assert keys_of(text) == {"r": "Retract", "q": "Hold"}
    assert f'href="/review/?status=pair&amp;memory={row.public_id}" data-key="m"' in text
    client.post(f"/memories/{row.public_id}/hold/", {"reason": "x", "revision": row.revision})
    waiting = text_of(client.get(address(row), **HTMX))
    assert keys_of(waiting) == {"a": "Approve", "r": "Reject"}
    assert "data-key" not in text_of(viewer().get(address(row), **HTMX))


@pytest.mark.parametrize(
    ("current", "back"),
    [
        ("http://testserver/memories/?q=a&peek=x&done=y", "/memories/?q=a"),
        ("http://elsewhere.example/", "/memories/"),
        ("", "/memories/"),
    ],
)
def test_its_forms_lead_back_to_the_list_without_the_panel(current, back):
    headers = {"HTTP_HX_CURRENT_URL": current} if current else {}
    text = text_of(operator().get(address(budget("1200")), **HTMX, **headers))
    assert f'name="next" value="{back}"' in text
