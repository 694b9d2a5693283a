"""The `web_search` tool, which searches the web."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from toolkit.builtin.options import (
    COUNT,
    DURATION,
    SWITCH,
    TEXT,
    Option,
    environment_variables,
    one_of,
    private_addresses,
    raise_faults,
    search_service,
)
from toolkit.builtin.search_providers import (
    PROVIDERS,
    OnlineProvider,
    SearchError,
    SearchHit,
    SearchProvider,
    provider_of_the_environment,
)
from toolkit.builtin.web.page_reader import plain
from toolkit.errors import ConfigurationError
from toolkit.running import in_thread
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult
from toolkit.tools.secret_texts import variables_in
from toolkit.tools.typed import TypedTool

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
