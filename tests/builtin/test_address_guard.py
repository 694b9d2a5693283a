"""The address guard lets public addresses pass, whatever they are written as, and nothing else."""

import asyncio
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given, strategies as st

from toolkit.address_guard import (  # private
    AddressGuard,
    RefusedHostError,
    UnknownHostError,
    host_and_port_of,
    kinds_of,
    why_refused,
)

INSIDE = {
    "127.0.0.1": "a loopback address",
    "127.255.255.254": "a loopback address",
    "10.0.0.1": "a private address",
    "172.16.0.1": "a private address",
    "172.31.255.255": "a private address",
    "192.168.1.1": "a private address",
    "100.64.0.1": "a private address",
    "100.100.100.200": "a private address",
    "169.254.169.254": "a link-local address",
    "169.254.170.2": "a link-local address",
    "168.63.129.16": "an address of a cloud's own services",
    "0.0.0.0": "a reserved address",  # noqa: S104 - nobody binds to it
    "0.1.2.3": "a reserved address",
    "192.0.0.192": "a reserved address",
    "192.0.2.1": "a reserved address",
    "192.88.99.1": "a reserved address",
    "198.18.0.1": "a reserved address",
    "198.51.100.7": "a reserved address",
    "203.0.113.9": "a reserved address",
    "224.0.0.1": "a multicast address",
    "239.255.255.250": "a multicast address",
    "240.0.0.1": "a reserved address",
    "255.255.255.255": "a reserved address",
    "::": "a reserved address",
    "::1": "a loopback address",
    "::127.0.0.1": "no public address",
    "::ffff:0:127.0.0.1": "no public address",
    "100::1": "no public address",
    "fc00::1": "a private address",
    "fd00:ec2::254": "a private address",
    "fec0::1": "a private address",
    "fe80::1": "a link-local address",
    "fe80::1%eth0": "a link-local address",
    "2606:4700::1%eth0": "no public address",
    "ff02::1": "a multicast address",
    "2001::1": "a reserved address",
    "2001:db8::1": "a reserved address",
    "3fff::1": "a reserved address",
    "5f00::1": "no public address",
    "2002:7f00:1::": "an address that contains another one",
    "2002:808:808::": "an address that contains another one",
    "64:ff9b:1::7f00:1": "an address that contains another one",
    "2606:4700::5efe:7f00:1": "an address that contains another one",
    "2606:4700::200:5efe:a00:1": "an address that contains another one",
    "::ffff:127.0.0.1": "a loopback address",
    "::ffff:169.254.169.254": "a link-local address",
    "64:ff9b::127.0.0.1": "a loopback address",
    "64:ff9b::10.0.0.1": "a private address",
}
OUTSIDE = ["8.8.8.8", "93.184.216.34", "100.63.255.255", "172.32.0.1", "192.169.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]  # fmt: skip
SPELLINGS_OF_LOOPBACK = [
    "127.0.0.1", "127.0.0.1.", "127.1", "127.0.1", "2130706433", "0x7f000001", "0X7F000001", "017700000001", "0x7f.1",
    "0177.0.0.1", "127.0.0.0x1", "0x7f.0x0.0x0.0x1", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "::ffff:7f00:1",
    "0:0:0:0:0:ffff:7f00:0001", "64:ff9b::7f00:1", "00000177.1",
]  # fmt: skip
NO_ADDRESSES = [
    "08.8.8.8",
    "256.1.1.1",
    "1.2.3.4.5",
    "127.0.0.1.1",
    "0x1g.1",
    "4294967296",
    "1..1",
    "::g",
    "1:2",
    "a.0x",
]

ipv4_inside = st.sampled_from(["127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "192.168.0.0/16", "100.64.0.0/10", "0.0.0.0/8", "224.0.0.0/3"]).map(ip_network).flatmap(lambda network: st.integers(int(network[0]), int(network[-1]))).map(IPv4Address)  # fmt: skip


def addresses_of(host, *found, port=80, trusted=()):
    """Return what the guard lets through of a host that leads to these."""
    guard = AddressGuard(trusted, lambda *_: found)
    return asyncio.run(guard.addresses_of(host, port))


def test_no_address_inside_passes():
    reasons = {address: why_refused(ip_address(address)) for address in INSIDE}
    passed = [address for address, reason in reasons.items() if reason is None]
    print(f"\naddress guard: {len(passed)} of {len(INSIDE)} addresses inside pass")  # noqa: T201
    assert reasons == INSIDE


@pytest.mark.parametrize("address", OUTSIDE)
def test_public_addresses_pass(address):
    assert why_refused(ip_address(address)) is None
    assert addresses_of("shop.example", address) == [str(ip_address(address))]


@given(ipv4_inside, st.integers(0, 2**16 - 1))
def test_an_ipv4_address_hides_in_no_ipv6_address(inside, rest):
    number = int(inside)
    hiding = [
        IPv6Address(0xFFFF << 32 | number),
        IPv6Address(number),
        IPv6Address(0xFFFF << 48 | number),
        IPv6Address(0x0064FF9B << 96 | number),
        IPv6Address(0x0064FF9B0001 << 80 | rest << 32 | number),
        IPv6Address(0x2002 << 112 | number << 80 | rest),
        IPv6Address(0x20010000 << 96 | rest << 64 | number ^ 0xFFFFFFFF),
        IPv6Address(0x26064700 << 96 | rest << 64 | 0x5EFE << 32 | number),
        IPv6Address(0x26064700 << 96 | rest << 64 | 0x02005EFE << 32 | number),
    ]
    assert [str(address) for address in [inside, *hiding] if why_refused(address) is None] == []


@given(st.integers(0, 2**128 - 1).map(IPv6Address) | st.integers(0, 2**32 - 1).map(IPv4Address))
def test_what_the_standard_library_calls_inside_is_refused(address):
    if address.is_private or address.is_link_local or address.is_multicast or address.is_reserved:
        assert why_refused(address) is not None or getattr(address, "ipv4_mapped", None) is not None


def test_no_public_address_passes_over_an_interface_of_this_machine():
    assert why_refused(IPv6Address("::ffff:8.8.8.8")) is None
    assert why_refused(IPv6Address("::ffff:8.8.8.8%1")) == "no public address"


def test_no_spelling_of_loopback_passes():
    passed = []
    for host in SPELLINGS_OF_LOOPBACK:
        with pytest.raises(RefusedHostError, match=f"^{host} is a loopback address$"):
            passed += addresses_of(host, "8.8.8.8")
    print(f"\naddress guard: {len(passed)} of {len(SPELLINGS_OF_LOOPBACK)} spellings of loopback pass")  # noqa: T201


@pytest.mark.parametrize("host", NO_ADDRESSES)
def test_what_is_no_address_is_not_looked_up(host):
    with pytest.raises(RefusedHostError, match=r"is not an address$"):
        addresses_of(host, "8.8.8.8")


def test_every_address_of_a_name_is_checked():
    with pytest.raises(RefusedHostError) as refused:
        addresses_of("shop.example", "8.8.8.8", "2606:4700::1111", "10.1.2.3")
    assert str(refused.value) == "shop.example leads to a private address"


def test_what_a_resolver_makes_up_is_refused():
    with pytest.raises(RefusedHostError, match="resolves to no public address"):
        addresses_of("shop.example", "not an address")


def test_a_name_without_an_address_is_unknown():
    with pytest.raises(UnknownHostError, match=r"^the host shop\.example cannot be found$"):
        addresses_of("shop.example")


def test_a_name_that_the_system_does_not_know_is_unknown():
    with pytest.raises(UnknownHostError, match=r"^the host nowhere\.invalid cannot be found$"):
        asyncio.run(AddressGuard().addresses_of("nowhere.invalid", 80))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST"])
def test_the_system_s_names_for_this_machine_are_refused(host):
    with pytest.raises(RefusedHostError, match=r"leads to a loopback address$"):
        asyncio.run(AddressGuard().addresses_of(host, 80))


def test_a_name_is_looked_up_once():
    asked = []

    def rebinding(host, port):
        asked.append((host, port))
        return ["8.8.8.8"] if len(asked) == 1 else ["127.0.0.1"]

    guard = AddressGuard(resolve=rebinding)
    assert asyncio.run(guard.addresses_of("shop.example", 443)) == ["8.8.8.8"]
    assert asked == [("shop.example", 443)]


@pytest.mark.parametrize(
    ("trusted", "host", "port"),
    [
        ("intranet.example", "intranet.example", 80),
        ("intranet.example", "INTRANET.example.", 8080),
        ("intranet.example:8080", "intranet.example", 8080),
        ("127.0.0.1:8080", "127.1", 8080),
        ("[::1]:8080", "::1", 8080),
        ("::1", "0:0:0:0:0:0:0:1", 1),
        ("[::1]", "::1", 80),
        ("2130706433", "127.0.0.1", 80),
        ("intranet.example.", "intranet.example", 80),
        ("bücher.example", "xn--bcher-kva.example", 80),
    ],
)
def test_a_host_that_the_user_names_may_be_inside(trusted, host, port):
    assert len(addresses_of(host, "10.0.0.1", port=port, trusted=[trusted])) == 1


@pytest.mark.parametrize(
    ("trusted", "host", "port"),
    [
        ("intranet.example:8080", "intranet.example", 80),
        ("intranet.example", "evil.intranet.example", 80),
        ("example", "intranet.example", 80),
        ("127.0.0.1:8080", "127.0.0.1", 80),
        ("127.0.0.1", "127.0.0.2", 80),
        ("1:2", "intranet.example", 80),
        ("a.0x", "intranet.example", 80),
        ("ü" * 64, "intranet.example", 80),
    ],
)
def test_nobody_else_may(trusted, host, port):
    with pytest.raises(RefusedHostError):
        addresses_of(host, "10.0.0.1", port=port, trusted=[trusted])


@pytest.mark.parametrize(
    ("host", "is_let_pass"),
    [
        *[("shop.example", True), ("SHOP.example", True), ("a.wiki.example", True), ("a.b.wiki.example", True)],
        *[("other.example", False), ("wiki.example", False), ("evilwiki.example", False), ("shop.example.evil", False)],
        ("evilshop.example", False),
    ],
)
def test_only_the_hosts_that_are_named_are_reached_if_any_are(host, is_let_pass):
    guard = AddressGuard(resolve=lambda *_: ["93.184.216.34"], only_hosts=["Shop.example", "*.wiki.example"])
    try:
        found = asyncio.run(guard.addresses_of(host, 443))
    except RefusedHostError:
        found = []
    assert bool(found) is is_let_pass


def test_a_host_that_is_not_one_of_those_named_is_refused_by_its_name():
    guard = AddressGuard(resolve=lambda *_: ["93.184.216.34"], only_hosts=["shop.example"])
    with pytest.raises(RefusedHostError, match=r"^other\.example is not one of the allowed hosts$"):
        asyncio.run(guard.addresses_of("other.example", 443))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/x", "a.example:443"),
        ("http://A.example/x", "a.example:80"),
        ("https://a.example:8443/", "a.example:8443"),
        ("http://[::1]/", "[::1]:80"),
        ("mailto:ada@a.example", ":80"),
    ],
)
def test_private_host_of_a_url_is_its_host_and_its_port(url, expected):
    assert host_and_port_of(url) == expected


def test_kinds_of_addresses_can_be_allowed_and_no_others():
    guard = AddressGuard(resolve=lambda *_: ["10.1.2.3"], kinds=["a private address"])
    assert asyncio.run(guard.addresses_of("inside.example", 443)) == ["10.1.2.3"]
    for other in ("127.0.0.1", "169.254.169.254"):
        with pytest.raises(RefusedHostError, match=f"{other} is a l"):
            asyncio.run(guard.addresses_of(other, 443))


@pytest.mark.parametrize(
    ("addresses", "kinds"),
    [
        (["1.1.1.1"], set()),
        (["10.1.2.3", "1.1.1.1"], {"a private address"}),
        (["127.0.0.1", "::1"], {"a loopback address"}),
        ([], set()),
    ],
)
def test_kinds_of_a_host_are_those_of_its_addresses(addresses, kinds):
    assert asyncio.run(kinds_of("https://server.example:8443/mcp", lambda *_: addresses)) == kinds
