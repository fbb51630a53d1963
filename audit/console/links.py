"""Addresses in the texts of memories: dead until a person asks, and then shown whole first."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.core import signing
from django.urls import reverse

SALT, MOST = "link of a text", 5
_ADDRESS = re.compile(r"https?://[^\s<>\"'`，。；！？、）】」》]+", re.IGNORECASE)


@dataclass(frozen=True)
class Link:
    """`host` as the network knows it: letters beyond ASCII as punycode; `page`: where it can be
    looked at before it is opened."""

    address: str
    host: str
    page: str


def links_of(text: str) -> list[Link]:
    """The first few different addresses of a text; what names no host is none."""
    found: dict[str, Link] = {}
    for match in _ADDRESS.finditer(text or ""):
        address = match[0].rstrip(".,;:!?)]}")
        host = host_of(address)
        if host and address not in found:
            asked = signing.dumps(address, salt=SALT, compress=True)
            found[address] = Link(address, host, f"{reverse('link')}?to={asked}")
        if len(found) == MOST:
            break
    return list(found.values())


def host_of(address: str) -> str:
    """ "" where it has none that a network could know."""
    try:
        host = urlsplit(address).hostname or ""
        return host.encode("idna").decode("ascii")
    except (UnicodeError, ValueError):
        return ""
