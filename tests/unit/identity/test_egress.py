"""Where HTTP jobs may go: no spelling of an address inside is public, no list is widened."""

from __future__ import annotations

import ipaddress
from itertools import product

import pytest

from rota.errors import BadOption
from rota.model.workers.sandbox import Egress
from rota.rules.security.addresses import is_metadata, is_public
from rota.rules.security.egress import check_headers, may_call, may_reach
from rota.settings.readers import folders, hosts, networks

INSIDE = (
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "10.255.255.255",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "192.168.255.255",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
)
INSIDE_6 = (
    "::",
    "::1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "64:ff9b:1::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "ff0e::1",
)
FORMS = (
    "::ffff:{v4}",
    "::ffff:0:{v4}",
    "::{v4}",
    "64:ff9b::{v4}",
    "2002:{hex}::",
    "2002:{hex}:1::7",
    "2001:470::5efe:{v4}",
    "2001:470::200:5efe:{v4}",
)
"""How IPv6 leads to an address of IPv4: mapped, translated, compatible, NAT64, 6to4, ISATAP."""
OUTSIDE = ("8.8.8.8", "1.1.1.1", "93.184.215.14", "2606:4700:4700::1111", "2a00:1450:4001::200e")


def form(text: str, v4: str) -> str:
    number = int(ipaddress.IPv4Address(v4))
    return text.format(v4=v4, hex=f"{number >> 16:x}:{number & 0xFFFF:x}")


CORPUS = (*INSIDE, *INSIDE_6, *(form(text, v4) for text, v4 in product(FORMS, INSIDE)))


def test_the_corpus_is_large_enough() -> None:
    assert len(set(CORPUS)) >= 150


def test_no_form_of_an_address_inside_is_public() -> None:
    found = [text for text in CORPUS if is_public(ipaddress.ip_address(text))]

    assert found == []


def test_addresses_outside_are_public_in_each_form() -> None:
    addresses = [*OUTSIDE, *(form(text, "8.8.8.8") for text in ("64:ff9b::{v4}",))]

    assert all(is_public(ipaddress.ip_address(text)) for text in addresses)


@pytest.mark.parametrize(
    "text", ["169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fd00:ec2::254"]
)
def test_the_metadata_of_clouds_is_reached_by_nobody_who_was_not_named(text: str) -> None:
    address = ipaddress.ip_address(text)

    assert is_metadata(address)
    assert not may_reach(Egress(), address, allow_private=True)
    assert may_reach(Egress(inside=("169.254.0.0/16", text)), address, allow_private=True)


def test_a_job_reaches_inside_no_further_than_its_worker_says() -> None:
    here, there = ipaddress.ip_address("10.1.2.3"), ipaddress.ip_address("10.2.0.1")
    egress = Egress(inside=("10.1.0.0/16",))

    assert may_reach(egress, here, allow_private=True)
    assert may_reach(egress, ipaddress.ip_address("::ffff:10.1.2.3"), allow_private=True)
    assert not may_reach(egress, here, allow_private=False)
    assert not may_reach(egress, there, allow_private=True)
    assert not may_reach(Egress(inside=()), here, allow_private=True)
    assert may_reach(Egress(), there, allow_private=True)


@pytest.mark.parametrize(
    ("host", "may"),
    [
        ("api.example.org", True),
        ("API.example.org.", True),
        ("a.b.example.net", True),
        ("example.net", False),
        ("evilexample.net", False),
        ("api.example.org.evil.net", False),
        ("example.org", False),
        ("93.184.215.14", False),
    ],
)
def test_a_list_of_hosts_is_exact(host: str, may: object) -> None:
    assert may_call(Egress(hosts=("api.example.org", "*.example.net")), host) is may
    assert may_call(Egress(), host)


@pytest.mark.parametrize(
    "name",
    [
        "Host",
        "content-length",
        "Transfer-Encoding",
        " te ",
        "Proxy-Authorization",
        "Sec-Fetch-Site",
        "Metadata-Flavor",
        "X-aws-ec2-metadata-token",
        "rota-run-id",
    ],
)
def test_headers_that_no_job_may_send(name: str) -> None:
    with pytest.raises(BadOption, match="header"):
        check_headers({name: "x"})


def test_other_headers_are_their_own_business() -> None:
    names = ("Authorization", "Accept", "X-Cat", "Idempotency-Key", "Content-Type")
    check_headers(dict.fromkeys(names, "a\tb ä"))


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (networks, "10.0.0.1/8"),
        (networks, ["lan"]),
        (networks, 7),
        (hosts, "http://example.org"),
        (hosts, "*"),
        (hosts, "a.*.org"),
        (folders, "jobs"),
    ],
)
def test_settings_that_make_no_sense_are_refused(read: object, given: object) -> None:
    with pytest.raises(BadOption):
        read(given)  # type: ignore[operator]


def test_settings_are_lists_or_words_with_commas() -> None:
    assert networks("10.1.0.0/16, 192.168.7.2") == ("10.1.0.0/16", "192.168.7.2/32")
    assert hosts(["API.example.org.", "*.Example.net"]) == ("api.example.org", "*.example.net")
    assert folders("/srv/jobs,/tmp") == ("/srv/jobs", "/tmp")
