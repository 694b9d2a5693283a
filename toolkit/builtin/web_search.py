"""The `web_search` tool, which searches the web, and its search providers."""

import inspect
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from typing import Any, ClassVar, Final, NamedTuple, Protocol
from urllib.parse import urlencode

from toolkit.address_guard import AddressGuard, Resolver, host_and_port_of, resolve_by_system
from toolkit.builtin.options import (
    COUNT,
    DURATION,
    SWITCH,
    TEXT,
    Option,
    environment_variables,
    need,
    one_of,
    private_addresses,
    raise_faults,
    search_service,
)
from toolkit.builtin.web.page_reader import plain
from toolkit.errors import ConfigurationError
from toolkit.fetching import Fetcher, FetchError, decode_text
from toolkit.redactors.redactor import Redactor
from toolkit.running import in_thread
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.kinds.class_tools import TypedTool
from toolkit.variables import fill, variables_in

DEFAULT_TIMEOUT: Final = 15.0
_MAX_BYTES: Final = 2 * 1024 * 1024


class SearchHit(NamedTuple):
    """One result of a search; an unknown part is an empty string."""

    title: str = ""
    url: str = ""
    snippet: str = ""


class SearchError(Exception):
    """A search failed.

    Args:
        message: The reason, which never contains a key.
        code: The kind of failure, such as `timeout` or an HTTP status.
    """

    def __init__(self, message: str, code: str | int = "error") -> None:
        """Create the error."""
        super().__init__(message)
        self.code = code


class SearchProvider(Protocol):
    """Searches the web."""

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the best results, at most `count`.

        Raises:
            SearchError: If the search failed.
        """


class OnlineProvider(ABC):
    """A provider with an HTTP API, whose key comes from the environment."""

    label: ClassVar[str]
    default_url: ClassVar[str] = ""
    default_key: ClassVar[str] = ""

    def __init__(
        self,
        url: str = "",
        *,
        key: str = "",
        timeout: float = DEFAULT_TIMEOUT,
        allow_private: bool = False,
        resolve: Resolver = resolve_by_system,
    ) -> None:
        """Create the provider.

        Args:
            url: The URL of the API; by default, the provider's public one.
            key: The API key, as `${NAME}` for an environment variable; by default, the provider's usual variable.
            timeout: Time limit in seconds for the whole request.
            allow_private: Whether the provider may be on this machine or its network.
            resolve: Resolves the provider's host name.

        Raises:
            ConfigurationError: If the URL is missing or does not begin with `http://` or `https://`.
        """
        self.url = (url or self.default_url).strip()
        if not self.url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{self.label} needs a URL that begins with http:// or https://")
        self._key = key or self.default_key
        self._fetcher = Fetcher(
            AddressGuard([host_and_port_of(self.url)] if allow_private else (), resolve), timeout, _MAX_BYTES
        )

    def prepare(self, tool: str) -> None:
        """Check that a tool can search with this provider.

        Raises:
            ConfigurationError: If the extra is not installed, or the key is missing or not plain ASCII.
        """
        need(tool, "tools", "httpx2")
        self._filled_key(Redactor(by_format=False), f"the tool '{tool}'")

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the best results, at most `count`.

        Raises:
            SearchError: If the request failed, or the response is not one of the provider's.
            ConfigurationError: If the key is missing or not plain ASCII.
        """
        redactor = Redactor(by_format=False)
        key = self._filled_key(redactor, self.label)
        method, url, headers, body = self._request(query, count, key)
        content = None if body is None else json.dumps(body).encode()
        try:
            answer = await self._fetcher.fetch(method, url, {"Accept": "application/json", **headers}, content)
        except FetchError as error:
            raise SearchError(redactor.text(f"{self.label}: {error}"), error.code) from None
        if answer.status != 200:  # noqa: PLR2004 - anything else has no results
            raise SearchError(self._error_message(answer.status), answer.status)
        try:
            data = redactor.data(json.loads(decode_text(answer.body, "utf-8")))
        except (ValueError, RecursionError):
            raise SearchError(f"the response of {self.label} is not JSON") from None
        return self._hits(data if isinstance(data, dict) else {})[:count]

    def _filled_key(self, redactor: Redactor, user: str) -> str:
        key = fill(self._key, user, redactor)
        redactor.learn(key)
        if not (key.isascii() and key.isprintable()):
            raise ConfigurationError(f"{user} cannot send its key: it must be plain ASCII")
        return key

    @abstractmethod
    def _request(self, query: str, count: int, key: str) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:
        """Return the method, the URL, the headers and the body of a request."""

    @abstractmethod
    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        """Return the results in a response."""

    def _error_message(self, status: int) -> str:
        """Return an error message for a status, without the body of the response, which could contain the key."""
        reasons = {401: "its key is wrong", 403: "its key is wrong", 429: "too many searches, try again later"}
        return f"{self.label} answered HTTP {status}" + (f": {reasons[status]}" if status in reasons else "")

    def _with(self, **parameters: str | int) -> str:
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode(parameters)}"


