"""Check the address of an HTTP server: its name, its port, and its certificate."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from cryptography import x509
from cryptography.x509.oid import NameOID

from toolkit.amounts import format_duration
from toolkit.codes import SERVER_UNREACHABLE
from toolkit.mcp.client.failure_reasons import StepName
from toolkit.mcp.client.transports import certificates
from toolkit.mcp.diagnosis.diagnoses import Diagnosis, Step
from toolkit.mcp.settings.server_settings import HttpServer
from toolkit.mcp.sign_in.providers import url_of
from toolkit.problems import first_names

_PORTS: Final = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class _Place(NamedTuple):
    """A host and a port, the setting that names them, and the addresses that the host has been resolved to."""

    host: str
    port: int
    setting: str
    addresses: Sequence[str] = ()

    @classmethod
    def of(cls, url: SplitResult, setting: str = "its 'url'") -> "_Place":
        return cls(url.hostname or "", url.port or _PORTS.get(url.scheme, 0), setting)


class _Failed(Exception):
    """Raised if a step fails, with the reason and the fix."""

    def __init__(self, reason: str, fix: str) -> None:
        super().__init__(reason)
        self.fix = fix


async def addressed(found: Diagnosis) -> AsyncIterator[Step]:
    """Resolve the host of a server, connect to its port, and check its certificate; or those of the proxy."""
    server = found.server
    assert isinstance(server, HttpServer)  # only these have an address
    url = urlsplit(url_of(server))
    proxy = _proxy_for(url)
    name: StepName = "address"
    try:
        place = _Place.of(url) if proxy is None else _proxy_place(proxy, f"{url.scheme}_proxy of the environment")
        place = place._replace(addresses=await _resolve(place, server.start_timeout))
        through = "" if proxy is None else f"through the proxy {place.host}: "
        yield Step("address", "ok", (f"{through}{', '.join(place.addresses)}",))
        name = "connection"
        address = await _connect(place, server.start_timeout)
        yield Step("connection", "ok", (f"port {place.port} of {address} is open",))
        if url.scheme != "https":
            yield Step("tls", "skipped", ("the address is not encrypted: http://",))
        elif proxy is not None:
            yield Step("tls", "skipped", ("only the proxy sees the certificate before the session is opened",))
        else:
            name = "tls"
            yield await _tls_step(place._replace(addresses=(address,)), server.start_timeout)
    except _Failed as failed:
        yield Step(name, "failed", (str(failed),), failed.fix, SERVER_UNREACHABLE)


def _proxy_for(url: SplitResult) -> str | None:
    """Return the URL of the proxy that the environment names for a URL, or `None`."""
    if proxy_bypass(url.netloc):
        return None
    proxies = getproxies()
    return proxies.get(url.scheme) or proxies.get("all")


def _proxy_place(proxy: str, setting: str) -> _Place:
    try:
        return _Place.of(urlsplit(proxy if "://" in proxy else f"http://{proxy}"), setting)
    except ValueError as error:
        raise _Failed(f"the address of the proxy cannot be read: {error}", f"check {setting}") from error


async def _resolve(place: _Place, seconds: float) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(seconds):
            found = await loop.getaddrinfo(place.host, place.port, type=1)  # streams only
    except TimeoutError as error:
        why = f"no answer within {format_duration(seconds)}"
        raise _Failed(f"host '{place.host}' cannot be resolved: {why}", "check your network and its DNS") from error
    except (OSError, UnicodeError) as error:
        why = (getattr(error, "strerror", None) or str(error)).lower()
        fix = f"check the host in {place.setting}, your network and its DNS"
        raise _Failed(f"host '{place.host}' cannot be resolved: {why}", fix) from error
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


async def _connect(place: _Place, seconds: float) -> str:
    """Connect to the first address that accepts it, and return it."""
    reasons = []
    for address in place.addresses:
        try:
            async with asyncio.timeout(seconds):
                _, writer = await asyncio.open_connection(address, place.port)
        except TimeoutError:
            reasons.append(f"{address} does not answer within {format_duration(seconds)}")
        except ConnectionRefusedError:
            reasons.append(f"{address} refuses the connection")
        except OSError as error:
            reasons.append(f"{address}: {(error.strerror or str(error)).lower()}")
        else:
            await _close(writer)
            return address
    fix = f"check that it runs, and the host and port in {place.setting}"
    raise _Failed(f"nothing can be reached on port {place.port}: {'; '.join(reasons)}", fix)


async def _tls_step(place: _Place, seconds: float) -> Step:
    try:
        version, certificate = await _handshake(place, certificates(), seconds)
    except ssl.SSLCertVerificationError as error:
        raise await _distrust(error, place, seconds) from error
    except (ssl.SSLError, TimeoutError, OSError) as error:
        why = getattr(error, "reason", None) or str(error) or f"no answer within {format_duration(seconds)}"
        fix = "if it is not encrypted, write http:// in its 'url'"
        raise _Failed(f"no TLS at port {place.port}: {str(why).lower().replace('_', ' ')}", fix) from error
    return Step("tls", "ok", (f"{version}, {certificate.described}",))


class _Certificate(NamedTuple):
    """What a certificate says; without anything if it cannot be read."""

    names: Sequence[str] = ()
    issuer: str = ""
    first_day: str = ""
    last_day: str = ""

    @property
    def hosts(self) -> str:
        """The names that it is for, or the first of them."""
        return first_names(self.names) or "no name"

    @property
    def described(self) -> str:
        """The certificate in a few words."""
        if not self.last_day:
            return "a certificate that cannot be read"
        days = f"valid from {self.first_day} to {self.last_day}"
        return f"a certificate for {self.hosts} by '{self.issuer}', {days}"


async def _handshake(place: _Place, context: ssl.SSLContext, seconds: float) -> tuple[str, _Certificate]:
    async with asyncio.timeout(seconds):
        _, writer = await asyncio.open_connection(
            place.addresses[0], place.port, ssl=context, server_hostname=place.host
        )
    try:
        connection: ssl.SSLObject = writer.get_extra_info("ssl_object")
        return connection.version() or "", _read_certificate(connection.getpeercert(binary_form=True))
    finally:
        await _close(writer)


async def _close(writer: asyncio.StreamWriter) -> None:
    """Close a connection without waiting for the other end."""
    writer.transport.abort()
    with suppress(OSError):
        await writer.wait_closed()


def _read_certificate(der: bytes | None) -> _Certificate:
    try:
        read = x509.load_der_x509_certificate(der or b"")
        issuer = [str(one.value) for one in read.issuer.get_attributes_for_oid(NameOID.COMMON_NAME)]
        days = (read.not_valid_before_utc, read.not_valid_after_utc)
        try:
            alternatives = read.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
            names = [str(one.value) for one in alternatives]
        except x509.ExtensionNotFound:
            names = [str(one.value) for one in read.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
    except (ValueError, x509.DuplicateExtension, x509.InvalidVersion, x509.UnsupportedGeneralNameType):
        return _Certificate()
    shown = issuer[0] if issuer else read.issuer.rfc4514_string()
    return _Certificate(names, shown, *(f"{day:%Y-%m-%d}" for day in days))


_EXPIRED, _TOO_EARLY, _WRONG_HOST, _WRONG_ADDRESS = 10, 9, 62, 64
_SELF_SIGNED = 18
"""The codes with which OpenSSL says why it does not trust a certificate (`X509_V_ERR_…`)."""


async def _distrust(error: ssl.SSLCertVerificationError, place: _Place, seconds: float) -> _Failed:
    """Return why a certificate is not trusted; it is fetched again without verification to say what it is."""
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    try:
        _, certificate = await _handshake(place, unverified, seconds)
    except (TimeoutError, OSError):
        certificate = _Certificate()
    trust = "if you trust it, set SSL_CERT_FILE to a file with it and the other certificates that you trust"
    match error.verify_code:
        case code if code == _EXPIRED:
            return _Failed(f"its certificate expired on {certificate.last_day}", "its operator has to renew it")
        case code if code == _TOO_EARLY:
            fix = "check the clock of this machine"
            return _Failed(f"its certificate is not valid before {certificate.first_day}", fix)
        case code if code in {_WRONG_HOST, _WRONG_ADDRESS}:
            fix = "use a name of the certificate in its 'url'; its operator can add another"
            return _Failed(f"its certificate is for {certificate.hosts}, not for '{place.host}'", fix)
        case code if code == _SELF_SIGNED:
            return _Failed(f"its certificate is self-signed: {certificate.described}", trust)
    return _Failed(f"its certificate is not trusted ({error.verify_message}): {certificate.described}", trust)
