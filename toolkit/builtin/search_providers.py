"""Search providers: who searches the web for the tool `web_search`."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from typing import Any, ClassVar, Final, NamedTuple, Protocol
from urllib.parse import urlencode

from toolkit.builtin.extras import need
from toolkit.builtin.web.address_guard import AddressGuard, Resolver, place_of, resolve_by_system
from toolkit.builtin.web.charsets import decode_text
from toolkit.builtin.web.fetching import Fetcher, FetchError
from toolkit.errors import ConfigurationError
from toolkit.redactors.redactor import Redactor
from toolkit.tools.secret_texts import fill

DEFAULT_TIMEOUT: Final = 15.0
_MAX_BYTES: Final = 2 * 1024 * 1024


class SearchHit(NamedTuple):
    """One result of a search; a part that is not known is blank."""

    title: str = ""
    url: str = ""
    snippet: str = ""


class SearchError(Exception):
    """A search failed; the message says why, and never holds a key. `code` is the kind of failure."""

    def __init__(self, message: str, code: str | int = "error") -> None:
        """Keep both."""
        super().__init__(message)
        self.code = code


class SearchProvider(Protocol):
    """Searches the web."""

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the best results, at most `count`.

        Raises:
            SearchError: If the search came to nothing.
        """


class OnlineProvider(ABC):
    """A provider that is asked over HTTP, with a key from the environment."""

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
        """Keep how it is reached.

        Args:
            url: Where it is, if not where everybody finds it.
            key: Its key, as `${NAME}` for a variable of the environment; the usual variable unless it is given.
            timeout: Seconds for everything.
            allow_private: Whether it may lie on this machine or inside this network.
            resolve: How its host is looked up.

        Raises:
            ConfigurationError: If there is no URL.
        """
        self.url = (url or self.default_url).strip()
        if not self.url.startswith(("http://", "https://")):
            raise ConfigurationError(f"{self.label} needs a URL that begins with http:// or https://")
        self._key = key or self.default_key
        self._fetcher = Fetcher(
            AddressGuard([place_of(self.url)] if allow_private else (), resolve), timeout, _MAX_BYTES
        )

    def prepare(self, tool: str) -> None:
        """Make sure that a tool can search with it.

        Raises:
            ConfigurationError: If the extra is missing, or the key.
        """
        need(tool, "tools", "httpx2")
        self._filled_key(Redactor(by_format=False), f"the tool '{tool}'")

    async def search(self, query: str, count: int) -> Sequence[SearchHit]:
        """Return the best results."""
        redactor = Redactor(by_format=False)
        key = self._filled_key(redactor, self.label)
        method, url, headers, body = self._request(query, count, key)
        content = None if body is None else json.dumps(body).encode()
        try:
            answer = await self._fetcher.fetch(method, url, {"Accept": "application/json", **headers}, content)
        except FetchError as error:
            raise SearchError(redactor.text(f"{self.label}: {error}"), error.code) from None
        if answer.status != 200:  # noqa: PLR2004 - anything else has no results
            raise SearchError(self._complaint(answer.status), answer.status)
        try:
            data = redactor.data(json.loads(decode_text(answer.body, "utf-8")))
        except (ValueError, RecursionError):
            raise SearchError(f"{self.label} answered something that is not JSON") from None
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
        """Return the results in an answer."""

    def _complaint(self, status: int) -> str:
        """Return what a status means; what came with it may hold the key, and stays unsaid."""
        reasons = {401: "its key is wrong", 403: "its key is wrong", 429: "too many searches, try again later"}
        return f"{self.label} answered HTTP {status}" + (f": {reasons[status]}" if status in reasons else "")

    def _with(self, **parameters: str | int) -> str:
        return f"{self.url}{'&' if '?' in self.url else '?'}{urlencode(parameters)}"


class Tavily(OnlineProvider):
    """Searches with Tavily; the key is in `TAVILY_API_KEY` unless another is named."""

    label = "Tavily"
    default_url = "https://api.tavily.com/search"
    default_key = "${TAVILY_API_KEY}"

    def _request(self, query: str, count: int, key: str) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        return "POST", self.url, headers, {"query": query, "search_depth": "basic", "max_results": count}

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        return _hits_among(data.get("results"), "url", "content")


class SerpApi(OnlineProvider):
    """Searches Google with SerpAPI; the key is in `SERPAPI_API_KEY` unless another is named."""

    label = "SerpAPI"
    default_url = "https://serpapi.com/search.json"
    default_key = "${SERPAPI_API_KEY}"

    def _request(self, query: str, count: int, key: str) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:
        return "GET", self._with(engine="google", q=query, num=count, api_key=key), {}, None

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        return _hits_among(data.get("organic_results"), "link", "snippet")


class Brave(OnlineProvider):
    """Searches with Brave; the key is in `BRAVE_API_KEY` unless another is named."""

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
    """Searches with a SearXNG of one's own, which must offer JSON and needs no key; it may lie inside the network."""

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
        """Keep where it is; see `OnlineProvider`. A key, if it has one, is sent as a bearer token."""
        super().__init__(
            f"{url.strip().rstrip('/').removesuffix('/search')}/search",
            key=key,
            timeout=timeout,
            allow_private=allow_private,
            resolve=resolve,
        )

    def _request(
        self, query: str, count: int, key: str  # noqa: ARG002 - it takes no number
    ) -> tuple[str, str, dict[str, str], dict[str, Any] | None]:  # fmt: skip
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return "GET", self._with(q=query, format="json"), headers, None

    def _hits(self, data: Mapping[str, Any]) -> list[SearchHit]:
        return _hits_among(data.get("results"), "url", "content")

    def _complaint(self, status: int) -> str:
        if status == 403:  # noqa: PLR2004 - forbidden
            return "SearXNG answered HTTP 403: allow the format json in its settings.yml, under search: formats"
        return super()._complaint(status)


PROVIDERS: Final[dict[str, type[OnlineProvider]]] = {
    "tavily": Tavily,
    "serpapi": SerpApi,
    "brave": Brave,
    "searxng": SearXNG,
}
SEARXNG_URL: Final = "SEARXNG_URL"


def provider_of_the_environment() -> OnlineProvider:
    """Return the first provider whose key, or URL, is in the environment.

    Raises:
        ConfigurationError: If there is none.
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
    """Return what is in a list of results, whatever else is in it."""
    rows = [row for row in results if isinstance(row, dict)] if isinstance(results, list) else []
    return [SearchHit(*(_text(row.get(name)) for name in ("title", url, snippet))) for row in rows]


def _text(value: Any) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""