class Tavily(OnlineProvider):
    """Searches with Tavily; the key is taken from `TAVILY_API_KEY` by default."""

    label = "Tavily"
    default_url = "https://api.tavily.com/search"
    default_key = "${TAVILY_API_KEY}"

    def _request(self, query: str, count: int, key: str) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        return "POST", self.url, headers, {"query": query, "search_depth": "basic", "max_results": count}

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        return _hits_among(data.get("results"), "url", "content")


class SerpApi(OnlineProvider):
    """Searches Google with SerpAPI; the key is taken from `SERPAPI_API_KEY` by default."""

    label = "SerpAPI"
    default_url = "https://serpapi.com/search.json"
    default_key = "${SERPAPI_API_KEY}"

    def _request(self, query: str, count: int, key: str) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:
        return "GET", self._with(engine="google", q=query, num=count, api_key=key), {}, None

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        return _hits_among(data.get("organic_results"), "link", "snippet")


class Brave(OnlineProvider):
    """Searches with Brave; the key is taken from `BRAVE_API_KEY` by default."""

    label = "Brave"
    default_url = "https://api.search.brave.com/res/v1/web/search"
    default_key = "${BRAVE_API_KEY}"

    def _request(self, query: str, count: int, key: str) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:
        url = self._with(q=query, count=count, text_decorations="false")
        return "GET", url, {"X-Subscription-Token": key}, None

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        web = data.get("web")
        found = _hits_among(web.get("results") if isinstance(web, dict) else None, "url", "description")
        return [SearchHit(unescape(hit.title), hit.url, unescape(hit.snippet)) for hit in found]


class SearXNG(OnlineProvider):
    """Searches with your own SearXNG instance, which must offer the JSON format.

    It needs no key, and may be on this machine or its network.
    """

    label = "SearXNG"

    def __init__(
        self,
        url: str,
        *,
        key: str = "",
        timeout: float = DEFAULT_TIMEOUT,
        allow_private: bool = True,
        resolve: Resolver = resolve_by_system,
    ) -> None:
        """Create the provider; see `OnlineProvider` for the arguments. A key is sent as a bearer token."""
        super().__init__(
            f"{url.strip().rstrip('/').removesuffix('/search')}/search",
            key=key,
            timeout=timeout,
            allow_private=allow_private,
            resolve=resolve,
        )

    def _request(
        self, query: str, count: int, key: str  # SearXNG has no parameter for the number of results
    ) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:  # fmt: skip
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return "GET", self._with(q=query, format="json"), headers, None

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        return _hits_among(data.get("results"), "url", "content")

    def _error_message(self, status: int) -> str:
        if status == 403:  # noqa: PLR2004 - forbidden
            return "SearXNG answered HTTP 403: add json to search.formats in its settings.yml"
        return super()._error_message(status)


PROVIDERS: Final[dict[str, type[OnlineProvider]]] = {
    "tavily": Tavily,
    "serpapi": SerpApi,
    "brave": Brave,
    "searxng": SearXNG,
}
SEARXNG_URL: Final = "SEARXNG_URL"


