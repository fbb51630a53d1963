"""Where nothing is sent."""

import socket

import pytest

from memory.addresses import RefusedAddress, is_of_the_world, parsed, reachable


def resolving(monkeypatch, *numbers: str):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (number, 443)) for number in numbers]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: found)


@pytest.mark.parametrize(
    "number",
    [
        "127.0.0.1", "127.8.8.8", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "0.0.0.0", "100.64.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1",
        "198.18.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1",
        "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "fec0::1", "2001:db8::1",
    ],
)  # fmt: skip
def test_private_local_and_reserved_numbers_are_not_of_the_world(number):
    assert not is_of_the_world(number)


@pytest.mark.parametrize("number", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111",
                                    "::ffff:1.1.1.1", "64:ff9b::101:101"])  # fmt: skip
def test_public_numbers_are(number):
    assert is_of_the_world(number)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/", "file:///etc/passwd", "//example.org/", "example.org", "http://",
        "http://ann:secret@example.org/", "http://example.org/#x", "http://example.org:0/",
        "http://example.org:99999/", "http://exa mple.org/", "http://example.org/\n",
        "http://例子.org/", "http://example.org\\@10.0.0.1/", "http://" + "a" * 2000, "http://[::1",
    ],
)  # fmt: skip
def test_what_is_no_plain_address_is_refused(url):
    with pytest.raises(RefusedAddress):
        parsed(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://2130706433/",
        "http://0x7f000001/", "http://0177.0.0.1/", "http://127.1/", "http://[::ffff:7f00:1]/",
        "http://169.254.169.254/latest/meta-data/",
    ],
)  # fmt: skip
def test_every_spelling_of_the_own_network_is_refused(url):
    with pytest.raises(RefusedAddress):
        reachable(url)


def test_a_name_is_judged_by_all_that_it_resolves_to(monkeypatch):
    resolving(monkeypatch, "1.1.1.1")
    assert reachable("https://example.org/hook?x=1")[1] == "1.1.1.1"
    resolving(monkeypatch, "1.1.1.1", "10.0.0.1")
    with pytest.raises(RefusedAddress):
        reachable("https://example.org/")
    resolving(monkeypatch)
    with pytest.raises(RefusedAddress):
        reachable("https://example.org/")
