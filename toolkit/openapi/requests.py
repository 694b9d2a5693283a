"""Writes the request of a call: from an operation, its arguments and the address of a server.

An argument cannot leave its part of the request. Everything in a URL is encoded, what any server could read as another
path is refused, and the finished URL is compared with the server's address (CVE-2026-32871 is what happens otherwise).
Headers are only sent with characters that cannot end them.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, NamedTuple
from urllib.parse import quote, unquote

from toolkit.errors import ConfigurationError, ToolArgumentsError
from toolkit.fetching import (
    FetchError,
    decoded_path,
    is_below,
    is_header_value,
    is_method,
    is_settable_header,
    is_token,
    leads_elsewhere,
    parse_url,
    read_media_type,
)
from toolkit.json_texts import json_text, text_of
from toolkit.openapi.bodies import is_media_type, write_body
from toolkit.openapi.operations import Operation, Parameter, Place
from toolkit.openapi.parameter_styles import (
    Pair,
    Quote,
    UnwritableValueError,
    is_undefined,
    pairs_in_style,
    percent_encoded,
    text_in_style,
)

_PLACEHOLDER: Final = re.compile(r"\{([^{}]+)\}")
IN_A_PATH: Final = "/:@!$&'()*+,;=~-._%"
"""The characters of a path that stay as they are."""
_COOKIE: Final = re.compile(r"[!#-+\--:<-\[\]-~]*")
_READING: Final = frozenset({"GET", "HEAD", "OPTIONS", "QUERY"})
_OTHERWISE_SET: Final = frozenset({"accept", "authorization", "content-type", "cookie"})
"""Headers that no parameter sets: the first three by the rules of OpenAPI, and cookies are parameters of their own."""


class Part(NamedTuple):
    """A header, a parameter of the query or a cookie that is added to a request.

    Attributes:
        place: Where it is sent.
        name: Its name.
        value: Its value, unencoded.
    """

    place: Place
    name: str
    value: str

    @property
    def key(self) -> tuple[Place, str]:
        """The place and the name, in lower case for a header."""
        return key_of(self.place, self.name)


def key_of(place: Place, name: str) -> tuple[Place, str]:
    """Return the place and the name of a part or a parameter, in lower case for a header."""
    return place, name.lower() if place == "header" else name


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it is sent.

    Attributes:
        method: The HTTP method.
        address: The URL without the query.
        query: The encoded pairs of the query.
        cookies: The pairs of the header `Cookie`.
        headers: The other headers.
        body: The body, or `None`.
    """

    method: str
    address: str
    query: tuple[Pair, ...] = ()
    cookies: tuple[Pair, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None

    @property
    def url(self) -> str:
        """The URL with its query."""
        return "?".join([self.address, *filter(None, ["&".join(map(_as_text, self.query))])])

    @property
    def sent_headers(self) -> dict[str, str]:
        """All headers, with the cookies."""
        others = {name: value for name, value in self.headers.items() if name.lower() != "cookie"}
        fixed = [value for name, value in self.headers.items() if name.lower() == "cookie"]
        cookies = "; ".join([*fixed, *map(_as_text, self.cookies)])
        return {**others, "Cookie": cookies} if cookies else others

    def with_parts(self, parts: Iterable[Part], write: Quote = percent_encoded) -> "Request":
        """Return a copy with further parts.

        Args:
            parts: The parts, which were checked.
            write: Writes a value of the query.
        """
        query, cookies, headers = [*self.query], [*self.cookies], {**self.headers}
        for part in parts:
            match part.place:
                case "query":
                    query.append((percent_encoded(part.name), write(part.value)))
                case "cookie":
                    cookies.append((part.name, part.value))
                case _:
                    headers[part.name] = part.value
        return replace(self, query=tuple(query), cookies=tuple(cookies), headers=headers)


def make_request(
    operation: Operation,
    arguments: Mapping[str, Any],
    base: str,
    withheld: Collection[tuple[Place, str]] = (),
) -> Request:
    """Return the request of a call, without credentials.

    Args:
        operation: The operation.
        arguments: The arguments, which fit the schema of its tool.
        base: The address of the server, as `base_of` returns it.
        withheld: The keys of the parts that are added later; parameters with these names are not sent.

    Raises:
        ToolArgumentsError: If an argument cannot be sent; the message lists all of them.
        ConfigurationError: If the document does not say how to send one, or the request cannot be sent at all.
    """
    if not is_method(operation.method):
        raise ConfigurationError(f"the method '{operation.method}' of '{operation.id}' cannot be sent")
    faults: dict[str, str] = {}
    parts = _Parts(operation, withheld)
    for parameter in operation.parameters:
        value = arguments.get(parameter.argument)
        is_needed = parameter.place == "path" or (parameter.is_required and parameter.argument in arguments)
        if not parts.is_sent(parameter) or (value is None and not is_needed):
            continue
        try:
            parts.add(parameter, value)
        except UnwritableValueError as error:
            faults[parameter.argument] = str(error)
    headers = {"Accept": _accepted(operation), **parts.headers}
    content = write_body(operation, arguments, faults)
    if faults:
        message = "; ".join(f"Invalid parameter {argument!r}: it {fault}" for argument, fault in faults.items())
        raise ToolArgumentsError(message, faults=faults)
    if content is not None:
        headers["Content-Type"] = content.media_type
    path, query = parts.target
    cookies = tuple(parts.pairs["cookie"])
    body = None if content is None else content.data
    url = base.rstrip("/") + path
    return _checked(Request(operation.method, url, query, cookies, headers=headers, body=body), base)


class _Parts:
    """The parts of a request outside of its body, as they are written so far."""

    def __init__(self, operation: Operation, withheld: Collection[tuple[Place, str]]) -> None:
        self._path = operation.path
        self._only_reads = operation.method in _READING
        self._withheld = frozenset(withheld)
        self._taken = self._withheld | {key_of(one.place, one.name) for one in operation.parameters}
        self._in_path: dict[str, str] = {}
        self.pairs: dict[Place, list[Pair]] = {"query": [], "cookie": []}
        self.headers: dict[str, str] = {}

    def is_sent(self, parameter: Parameter) -> bool:
        """Return whether a parameter is sent at all."""
        if parameter.place == "header":
            is_possible = is_settable_header(parameter.name) and parameter.name.lower() not in _OTHERWISE_SET
        else:
            is_possible = parameter.place != "cookie" or is_token(parameter.name)
        return is_possible and key_of(parameter.place, parameter.name) not in self._withheld

    def add(self, parameter: Parameter, value: Any) -> None:
        """Write a parameter.

        Raises:
            UnwritableValueError: If its value cannot be sent.
        """
        if parameter.media_type is None and parameter.place != "path" and is_undefined(value):
            if parameter.is_required or not self._only_reads:
                raise UnwritableValueError("must not be empty, since nothing would be sent for it")
            return
        if parameter.media_type is not None:
            style = "form" if parameter.place in self.pairs else "simple"
            parameter = replace(parameter, style=style, explode=False)
            value = _as_content(value, parameter.media_type)
        match parameter.place:
            case "path":
                self._in_path[parameter.name] = _path_text(parameter, value)
            case "header":
                self.headers[parameter.name] = _header_text(parameter, value)
            case "query" | "cookie":
                self.pairs[parameter.place] += self._pairs_of(parameter, value)

    def _pairs_of(self, parameter: Parameter, value: Any) -> list[Pair]:
        if parameter.style == "cookie":
            write = _cookie_text
        else:
            write = partial(percent_encoded, allows_reserved=parameter.allows_reserved)
        pairs = [*pairs_in_style(parameter.name, value, parameter.style, explode=parameter.explode, write=write)]
        for name in {unquote(name) for name, _ in pairs} - {parameter.name}:
            if (parameter.place, name) in self._taken:
                raise UnwritableValueError(f"must not have the member '{name}', which is another parameter")
        return pairs

    @property
    def target(self) -> tuple[str, tuple[Pair, ...]]:
        """The encoded path, and the pairs of the query; a template may have some of its own."""
        path, _, fixed = self._path.partition("#")[0].partition("?")
        pairs = [pair.partition("=") for pair in fixed.split("&") if pair]
        query = [(self._filled(name), self._filled(value)) for name, _, value in pairs]
        return self._filled(path), (*query, *self.pairs["query"])

    def _filled(self, template: str) -> str:
        """Return a template with its placeholders replaced by what was written for them."""
        texts = _PLACEHOLDER.split(template)
        missing = [name for name in texts[1::2] if name not in self._in_path]
        if missing or not self._path.startswith("/"):
            what = f"'{missing[0]}', which is not a parameter of it" if missing else "no '/' at its beginning"
            raise ConfigurationError(f"the path '{self._path}' of the document has {what}")
        texts[::2] = [quote(text, safe=IN_A_PATH) for text in texts[::2]]
        texts[1::2] = [self._in_path[name] for name in texts[1::2]]
        return "".join(texts)


def _as_content(value: Any, media_type: str | None) -> str:
    """Return a value in a media type: in ASCII if it is JSON, so that headers can have it."""
    if not read_media_type(media_type or "").is_json:
        return text_of(value)
    text = json_text(value, separators=(",", ":"))
    return "".join(one if one.isascii() else json.dumps(one)[1:-1] for one in text)


def _path_text(parameter: Parameter, value: Any) -> str:
    if value is None:
        raise UnwritableValueError("must not be null, since it is part of the path")
    name = percent_encoded(parameter.name)
    text = text_in_style(name, value, parameter.style, explode=parameter.explode, write=_path_part)
    if not text:
        raise UnwritableValueError("must not be empty, since it is part of the path")
    return _staying(text)


def _path_part(text: str) -> str:
    return _staying(percent_encoded(text))


def _staying(text: str) -> str:
    if leads_elsewhere(text):
        raise UnwritableValueError("must not have '.' or '..' as a part, since it would lead to another path")
    return text


def _header_text(parameter: Parameter, value: Any) -> str:
    text = text_in_style(parameter.name, value, "simple", explode=parameter.explode, write=str)
    if not is_header_value(text):
        raise UnwritableValueError("has characters that cannot be sent in a header: only ASCII without line breaks can")
    return text


def is_cookie_value(text: str) -> bool:
    """Return whether a text can be the value of a cookie as it is (RFC 6265, 4.1.1)."""
    return _COOKIE.fullmatch(text) is not None


def _cookie_text(text: str) -> str:
    if not is_cookie_value(text):
        raise UnwritableValueError("has characters that cannot be sent in a cookie, such as a space or one of '\",;\\'")
    return text


def _accepted(operation: Operation) -> str:
    """Return the header `Accept`: the media types that the document declares for a success, JSON before others."""
    declared = [media for one in operation.successes for media in one.schemas]
    known = [media for media in dict.fromkeys(declared) if is_media_type(media)]
    first = [media for media in known if read_media_type(media).is_json] or known or ["application/json"]
    return ", ".join([*first, "*/*;q=0.1"])


def _checked(request: Request, base: str) -> Request:
    """Return a request whose URL lies below the address of the server, as the client that sends it reads both.

    Raises:
        ToolArgumentsError: If it does not.
    """
    try:
        url = parse_url(request.url)
        is_within = str(url) == request.url and is_below(url, parse_url(base))
    except FetchError as error:
        raise ToolArgumentsError(f"The arguments cannot be sent: {error}") from None
    if not is_within:
        raise ToolArgumentsError(f"The arguments cannot be sent: they lead to an address that is not below {base}")
    return request


def endpoint_if_decoded(request: Request, base: str, operation: Operation, endpoints: Iterable[str]) -> str | None:
    """Return the other operation that a server takes a request for if it decodes the path before it looks at its parts.

    Many servers do that, such as all those that use WSGI or ASGI.

    Args:
        request: The request.
        base: The address of the server.
        operation: The operation that is meant.
        endpoints: All operations of the document, such as `GET /pets/{id}`.
    """
    path = request.address.removeprefix(base.rstrip("/"))
    decoded = decoded_path(path)
    if decoded.count("/") == path.count("/"):
        return None
    called = f"{operation.method} {decoded.rstrip('/')}".split("/")
    others = (one for one in endpoints if one != operation.endpoint)
    return next((one for one in others if _is_endpoint_of(called, one)), None)


def _is_endpoint_of(called: list[str], endpoint: str) -> bool:
    parts = endpoint.partition("#")[0].partition("?")[0].rstrip("/").split("/")
    return len(parts) == len(called) and all(map(_is_part_of, called, parts))


def _is_part_of(text: str, template: str) -> bool:
    before, brace, rest = template.partition("{")
    return text.startswith(before) and text.endswith(rest.rpartition("}")[2]) if brace else text == template


def _as_text(pair: Pair) -> str:
    return "=".join(pair)