def provider_of_the_environment() -> OnlineProvider:
    """Return the first provider whose key or URL is set in the environment.

    Raises:
        ConfigurationError: If none is set.
    """
    variables: dict[str, Callable[[], OnlineProvider]] = {
        "TAVILY_API_KEY": Tavily,
        "SERPAPI_API_KEY": SerpApi,
        "BRAVE_API_KEY": Brave,
    }
    for variable, provider in variables.items():
        if os.environ.get(variable, "").strip():
            return provider()
    if url := os.environ.get(SEARXNG_URL, "").strip():
        return SearXNG(url)
    names = ", ".join(variables)
    raise ConfigurationError(
        f"no search provider is configured: set one of {names} or {SEARXNG_URL} in the environment"
    )


def _hits_among(results: Any, url: str, snippet: str) -> list[SearchHit]:
    """Return the hits in a list of results, skipping malformed entries."""
    rows = [row for row in results if isinstance(row, dict)] if isinstance(results, list) else []
    return [SearchHit(*(_text(row.get(name)) for name in ("title", url, snippet))) for row in rows]


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


DEFAULT_MAX_RESULTS: Final = 5

SearchFunction = Callable[[str], Any]
"""A sync or async function that takes a query and returns text, or an iterable of hits or of mappings like them."""

OPTIONS: Final = (
    Option("provider", one_of(*PROVIDERS), "the search provider; by default the first whose key is in the environment"),
    Option("url", TEXT, "the provider's URL, needed for searxng or your own gateway", widens=search_service),
    Option(
        "key",
        TEXT,
        "the provider's key, as '${NAME}' for an environment variable",
        default="${TAVILY_API_KEY} or similar",
        widens=environment_variables,
    ),
    Option("max_results", COUNT, "maximum number of results", default=DEFAULT_MAX_RESULTS),
    Option("timeout", DURATION, "time limit for a search", default="15s"),
    Option(
        "allow_private",
        SWITCH,
        "whether the provider may be on this machine or its network",
        default=False,
        widens=private_addresses,
    ),
)


@dataclass(frozen=True, slots=True)
class WebSearchInput:
    """The query of a search."""

    query: str = field(metadata={"description": "What to search for, as you would type it into a search engine"})


