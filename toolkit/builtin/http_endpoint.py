"""The `http` tool, which sends its input to one configured endpoint."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote_plus, urlsplit

from toolkit.address_guard import AddressGuard, Resolver, host_and_port_of, resolve_by_system
from toolkit.builtin.options import (
    COUNT,
    DURATION,
    SWITCH,
    TABLE,
    TEXT,
    Option,
    environment_variables,
    need,
    not_above_zero,
    private_addresses,
    raise_faults,
)
from toolkit.errors import ConfigurationError, ToolArgumentsError
from toolkit.fetching import (
    Fetched,
    Fetcher,
    FetchError,
    is_header_value,
    is_method,
    is_settable_header,
    is_token,
    joined_headers,
    status_in_words,
)
from toolkit.redactors.redactor import Redactor
from toolkit.redactors.secret_names import names_secret_variable
from toolkit.tools.calls.http_results import (
    data_of_answer,
    failure_of_answer,
    media_type_of,
    text_of_answer,
)
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.kinds.class_tools import TextTool
from toolkit.variables import fill, variable, variables_in

DEFAULT_TIMEOUT: Final = 30.0
DEFAULT_MAX_BYTES: Final = 1024 * 1024

OPTIONS: Final = (
    Option("url", TEXT, "the endpoint", required=True, widens=environment_variables),
    Option("description", TEXT, "the description for models", default="Sends the input to <host> and returns …"),
    Option("method", TEXT, "the HTTP method", default="POST"),
    Option(
        "headers",
        TABLE,
        "headers to send; write secrets as '${NAME}' to take them from the environment",
        default={},
        widens=environment_variables,
    ),
    Option("timeout", DURATION, "time limit for each request", default="30s"),
    Option("max_bytes", COUNT, "maximum number of response bytes to read", default=DEFAULT_MAX_BYTES),
    Option("requires_approval", SWITCH, "whether a reviewer must approve every call", default=False),
    Option(
        "allow_private",
        SWITCH,
        "whether the endpoint may be on this machine or its network",
        default=False,
        widens=private_addresses,
    ),
)

_IN_THE_URL: Final = {"GET", "HEAD"}
_REPEATABLE: Final = {"GET", "HEAD", "PUT", "DELETE", "OPTIONS"}
_ADDITIVE: Final = {"POST"}


class Http(TextTool):
    """Sends its input to one endpoint and returns the response.

    You set the endpoint, the method and the headers; a model chooses only the payload. `${NAME}` in the URL or in a
    header is replaced by that environment variable when a request is sent, and its value is never shown.

    Example:
        create_ticket = Http(
            "https://tickets.example.com/api/tickets",
            name="create_ticket",
            description="Creates a ticket. Input: JSON with `title` and `text`. Returns its number.",
            headers={"Authorization": "Bearer ${TICKET_TOKEN}"},
        )
    """

    name = "http"
    open_world = True
    source = "builtin"

    def __init__(  # noqa: PLR0913 - each is a setting of its own
        self,
        url: str,
        *,
        name: str = "http",
        description: str | None = None,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        max_bytes: int = DEFAULT_MAX_BYTES,
        requires_approval: bool = False,
        allow_private: bool = False,
        resolve: Resolver = resolve_by_system,
    ) -> None:
        """Create the tool.

        Args:
            url: The endpoint. `GET` and `HEAD` send the input as the query parameter `input`, other methods as the
                body.
            name: The name under which a model calls the tool.
            description: The description that a model receives.
            method: The HTTP method.
            headers: Headers to send with every request.
            timeout: Time limit in seconds for the whole request: DNS lookup, connection and response.
            max_bytes: Maximum number of response bytes to read; the rest is cut off, with a note in the output.
            requires_approval: Whether a reviewer must approve every call. A call without a reviewer then fails.
            allow_private: Whether the endpoint may be on this machine or its network.
            resolve: Resolves the endpoint's host name.

        Raises:
            ConfigurationError: If any setting is invalid; the error lists all of them.
        """
        self.name = name
        self.requires_approval = requires_approval
        self._url, self._method, self._headers = url.strip(), method.strip().upper(), joined_headers(headers or {})
        raise_faults([*_url_problems(self._url), *_other_problems(self._method, self._headers, timeout, max_bytes)])
        host = urlsplit(self._url).hostname or ""
        self.description = description or (
            f"Sends the input to {host} by HTTP {self._method} and returns the text of the answer. "
            "Input: the payload, as the endpoint expects it."
        )
        self.read_only = True if self._method in _IN_THE_URL else None
        self.destructive = False if self._method in _IN_THE_URL else None if self._method in _ADDITIVE else True
        self.idempotent = self._method in _REPEATABLE or None
        guard = AddressGuard([host_and_port_of(self._url)] if allow_private else (), resolve)
        self._fetcher = Fetcher(guard, timeout, max_bytes)

    def check(self, parsed: str, context: ToolContext) -> None:
        """Check that the input can be sent, before a reviewer is asked.

        Raises:
            ConfigurationError: If the extra is not installed, or an environment variable is not set.
            ToolArgumentsError: If the input cannot be encoded as UTF-8.
        """
        name = context.tool or self.name
        need(name, "tools", "httpx2")
        self._settings(Redactor(by_format=False), name)
        _encode(parsed)

    @property
    def uses(self) -> Mapping[str, str]:
        """The endpoint and the headers, with environment variables as `${NAME}` and other secrets masked."""
        headers = {f"header {name}": value for name, value in self._shown_headers().items()}
        return {"endpoint": f"{self._method} {self._url}", **headers}

    def preview(self, parsed: str, context: ToolContext) -> str:
        """Return the request that would be sent, with environment variables as `${NAME}`."""
        headers = [f"{name}: {value}" for name, value in self._shown_headers().items()]
        body = [] if self._method in _IN_THE_URL else ["", parsed]
        url = self._url_with(self._url, parsed) if self._method in _IN_THE_URL else self._url
        return "\n".join([f"HTTP {self._method} {url}", *headers, *body])

    async def execute(self, text: str, context: ToolContext) -> ToolResult:
        """Send the input and return the response."""
        redactor = Redactor(by_format=False)
        url, headers = self._settings(redactor, context.tool or self.name)
        body = None
        if self._method in _IN_THE_URL:
            url = self._url_with(url, text)
        else:
            body = _encode(text)
            if "content-type" not in {name.lower() for name in headers}:
                headers["Content-Type"] = "application/json" if _is_json(text) else "text/plain; charset=UTF-8"
        try:
            answer = await self._fetcher.fetch(self._method, url, headers, body)
        except FetchError as error:
            return ToolResult.failure(redactor.text(f"HTTP request failed: {error}"), error.code)
        return _result_of(answer, redactor)

    def _settings(self, redactor: Redactor, name: str) -> tuple[str, dict[str, str]]:
        """Return the URL and the headers with their variables filled in."""
        user = f"the tool '{name}'"
        headers = {header: fill(value, user, redactor) for header, value in self._headers.items()}
        for header, value in headers.items():
            if not is_header_value(value):
                raise ConfigurationError(f"{user} cannot send the header '{header}': its value must be plain ASCII")
            if names_secret_variable(header):
                redactor.learn(value, *value.split(" ", 1)[1:])
        return _filled_url(self._url, redactor, user), headers

    def _shown_headers(self) -> dict[str, str]:
        return {
            name: value if variables_in(value) or not names_secret_variable(name) else "…"
            for name, value in self._headers.items()
        }

    @staticmethod
    def _url_with(url: str, text: str) -> str:
        base, _, _ = url.partition("#")
        return f"{base}{'&' if '?' in base else '?'}input={quote_plus(text)}"


def build(**values: Any) -> Http:
    """Create the tool from its configuration, refusing secrets that are written in the file itself."""
    raise_faults(
        (
            f"the value of the header '{name}' is written in the file",
            f"keep it in the environment, and write {name} = '${{NAME}}'",
        )
        for name, value in values.get("headers", {}).items()
        if names_secret_variable(name) and not variables_in(value)
    )
    return Http(**values)


def _url_problems(url: str) -> list[tuple[str, str | None]]:
    try:
        parts = urlsplit(url)
        _, is_good = parts.port, parts.scheme in {"http", "https"} and bool(parts.hostname)
    except ValueError:
        return [("'url' is not a URL", None)]
    if not is_good:
        return [("'url' must begin with http:// or https:// and name a host", None)]
    if parts.username is not None or parts.password is not None:
        hint = "send them in a header, as in headers = { Authorization = 'Basic ${NAME}' }"
        return [("'url' must not contain a user name or password", hint)]
    if variables_in(parts.netloc):
        return [("the host in 'url' must not come from the environment", None)]
    return []


def _other_problems(
    method: str, headers: Mapping[str, str], timeout: float, max_bytes: int
) -> list[tuple[str, str | None]]:
    problems: list[tuple[str, str | None]] = []
    if not is_method(method):
        problems.append((f"'{method}' is not an HTTP method that this tool can send", "write method = 'POST'"))
    for name, value in headers.items():
        if not is_token(name):
            problems.append((f"'{name}' is not a valid header name", None))
        elif not is_settable_header(name):
            problems.append((f"the header '{name}' cannot be set", "it is derived from the URL and the input"))
        elif not is_header_value(value):
            problems.append((f"the value of the header '{name}' must be plain ASCII", None))
    return problems + not_above_zero(timeout=timeout, max_bytes=max_bytes)


def _filled_url(url: str, redactor: Redactor, user: str) -> str:
    """Fill the variables of a URL, quoting each value so that it cannot leave its part of the URL."""
    for name in dict.fromkeys(variables_in(url)):
        url = url.replace(f"${{{name}}}", quote_plus(variable(name, user, redactor)))
    return url


def _encode(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ToolArgumentsError(f"the input cannot be encoded as UTF-8 (lone surrogate at {error.start})") from error


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _result_of(answer: Fetched, redactor: Redactor) -> ToolResult:
    if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
        return failure_of_answer(answer, redactor)
    text = text_of_answer(answer, redactor)
    if text is None:
        kind = media_type_of(answer).name or "of unknown type"
        return ToolResult.failure(f"{status_in_words(answer.status)}, but the body is not text ({kind})")
    if answer.is_cut:
        return ToolResult.success(f"{text}\n[response truncated at {len(answer.body)} bytes]")
    return ToolResult.success(text, structured=data_of_answer(answer, text, redactor))
