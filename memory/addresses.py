"""Where this server may be told to send something: to the world, never to its own network.

An address is judged by what its name resolves to, and what was judged is what is connected to: a
name that answers otherwise the second time leads nowhere else.
"""

import ipaddress
import socket
from urllib.parse import SplitResult, urlsplit

LONGEST = 2000
PORTS = {"http": 80, "https": 443}
# IPv4 written inside IPv6, by those who translate between them: RFC 6052.
_TRANSLATED = ipaddress.ip_network("64:ff9b::/96")


class RefusedAddress(ValueError):
    """Nothing is sent there; the message says why, for whoever gave the address."""


def parsed(url: str) -> SplitResult:
    """The parts of an address of the form that is taken. Raises `RefusedAddress`."""
    if len(url) > LONGEST or not url.isascii() or not url.isprintable() or " " in url:
        raise RefusedAddress("is not an address")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise RefusedAddress("is not an address") from None
    if parts.scheme not in PORTS or not parts.hostname or port == 0:
        raise RefusedAddress("is http:// or https:// and a host")
    if "@" in parts.netloc or parts.fragment or "\\" in url:
        raise RefusedAddress("holds no name, password or fragment")
    return parts


def reachable(url: str) -> tuple[SplitResult, str]:
    """The parts of an address and the IP address to connect to. Every one that its name resolves
    to has to be of the world. Raises `RefusedAddress`."""
    parts = parsed(url)
    port = parts.port or PORTS[parts.scheme]
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise RefusedAddress("has no host that is known") from None
    numbers = [entry[4][0] for entry in found]
    if not numbers or not all(map(is_of_the_world, numbers)):
        raise RefusedAddress("leads into a network that nothing is sent to")
    return parts, numbers[0]


def is_of_the_world(number: str) -> bool:
    """Whether an IP address is public, in whatever dress an IPv4 address may come: mapped,
    translated (RFC 6052), 6to4 or Teredo."""
    address = ipaddress.ip_address(number.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address in _TRANSLATED:
            return is_of_the_world(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
        if inner := address.ipv4_mapped:
            return is_of_the_world(str(inner))
        if address.sixtofour or address.teredo or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