class WebSearch(TypedTool[WebSearchInput]):
    """Searches the web with Tavily, SerpAPI, Brave, your own SearXNG instance, or your own function.

    Example:
        WebSearch(Brave(), max_results=10)
        WebSearch(lambda query: [{"title": page.title, "url": page.url} for page in my_index.find(query)])
    """

    name = "web_search"
    description = (
        "Searches the web and returns the best results, each with its title, URL and a short excerpt. Use it to find "
        "pages, or facts that may have changed recently; read a page itself before you rely on it."
    )
    read_only = True
    destructive = False
    idempotent = True
    open_world = True
    source = "builtin"

    def __init__(
        self, provider: SearchProvider | SearchFunction | None = None, *, max_results: int = DEFAULT_MAX_RESULTS
    ) -> None:
        """Create the tool.

        Args:
            provider: A provider, or a function that takes the query. By default, each call uses the first provider
                whose variable is set in the environment: `TAVILY_API_KEY`, `SERPAPI_API_KEY`, `BRAVE_API_KEY` or
                `SEARXNG_URL`.
            max_results: Maximum number of results.

        Raises:
            ConfigurationError: If the provider is unknown, or the number of results is not positive.
        """
        super().__init__()
        if not (provider is None or callable(provider) or callable(getattr(provider, "search", None))):
            raise ConfigurationError(f"a search provider needs a method 'search', but {provider!r} has none")
        if max_results <= 0:
            raise ConfigurationError("'max_results' must be above zero")
        self._provider = provider
        self._max_results = max_results

    def check(self, parsed: WebSearchInput, context: ToolContext) -> None:
        """Check that a search is possible, before a reviewer is asked.

        Raises:
            ConfigurationError: If no provider is configured, its key is missing, or an extra is not installed.
        """
        provider = provider_of_the_environment() if self._provider is None else self._provider
        if isinstance(provider, OnlineProvider):
            provider.prepare(context.tool or self.name)

    @property
    def uses(self) -> Mapping[str, str]:
        """The search provider."""
        provider = self._provider
        if provider is None:
            return {"provider": "the first whose key is in the environment"}
        return {"provider": getattr(provider, "label", "") or getattr(provider, "__name__", type(provider).__name__)}

    async def execute(self, input: WebSearchInput) -> ToolResult:
        """Search the web and return the results."""
        query = input.query.strip()
        if not query:
            return ToolResult.failure("Search query must not be blank", "invalid_arguments")
        provider = provider_of_the_environment() if self._provider is None else self._provider
        try:
            if callable(provider):
                return self._result_of(query, await _find_by(provider, query))
            return self._result_of(query, await provider.search(query, self._max_results))
        except SearchError as error:
            return ToolResult.failure(f"Search failed: {error}", error.code)
        except OSError as error:
            return ToolResult.failure(f"Search failed: {error.strerror or error}", "network")

    def _result_of(self, query: str, found: Any) -> ToolResult:
        if found is None or isinstance(found, str):
            return ToolResult.success(found)
        hits = [_as_hit(each) for each in found][: self._max_results]
        text = "\n\n".join(_show(number, hit) for number, hit in enumerate(hits, 1))
        structured = {"query": query, "results": [hit._asdict() for hit in hits]}
        return ToolResult.success(text or "No results found.", structured=structured)


def build(**values: Any) -> WebSearch:
    """Create the tool from its configuration, refusing a key that is written in the file itself."""
    limits = {"max_results": values.pop("max_results")} if "max_results" in values else {}
    kind = values.pop("provider", None)
    raise_faults(_problems(kind, values))
    return WebSearch(None if kind is None else PROVIDERS[kind](**values), **limits)


def _problems(kind: str | None, values: Mapping[str, Any]) -> list[tuple[str, str | None]]:
    problems: list[tuple[str, str | None]] = []
    if kind is None and values:
        named = " and ".join(f"'{name}'" for name in values)
        problems.append((f"{named} without a provider", "write provider = 'tavily', 'serpapi', 'brave' or 'searxng'"))
    if kind == "searxng" and "url" not in values:
        hint = "write url = 'http://localhost:8888', with the address of your SearXNG instance"
        problems.append(("the option 'url' is missing", hint))
    if "key" in values and not variables_in(values["key"]):
        problems.append(
            ("the key is written in the file itself", "keep it in the environment, and write key = '${NAME}'")
        )
    return problems


async def _find_by(function: SearchFunction, query: str) -> Any:
    """Call a search function; a sync one runs in a thread so that it does not block the event loop."""
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 - callable objects count too
        return await function(query)
    found = await in_thread(partial(_gather, function, query))
    return await found if isinstance(found, Awaitable) else found


def _gather(function: SearchFunction, query: str) -> Any:
    """Call a sync function and exhaust what it returns, since a generator searches only while it is iterated."""
    found = function(query)
    return list(found) if isinstance(found, Iterable) and not isinstance(found, str) else found


def _as_hit(each: Any) -> SearchHit:
    if isinstance(each, Mapping):
        return SearchHit(*(plain(str(each.get(name) or "")) for name in SearchHit._fields))
    if isinstance(each, SearchHit):
        return SearchHit(*map(plain, each))
    raise TypeError(
        f"a search result needs 'title', 'url' and 'snippet', but this one is of type {type(each).__name__}"
    )


def _show(number: int, hit: SearchHit) -> str:
    lines = [f"{number}. {hit.title or hit.url or 'Untitled'}"]
    lines += [f"   URL: {hit.url}"] if hit.url else []
    lines += [f"   {hit.snippet}"] if hit.snippet else []
    return "\n".join(lines)
