"""Addresses in texts are dead until a person asks."""

import re
from urllib.parse import urlsplit

import pytest

from audit.console.links import MOST, host_of, links_of
from tests.factories import remember, turn

from .pages_kit import operator, text_of

pytestmark = pytest.mark.django_db
CYRILLIC = "https://p\u0430ypal.example/login?next=/x"


def test_a_link_of_a_memory_is_looked_at_first():
    client = operator()
    one = remember(text=f"Log in at {CYRILLIC}, it said.")
    page = text_of(client.get(f"/memories/{one.public_id}/"))
    assert 'href="https:' not in page
    (way, *_) = re.findall(r'href="(/link/\?to=[^"]+)"', page)
    asked = text_of(client.get(way))
    assert "xn--pypal-4ve.example" in asked
    assert "U+0430" in asked
    opened = re.search(r'<a [^>]*href="(https:[^"]+)"[^>]*>', asked)
    assert opened[1] == CYRILLIC
    assert "noreferrer noopener" in opened[0]


def test_a_link_of_the_evidence_is_one_too():
    said = turn(content="Read http://a.example/x first. My budget is 5.")
    one = remember(text="My budget is 5", turn_id=said.public_id)
    assert (
        "a.example"
        in text_of(operator().get(f"/memories/{one.public_id}/")).partition("Links in it")[2]
    )


@pytest.mark.parametrize("to", ["", "https://evil.example/", "abc:def"])
def test_only_what_this_console_signed_is_shown(to):
    assert operator().get("/link/", {"to": to}).status_code == 404


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("see https://a.example/x.", ["https://a.example/x"]),
        ("见https://a.example/路径。再说", ["https://a.example/路径"]),
        ("https://a.example https://a.example", ["https://a.example"]),
        ("javascript:alert(1) ftp://a.example mailto:x@y.z", []),
        ("http://[::1", []),
        ("https:// nothing", []),
    ],
)  # fmt: skip
def test_addresses_of_a_text(text, addresses):
    assert [link.address for link in links_of(text)] == addresses


def test_only_the_first_few_are_offered():
    found = links_of(" ".join(f"https://h{n}.example" for n in range(9)))
    assert [link.host for link in found] == [f"h{n}.example" for n in range(MOST)]


def test_the_host_is_what_the_network_is_asked_for():
    assert host_of("https://google.com@evil.example/") == "evil.example"
    assert host_of("https://例子.example/") == "xn--fsqu00a.example"
    assert urlsplit(links_of("https://b.example/x")[0].page).path == "/link/"


def test_what_stands_before_an_at_is_warned_of():
    client = operator()
    (link,) = links_of("https://google.com@evil.example/")
    page = text_of(client.get(link.page))
    assert "before the @" in page
    assert '<strong class="font-monospace">evil.example</strong>' in page
