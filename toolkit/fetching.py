"""Sends HTTP requests to checked addresses, with a deadline and a maximum size of the response.

The environment cannot redirect a request: proxies, `.netrc` and cookies are ignored. Certificates are verified with the
system's certificate authorities, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`. Bodies are decompressed in bounded
pieces, and decoded whatever charset a server declares.
"""

import codecs
import logging
import os
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from email.message import Message
from functools import cache
from http import HTTPStatus
from re import compile as pattern
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import unquote

from toolkit.address_guard import AddressGuard, RefusedHostError, UnknownHostError
from toolkit.amounts import format_duration

if TYPE_CHECKING:
    from httpx2 import URL, Response


# The encodings that browsers support. Python has more, some of which take quadratic time or decompress data.
_KNOWN: Final = {
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"),
    *("cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "cp866", "cp874"),
    *("iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6", "iso8859-7", "iso8859-8", "iso8859-10"),
    *("iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic"),
    *("gbk", "gb18030", "big5", "big5hkscs", "cp932", "cp949", "euc_jp", "iso2022_jp", "shift_jis", "euc_kr"),
}
# As in browsers, ASCII and Latin 1 mean the larger Windows encoding, and GB 2312 means GBK.
_WIDER: Final = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gbk",
}
_MARKS: Final = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_DECLARED: Final = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([A-Za-z0-9._:-]{1,40})""", re.IGNORECASE)
_DECLARED_WITHIN: Final = 4096


class MediaType(NamedTuple):
    """The declared type of a body in lower case, such as `text/html`, and its charset, if it is declared."""

    name: str
    charset: str | None

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON, such as `application/problem+json`."""
        return self.name == "application/json" or self.name.endswith("+json")


def read_media_type(header: str) -> MediaType:
    """Parse a `Content-Type` header; the name is an empty string if the header contains no type."""
    message = Message()
    message["content-type"] = header.replace("\r", " ").replace("\n", " ")
    return MediaType(message.get_content_type() if "/" in header else "", message.get_content_charset())


def decode_text(body: bytes, charset: str | None = None, *, is_html: bool = False, is_cut: bool = False) -> str:
    """Decode a body; bytes that are invalid in its charset become `\N{REPLACEMENT CHARACTER}`.

    A byte order mark takes precedence over the charset that the server declares, and that over the charset that the
    page declares. Unknown charsets are ignored. Without a known charset, the body is decoded as UTF-8 or, if that
    fails, as Windows-1252.

    Args:
        body: The bytes of the body.
        charset: The charset that the server declares.
        is_html: Whether to look for a declaration in the page itself.
        is_cut: Whether the body was cut off; then an incomplete character at its end is dropped.
    """
    for mark, name in _MARKS.items():
        if body.startswith(mark):
            return _decode(body[len(mark) :], name, "replace", is_cut)
    known = _known(charset) or (_declare(body) if is_html else None)
    if known is not None:
        return _decode(body, known, "replace", is_cut)
    try:
        return _decode(body, "utf-8", "strict", is_cut)
    except UnicodeDecodeError:
        return body.decode("cp1252", "replace")


def _decode(body: bytes, name: str, errors: str, is_cut: bool) -> str:  # noqa: FBT001 - it is only passed on
    return codecs.getincrementaldecoder(name)(errors).decode(body, not is_cut)


def looks_binary(body: bytes) -> bool:
    """Return whether a body that is declared as text is binary data."""
    return b"\0" in body[:1024] and not body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))


def _known(label: str | None) -> str | None:
    if label is None:
        return None
    try:
        name = codecs.lookup(label.strip()).name
    except (LookupError, ValueError):
        return None
    name = _WIDER.get(name, name)
    return name if name in _KNOWN else None


def _declare(body: bytes) -> str | None:
    """Return the declared charset of a page, with UTF-8 for UTF-16, in which the declaration would be unreadable."""
    found = _DECLARED.search(body[:_DECLARED_WITHIN])
    known = _known(found[1].decode("ascii")) if found else None
    return "utf-8" if known and known.startswith("utf-16") else known


_PIECE: Final = 64 * 1024


class BrokenBodyError(Exception):
    """A body cannot be decompressed; the message says why."""


