"""A fetch goes to the address that was checked, ends in time, and reads no more than it may."""

import asyncio
import gzip
import socket
import time
import tracemalloc
import zlib
from pathlib import Path

import pytest

from toolkit.address_guard import AddressGuard  # private
from toolkit.fetching import Fetcher, FetchError  # private

CERTIFICATES = Path(__file__).parent / "certificates"
MEBIBYTE = 1024 * 1024
REDIRECTS = ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]


def fetch(url, *, trusted=(), resolve=None, **options):
    """Get a URL; where servers are given, their hosts and ports are trusted."""
    private = [host if isinstance(host, str) else f"127.0.0.1:{host.port}" for host in trusted]
    guard = AddressGuard(private, *([resolve] if resolve else []))
    return asyncio.run(Fetcher(guard, **options).fetch("GET", url))


def refused(url, **options):
    """Return why a URL could not be fetched, and of what kind that is."""
    with pytest.raises(FetchError) as raised:
        fetch(url, **options)
    return str(raised.value), raised.value.code


def test_an_answer_is_read_whole(serve, respond):
    server = serve(respond("Grüße", Content_Type="text/plain; charset=utf-8", X_More="1"))
    fetched = fetch(server.url("/a?b=c#d"), trusted=[server])
    assert fetched.url == server.url("/a?b=c#d")
    assert (fetched.status, fetched.body.decode(), fetched.is_cut) == (200, "Grüße", False)
    assert fetched.headers == {"content-type": "text/plain; charset=utf-8", "x-more": "1", "content-length": "7"}
    [asked] = server.requests
    assert (asked.method, asked.target, asked.body) == ("GET", "/a?b=c", b"")
    assert asked.headers == {
        "host": f"127.0.0.1:{server.port}",
        "user-agent": "toolkit",
        "accept": "*/*",
        "accept-encoding": "gzip",
        "connection": "close",
    }


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://shop.example/", "the URL must begin with http:// or https:// and name a host"),
        ("file:///etc/passwd", "the URL must begin with http:// or https:// and name a host"),
        ("gopher://shop.example:70/_", "the URL must begin with http:// or https:// and name a host"),
        ("//shop.example/", "the URL must begin with http:// or https:// and name a host"),
        ("shop.example", "the URL must begin with http:// or https:// and name a host"),
        ("http:///path", "the URL must begin with http:// or https:// and name a host"),
        ("", "the URL must begin with http:// or https:// and name a host"),
        ("http://user:pass@shop.example/", "the URL must not contain a user name or password"),
        ("http://shop.example\\@127.0.0.1/", "the URL must not contain a user name or password"),
        ("http://shop.example:99999/", "the URL has an invalid port: 99999"),
        ("http://shop.example:x/", "not a URL"),
        ("http://[::1/", "not a URL"),
        ("http://shop\r\nHost: evil/", "not a URL"),
        ("http://127.0.0.1%00.shop.example/", "the URL has an invalid host name"),
        ("http://shop{}.example/", "the URL has an invalid host name"),
        ("http://1①.example/", "not a URL"),
        (f"http://shop.example/{'x' * 8000}", "the URL is too long: 8020 characters, at most 8000"),
    ],
)
def test_what_is_no_url_of_the_web_is_refused(url, reason):
    assert refused(url, resolve=lambda *_: pytest.fail("it was looked up")) == (reason, "invalid_arguments")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "[::ffff:127.0.0.1]", "[::1]", "localhost", "127。0。0。1", "\uff11\uff12\uff17.0.0.1", "127.0.0.1."])  # fmt: skip
def test_a_server_on_this_machine_is_not_reached(serve, respond, host):
    server = serve(respond("secret"))
    message, _ = refused(server.url(host=host))
    assert ("loopback" in message) or message in {"not a URL", "the URL has an invalid host name"}
    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(serve, respond):
    right = serve(respond("right"))
    wrong = serve(respond("wrong"), host="127.0.0.2", port=right.port)
    asked = []

    def rebinding(*host_and_port):
        asked.append(host_and_port)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    trusted = ["shop.example"]
    bodies = {fetch(right.url(host="shop.example"), trusted=trusted, resolve=rebinding).body for _ in range(1)}
    assert bodies == {b"right"}
    assert asked == [("shop.example", right.port)]
    assert wrong.requests == []
    assert right.requests[0].headers["host"] == f"shop.example:{right.port}"
    print(f"\nfetching: {len(asked)} look-up, {len(wrong.requests)} connections to another address")  # noqa: T201


