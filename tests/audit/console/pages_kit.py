"""What the tests of the console's pages share."""

import re
from html.parser import HTMLParser
from urllib.parse import parse_qs, urlsplit

from django.db import connection
from django.test.utils import CaptureQueriesContext

from memory.models import Role
from tests.factories import logged_in, person, workspace

PART = {"HTTP_HX_REQUEST": "true"}
BACK = PART | {"HTTP_HX_HISTORY_RESTORE_REQUEST": "true"}


def operator():
    return logged_in(person("olga"))


def viewer():
    return logged_in(person("vera", role=Role.VIEWER))


def stranger():
    return logged_in(person("sam", workspace("w2")))


def text_of(response) -> str:
    return response.content.decode()


def links(response) -> list[dict[str, list[str]]]:
    """The query strings of the page's links that have one."""
    found = re.findall(r'href="(\?[^"]*)"', text_of(response))
    return [parse_qs(urlsplit(href.replace("&amp;", "&")).query) for href in found]


class _Fields(HTMLParser):
    """The fields of a page's forms by name, as a browser would send them."""

    def __init__(self):
        super().__init__()
        self.values: dict[str, str] = {}
        self._open = ""

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        name = found.get("name", "")
        if tag in ("input", "textarea"):
            self.values[name] = found.get("value", "")
        if tag in ("select", "textarea"):
            self._open = name
        if tag == "option" and "selected" in found:
            self.values[self._open] = found["value"]

    def handle_endtag(self, tag):
        if tag in ("select", "textarea"):
            self._open = ""

    def handle_data(self, data):
        # A browser drops the line break that opens a text area.
        if self._open and self.get_starttag_text().startswith("<textarea"):
            self.values[self._open] += data.removeprefix("\n")


def filled(response) -> dict[str, str]:
    """What a browser would send back of a page's forms if nobody typed anything."""
    reader = _Fields()
    reader.feed(text_of(response))
    return reader.values


def queries(client, address: str) -> int:
    """How many queries a warm request makes."""
    client.get(address)
    with CaptureQueriesContext(connection) as captured:
        client.get(address)
    return len(captured)


def is_whole(response) -> bool:
    return "<html" in text_of(response) and "<h1" in text_of(response)


def assert_three_ways(client, address: str) -> None:
    """Whole page for a plain request and for Back, a part for htmx; never for a shared cache."""
    plain, part, back = (client.get(address, **headers) for headers in ({}, PART, BACK))
    assert is_whole(plain)
    assert is_whole(back)
    assert "<html" not in text_of(part)
    assert 'id="list"' in text_of(part)
    for response in (plain, part, back):
        assert {"HX-Request", "HX-History-Restore-Request", "Cookie"} <= {
            name.strip() for name in response["Vary"].split(",")
        }
        assert "private" in response["Cache-Control"]