class Unpacker:
    """Decompresses one body."""

    def __init__(self, encoding: str) -> None:
        """Create the unpacker.

        Args:
            encoding: The `Content-Encoding` of the body.

        Raises:
            BrokenBodyError: If the encoding is not supported.
        """
        self._encoding = encoding.strip().lower()
        if self._encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise BrokenBodyError("the body has a content encoding that is not supported")
        self._inflating = self._new() if self._encoding not in {"", "identity"} else None

    def pieces(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the decompressed content of a chunk in bounded pieces.

        Raises:
            BrokenBodyError: If the compressed data is invalid.
        """
        if self._inflating is None:
            yield chunk
            return
        try:
            while chunk:
                if self._inflating.eof:  # a body can consist of several compressed members
                    self._inflating = self._new()
                yield self._inflating.decompress(chunk, _PIECE)
                chunk = self._inflating.unconsumed_tail or self._inflating.unused_data
        except zlib.error:
            raise BrokenBodyError("the compressed body is invalid") from None

    def finish(self) -> None:
        """Check that the body is complete.

        Raises:
            BrokenBodyError: If the compressed data is incomplete.
        """
        if self._inflating is not None and not self._inflating.eof:
            raise BrokenBodyError("the compressed body is incomplete")

    @staticmethod
    def _new() -> Any:
        return zlib.decompressobj(zlib.MAX_WBITS | 32)


DEFAULT_HEADERS: Final = {"User-Agent": "toolkit", "Accept": "*/*", "Accept-Encoding": "gzip", "Connection": "close"}
_REDIRECTS: Final = {301, 302, 303, 307, 308}
_HOST: Final = pattern(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?|[0-9a-f:]+(:[0-9.]+)?")
_SEPARATOR: Final = pattern(r"[/\\]")
_MAX_URL: Final = 8_000
_LAST_PORT: Final = 65_535
_TRUST: Final = ("SSL_CERT_FILE", "SSL_CERT_DIR")
_WIRE_LOGGERS: Final = ("httpcore2.connection", "httpcore2.http11")
_SUPPRESSED: ContextVar[bool] = ContextVar("_SUPPRESSED", default=False)


_PHRASES: Final[Mapping[int, str]] = {status.value: status.phrase for status in HTTPStatus}
_TOKEN: Final = pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_SET_BY_US: Final = {
    *("host", "content-length", "transfer-encoding", "connection", "accept-encoding", "expect", "upgrade"),
    *("te", "trailer", "keep-alive", "proxy-authorization", "proxy-connection"),
}


def status_in_words(status: int) -> str:
    """Return a status with its reason, such as `HTTP 404 Not Found`."""
    return f"HTTP {status} {_PHRASES.get(status, '')}".rstrip()


def is_token(text: str) -> bool:
    """Return whether a text can be the name of a header, a cookie or a method (RFC 9110)."""
    return _TOKEN.fullmatch(text) is not None


def is_method(text: str) -> bool:
    """Return whether a request can have a method; `CONNECT` and `TRACE` mean something else than a request."""
    return is_token(text) and text not in {"CONNECT", "TRACE"}


def is_settable_header(name: str) -> bool:
    """Return whether a request can have a header that does not follow from its URL and its body."""
    return is_token(name) and name.lower() not in _SET_BY_US


def is_header_value(text: str) -> bool:
    """Return whether a text can be the value of a header, and is received as it is."""
    return text.isascii() and text.isprintable() and text == text.strip()


class FetchError(Exception):
    """A request failed; the message says why, and `code` is the kind of failure."""

    def __init__(self, message: str, code: str = "network") -> None:
        super().__init__(message)
        self.code = code


class RefusedAddressError(FetchError):
    """The guard does not allow the address."""


class Fetched(NamedTuple):
    """The response of a server.

    Attributes:
        url: The URL of the response, after all redirects.
        status: The HTTP status, such as 200.
        headers: The headers, by name in lower case.
        body: The uncompressed body.
        is_cut: Whether the body was cut off at the maximum size.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    body: bytes
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Sends HTTP requests and reads the responses.

    Attributes:
        guard: Decides which addresses are allowed.
        timeout: Time limit in seconds for the whole request: DNS lookups, redirects and the body.
        max_bytes: Maximum number of bytes of a body to read.
        max_redirects: Maximum number of redirects to follow; with 0, a redirect is returned as the response.
        within: If given, the URL below which redirects must stay; another one is returned as the response.
    """

    guard: AddressGuard = field(default_factory=AddressGuard)
    timeout: float = 30.0
    max_bytes: int = 1024 * 1024
    max_redirects: int = 0
    within: str | None = None

    async def fetch(
        self, method: str, url: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Fetched:
        """Send a request and read the response.

        Args:
            method: The HTTP method, such as `GET`.
            url: An `http` or `https` URL.
            headers: Headers of the request, which are also sent to the target of each redirect.
            body: The body of the request, if any.

        Raises:
            FetchError: If the request failed, or there was no complete response in time.
        """
        from anyio import fail_after

        try:
            with fail_after(self.timeout), _without_wire_logs():
                fetched, target = await self._exchange(method, parse_url(url), headers or {}, body)
                for _ in range(self.max_redirects):
                    if target is None:
                        break
                    fetched, target = await self._exchange(method, target, headers or {}, body)
        except TimeoutError:
            raise self._timed_out() from None
        if target is not None and self.max_redirects:
            raise FetchError(f"more than {self.max_redirects} redirects")
        return fetched

    async def _exchange(
        self, method: str, url: "URL", headers: Mapping[str, str], body: bytes | None
    ) -> "tuple[Fetched, URL | None]":
        """Return the response and, if a redirect should be followed, its target."""
        from httpx2 import TimeoutException, TransportError

        try:
            async with self._answer(method, url, headers, body) as response:
                received = {name.lower(): value for name, value in response.headers.items()}
                target = self._target(url, response.status_code, received)
                if target is not None:
                    return Fetched(str(url), response.status_code, received, b"", is_cut=False), target
                content, is_cut = await self._body_of(response, received)
                return Fetched(str(url), response.status_code, received, content, is_cut), None
        except TimeoutException:
            raise self._timed_out() from None
        except TransportError as error:
            raise FetchError(f"{url.host} closed the connection: {_reason_of(error)}") from None

    def _target(self, url: "URL", status: int, headers: Mapping[str, str]) -> "URL | None":
        """Return the target of a redirect, if the response is one that should be followed."""
        if status not in _REDIRECTS or "location" not in headers or not self.max_redirects:
            return None
        target = _target(url, headers)
        return target if self.within is None or is_below(target, parse_url(self.within)) else None

    @asynccontextmanager
    async def _answer(
        self, method: str, url: "URL", headers: Mapping[str, str], body: bytes | None
    ) -> "AsyncIterator[Response]":
        """Connect to the first checked address that accepts the connection, and send the request."""
        from anyio import current_effective_deadline, current_time
        from httpx2 import AsyncHTTPTransport, ConnectError, ConnectTimeout, Request

        host, port = url.raw_host.decode(), url.port or (443 if url.scheme == "https" else 80)
        trust = _trusted_authorities(*map(os.environ.get, _TRUST)) if url.scheme == "https" else _no_authorities()
        last = None
        addresses = await self._addresses_of(host, port)
        for tried, address in enumerate(addresses):
            untried = len(addresses) - tried
            request = Request(
                method,
                url.copy_with(host=address, fragment=None),
                headers=joined_headers({"Host": url.netloc.decode()}, DEFAULT_HEADERS, headers),
                content=body,
                # Each untried address gets an equal share of the remaining time. The connection times out shortly
                # before the deadline because a handshake that is cancelled from outside leaves its socket open.
                extensions={
                    "sni_hostname": host,
                    "timeout": {"connect": 0.9 * (current_effective_deadline() - current_time()) / untried},
                },
            )
            async with AsyncHTTPTransport(verify=trust) as transport:
                try:
                    response = await transport.handle_async_request(request)
                except (ConnectError, ConnectTimeout) as error:
                    last = error
                    continue
                try:
                    yield response
                finally:
                    await response.aclose()
                return
        if isinstance(last, ConnectTimeout):
            raise self._timed_out()
        raise FetchError(f"cannot connect to {host}: {_reason_of(last)}")

    async def _addresses_of(self, host: str, port: int) -> list[str]:
        try:
            return await self.guard.addresses_of(host, port)
        except RefusedHostError as error:
            raise RefusedAddressError(f"refused: {error}", "access_denied") from None
        except UnknownHostError as error:
            raise FetchError(str(error)) from None

    def _timed_out(self) -> FetchError:
        return FetchError(f"no complete answer within {format_duration(self.timeout)}", "timeout")

    async def _body_of(self, response: "Response", headers: Mapping[str, str]) -> tuple[bytes, bool]:
        content = bytearray()
        try:
            unpacker = Unpacker(headers.get("content-encoding", ""))
            async for chunk in response.stream:  # type: ignore[union-attr]  # an async transport gives an async stream
                for piece in unpacker.pieces(chunk):
                    content += piece
                    if len(content) > self.max_bytes:
                        return bytes(content[: self.max_bytes]), True
            unpacker.finish()
        except BrokenBodyError as error:
            raise FetchError(str(error)) from None
        return bytes(content), False


def parse_url(text: str) -> "URL":
    """Parse a URL and check everything except whether its host is allowed.

    Raises:
        FetchError: If the URL is malformed, too long, neither `http` nor `https`, or contains a user name.
    """
    from httpx2 import URL, InvalidURL

    if len(text) > _MAX_URL:
        raise FetchError(f"the URL is too long: {len(text)} characters, at most {_MAX_URL}", "invalid_arguments")
    try:
        url = URL(text)
    except (InvalidURL, UnicodeError):
        raise FetchError("not a URL", "invalid_arguments") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise FetchError("the URL must begin with http:// or https:// and name a host", "invalid_arguments")
    if url.userinfo:
        raise FetchError("the URL must not contain a user name or password", "invalid_arguments")
    if (url.port or 0) > _LAST_PORT:
        raise FetchError(f"the URL has an invalid port: {url.port}", "invalid_arguments")
    if not is_host(url.raw_host.decode()):
        raise FetchError("the URL has an invalid host name", "invalid_arguments")
    return url


def is_host(text: str) -> bool:
    """Return whether a text is written as a host in ASCII and in lower case: a name or an address, without brackets."""
    return _HOST.fullmatch(text) is not None


def is_below(url: "URL", base: "URL") -> bool:
    """Return whether a URL has the scheme, the host and the port of another, and a path below that of the other."""
    path, before = (one.raw_path.partition(b"?")[0].decode() for one in (url, base))
    is_same = (url.scheme, url.host, url.port) == (base.scheme, base.host, base.port)
    return is_same and path.startswith(f"{before.rstrip('/')}/") and not leads_elsewhere(path)


def leads_elsewhere(path: str) -> bool:
    r"""Return whether any server could read a path as another one, because it has `.` or `..` as a part.

    Servers decode paths at different times, and some more than once; some take `\` for `/`, drop what follows a `;`,
    or trim spaces.
    """
    parts = _SEPARATOR.split(decoded_path(path))
    return any(part.partition(";")[0].strip(" \t\r\n\0") in {".", ".."} for part in parts)


def decoded_path(path: str) -> str:
    """Return a path with everything decoded, as often as that is possible."""
    while (decoded := unquote(path)) != path:
        path = decoded
    return path


def joined_headers(*several: Mapping[str, str]) -> dict[str, str]:
    """Merge headers; if names differ only in case, the last one wins."""
    by_name = {name.lower(): (name, value) for headers in several for name, value in headers.items()}
    return dict(by_name.values())


def _target(url: "URL", headers: Mapping[str, str]) -> "URL":
    """Return the target of a redirect, refusing redirects from `https` to `http`."""
    from httpx2 import InvalidURL

    try:
        target = parse_url(str(url.join(headers["location"])))
    except (InvalidURL, UnicodeError, FetchError):
        raise FetchError(f"{url.host} redirects to something that cannot be fetched") from None
    if url.scheme == "https" and target.scheme != "https":
        raise FetchError(f"{url.host} redirects from https to http", "access_denied")
    return target


@cache
def _trusted_authorities(*_: str | None) -> ssl.SSLContext:
    """Return a TLS context with the system's certificate authorities, cached by the values of their variables."""
    from httpx2 import create_ssl_context

    return create_ssl_context()


@cache
def _no_authorities() -> ssl.SSLContext:
    """Return a TLS context for unencrypted connections, which is cheap because it loads no authorities."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _reason_of(error: BaseException | None) -> str:
    """Return why a connection failed, as the operating system describes it."""
    reason = error
    while reason is not None:
        if isinstance(reason, ssl.SSLCertVerificationError):
            return f"its certificate is not trusted ({reason.verify_message})"
        if isinstance(reason, ssl.SSLError):
            return f"no encrypted connection ({reason.reason or 'unknown reason'})"
        if isinstance(reason, OSError) and reason.errno:
            return os.strerror(reason.errno).lower()
        reason = reason.__cause__ or reason.__context__
    return str(error or "it has no address")


@contextmanager
def _without_wire_logs() -> Iterator[None]:
    """Suppress the debug log records of the HTTP library, since requests and responses can contain secrets."""
    for name in _WIRE_LOGGERS:
        logger = logging.getLogger(name)
        if _is_not_suppressed not in logger.filters:
            logger.addFilter(_is_not_suppressed)
    token = _SUPPRESSED.set(True)
    try:
        yield
    finally:
        _SUPPRESSED.reset(token)


def _is_not_suppressed(_: logging.LogRecord) -> bool:
    return not _SUPPRESSED.get()