def test_the_next_address_is_tried_where_nobody_listens(serve, respond):
    server = serve(respond("here"), host="127.0.0.2")
    found = fetch(
        server.url(host="shop.example"), trusted=["shop.example"], resolve=lambda *_: ["127.0.0.1", "127.0.0.2"]
    )
    assert found.body == b"here"


def test_nobody_listening_is_said(unused_port):
    url = f"http://shop.example:{unused_port}/"
    message = refused(url, trusted=["shop.example"], resolve=lambda *_: ["127.0.0.1"])
    assert message == ("cannot connect to shop.example: connection refused", "network")


@pytest.fixture
def unused_port():
    """Return a port on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


# Encryption


@pytest.fixture
def trusting(monkeypatch):
    """Trust the authority of the tests."""
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATES / "authority.pem"))


@pytest.mark.usefixtures("trusting")
def test_the_name_and_not_the_address_is_what_a_certificate_is_checked_for(serve, respond):
    server = serve(respond("sealed"), certificate=CERTIFICATES / "shop.example.pem")
    found = fetch(
        server.url(host="shop.example", scheme="https"), trusted=["shop.example"], resolve=lambda *_: ["127.0.0.1"]
    )
    assert found.body == b"sealed"
    assert server.names == ["shop.example"]
    assert server.requests[0].headers["host"] == f"shop.example:{server.port}"


@pytest.mark.usefixtures("trusting")
def test_a_certificate_for_another_name_is_refused(serve, respond):
    server = serve(respond("sealed"), certificate=CERTIFICATES / "shop.example.pem")
    url = server.url(host="bank.example", scheme="https")
    message, code = refused(url, trusted=["bank.example"], resolve=lambda *_: ["127.0.0.1"])
    assert message.startswith("cannot connect to bank.example: its certificate is not trusted (Hostname mismatch")
    assert code == "network"
    assert server.requests == []


@pytest.mark.usefixtures("trusting")
def test_an_address_that_stalls_leaves_time_for_the_next(serve, respond):
    silent = serve(stalling())
    server = serve(respond("here"), host="127.0.0.2", port=silent.port, certificate=CERTIFICATES / "shop.example.pem")
    found = fetch(
        server.url(host="shop.example", scheme="https"),
        trusted=["shop.example"],
        resolve=lambda *_: ["127.0.0.1", "127.0.0.2"],
        timeout=2,
    )
    assert found.body == b"here"


def test_a_certificate_of_an_unknown_authority_is_refused(serve, respond):
    server = serve(respond("sealed"), certificate=CERTIFICATES / "shop.example.pem")
    url = server.url(host="shop.example", scheme="https")
    message, _ = refused(url, trusted=["shop.example"], resolve=lambda *_: ["127.0.0.1"])
    assert "its certificate is not trusted (unable to get local issuer certificate)" in message


# Redirects


@pytest.mark.parametrize("status", REDIRECTS)
def test_redirects_are_followed_as_far_as_allowed(serve, respond, status):
    server = serve(lambda asked: [respond("end") if asked.target == "/end" else respond("", status, Location="/end")])
    fetched = fetch(server.url(), trusted=[server], max_redirects=1)
    assert (fetched.body, fetched.url) == (b"end", server.url("/end"))
    fetched = fetch(server.url(), trusted=[server])
    assert (fetched.status, fetched.headers["location"]) == (int(status[:3]), "/end")


def test_redirects_without_end_are_given_up(serve, respond):
    server = serve(respond("", "302 Found", Location="/again"))
    assert refused(server.url(), trusted=[server], max_redirects=5) == ("more than 5 redirects", "network")
    assert len(server.requests) == 6


LOCATIONS = ["http://127.0.0.1:{}/", "//127.0.0.1:{}/", "http://2130706433:{}/", "http://[::ffff:7f00:1]:{}/", "http://localhost:{}/", "HTTP://127.1:{}/", "http://inside.example:{}/"]  # fmt: skip


def test_no_redirect_leads_inside(serve, respond):
    inside = serve(respond("secret"))
    reached = 0
    for status in REDIRECTS:
        for location in LOCATIONS:
            outside = serve(respond("", status, Location=location.format(inside.port)))
            message, code = refused(
                outside.url(host="outside.example"),
                trusted=[f"outside.example:{outside.port}"],
                resolve=lambda *_: ["127.0.0.1"],
                max_redirects=5,
            )
            assert ("loopback" in message, code) == (True, "access_denied")
            reached += len(inside.requests)
    print(f"\nfetching: {reached} of {len(REDIRECTS) * len(LOCATIONS)} redirects lead inside")  # noqa: T201
    assert reached == 0


@pytest.mark.parametrize("location", ["file:///etc/passwd", "http://user@127.0.0.1/", "http://[", "javascript:1"])
def test_a_redirect_to_something_else_is_refused(serve, respond, location):
    server = serve(respond("", "302 Found", Location=location))
    message = ("127.0.0.1 redirects to something that cannot be fetched", "network")
    assert refused(server.url(), trusted=[server], max_redirects=5) == message


@pytest.mark.usefixtures("trusting")
def test_a_redirect_away_from_encryption_is_refused(serve, respond):
    open_server = serve(respond("open"))
    location = open_server.url(host="shop.example")
    server = serve(respond("", "302 Found", Location=location), certificate=CERTIFICATES / "shop.example.pem")
    url = server.url(host="shop.example", scheme="https")
    message = refused(url, trusted=["shop.example"], resolve=lambda *_: ["127.0.0.1"], max_redirects=5)
    assert message == ("shop.example redirects from https to http", "access_denied")
    assert open_server.requests == []


# Time


def stalling(*chunks, every=b""):
    """Return what sends chunks and then nothing, or one of them again and again."""

    def answering(_):
        yield from chunks
        while True:
            yield b""
            yield every

    return answering


@pytest.mark.parametrize(
    "answering",
    [
        stalling(),
        stalling(b"HTTP/1.1 200 OK\r\n"),
        stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!"),
        stalling(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", every=b"."),
        stalling(b"HTTP/1.1 200 OK\r\n", every=b"X: y\r\n"),
        stalling(every=b"HTTP/1.1 100 Continue\r\n\r\n"),
        stalling(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", every=gzip.compress(b"")),
    ],
    ids=["nothing", "a status", "half", "a drip", "headers", "continue", "compressed nothing"],
)
def test_the_deadline_holds_for_everything(serve, answering):
    server = serve(answering)
    assert refused(server.url(), trusted=[server], timeout=0.3) == ("no complete answer within 300ms", "timeout")


def test_the_deadline_holds_for_all_redirects_together(serve, respond):
    def answering(_):
        time.sleep(0.05)
        yield respond("", "302 Found", Location="/again")

    server = serve(answering)
    message = refused(server.url(), trusted=[server], timeout=0.4, max_redirects=1000)
    assert message == ("no complete answer within 400ms", "timeout")


def test_the_deadline_holds_for_looking_up():
    def slow(*_):
        time.sleep(1)
        return ["127.0.0.1"]

    started = time.monotonic()
    message = refused("http://shop.example/", resolve=slow, timeout=0.1)
    print(f"\nfetching: a look-up of 1 s is given up after {time.monotonic() - started:.2f} s of 0.1 s")  # noqa: T201
    assert message == ("no complete answer within 100ms", "timeout")


def test_the_deadline_holds_for_shaking_hands(serve):
    server = serve(stalling())
    message = refused(server.url(scheme="https"), trusted=[server], timeout=1)
    assert message == ("no complete answer within 1s", "timeout")


# Size


def endless(head):
    """Return what answers with a head and a body that never ends."""

    def answering(_):
        yield head
        while True:
            yield b"x" * 65536

    return answering


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"]
)
def test_an_endless_body_is_cut(serve, head):
    server = serve(endless(head))
    fetched = fetch(server.url(), trusted=[server], max_bytes=1000)
    assert (fetched.body, fetched.is_cut) == (b"x" * 1000, True)


@pytest.mark.parametrize(("size", "is_cut"), [(999, False), (1000, False), (1001, True)])
def test_the_limit_is_exact(serve, respond, size, is_cut):
    server = serve(respond("x" * size))
    fetched = fetch(server.url(), trusted=[server], max_bytes=1000)
    assert (len(fetched.body), fetched.is_cut) == (min(size, 1000), is_cut)


def bomb(encoding):
    """Return 64 MiB of zeros that were compressed."""
    packing = zlib.compressobj(6, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
    zeros = bytes(MEBIBYTE)
    return b"".join([packing.compress(zeros) for _ in range(64)]) + packing.flush()


@pytest.mark.proof
@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_a_bomb_is_cut_before_it_grows(serve, respond, encoding):
    packed = bomb(encoding)
    server = serve(respond(packed, Content_Encoding=encoding))
    fetch(server.url(), trusted=[server], max_bytes=1000)  # what is imported is not counted
    tracemalloc.start()
    try:
        fetched = fetch(server.url(), trusted=[server], max_bytes=MEBIBYTE)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    print(f"\nfetching: {len(packed) / MEBIBYTE:.1f} MiB that unpack to 64 MiB took {peak / MEBIBYTE:.1f} MiB")  # noqa: T201
    assert (len(fetched.body), fetched.is_cut) == (MEBIBYTE, True)
    assert peak < 16 * MEBIBYTE


def test_a_compressed_body_is_unpacked(serve, respond):
    parts = gzip.compress("Grüße, ".encode()) + gzip.compress(b"noch einmal")
    server = serve(respond(parts, Content_Encoding="gzip"))
    assert fetch(server.url(), trusted=[server]).body.decode() == "Grüße, noch einmal"
    server = serve(respond(zlib.compress(b"deflated"), Content_Encoding="Deflate"))
    assert fetch(server.url(), trusted=[server]).body == b"deflated"


@pytest.mark.parametrize(
    ("encoding", "body", "reason"),
    [
        ("gzip", b"not compressed", "the compressed body is invalid"),
        ("gzip", gzip.compress(b"x" * 1000, mtime=0)[:-9], "the compressed body is incomplete"),
        ("gzip", b"", "the compressed body is incomplete"),
        (
            "gzip, gzip",
            gzip.compress(gzip.compress(b"twice", mtime=0), mtime=0),
            "the body has a content encoding that is not supported",
        ),
        ("br", b"whatever", "the body has a content encoding that is not supported"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_refused(serve, respond, encoding, body, reason):
    server = serve(respond(body, Content_Encoding=encoding))
    assert refused(server.url(), trusted=[server]) == (reason, "network")


# Lies


@pytest.mark.parametrize(
    ("answered", "reason"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive!", "peer closed connection without sending complete"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfi", "peer closed connection without sending"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nfive!\r\n", "illegal chunk header"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "bad Content-Length"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", "conflicting Content-Length headers"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000, "Receive buffer too long"),
        (b"SSH-2.0-OpenSSH_9.6\r\n\r\n", "illegal status line"),
        (b"\x00\xff" * 100 + b"\r\n\r\n", "illegal status line"),
        (b"", "Server disconnected without sending a response"),
    ],
)
def test_what_is_no_http_is_an_error(serve, answered, reason):
    server = serve(answered)
    message, code = refused(server.url(), trusted=[server])
    assert message.startswith("127.0.0.1 closed the connection: ")
    assert (reason in message, code) == (True, "network")


def test_what_comes_after_the_length_is_left(serve):
    server = serve(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfive!and more")
    assert fetch(server.url(), trusted=[server]).body == b"five!"


def test_no_proxy_is_asked(serve, respond, monkeypatch):
    proxy, server = serve(respond("the proxy's")), serve(respond("the server's"))
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url())
    assert fetch(server.url(), trusted=[server]).body == b"the server's"
