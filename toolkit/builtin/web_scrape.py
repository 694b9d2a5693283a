"""The `web_scrape` tool, which reads a web page."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, Final, Literal

from toolkit.address_guard import AddressGuard, Resolver, resolve_by_system
from toolkit.amounts import format_duration
from toolkit.builtin.options import (
    COUNT,
    DURATION,
    TEXTS,
    Option,
    need,
    not_above_zero,
    one_of,
    private_addresses,
    raise_faults,
)
from toolkit.builtin.web import page_reader
from toolkit.errors import ConfigurationError
from toolkit.fetching import Fetched, Fetcher, FetchError, decode_text, looks_binary, read_media_type
from toolkit.processes.process_trees import StartError, run_command
from toolkit.processes.watching import missing_support
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.kinds.class_tools import TypedTool

DEFAULT_MAX_CHARACTERS: Final = 5_000
DEFAULT_TIMEOUT: Final = 15.0
DEFAULT_MAX_BYTES: Final = 5 * 1024 * 1024
MAX_REDIRECTS: Final = 5

Extractor = Literal["page", "article"]
"""Which text of a page to return: the page without menus, headers and footers, or only its main text."""

OPTIONS: Final = (
    Option("max_characters", COUNT, "maximum number of characters to return", default=DEFAULT_MAX_CHARACTERS),
    Option("timeout", DURATION, "time limit for fetching and reading a page", default="15s"),
    Option("max_bytes", COUNT, "maximum number of bytes of a page to read", default=DEFAULT_MAX_BYTES),
    Option("hosts", TEXTS, "the only hosts that may be reached, such as '*.python.org'"),
    Option(
        "private_hosts",
        TEXTS,
        "hosts that may be on this machine or its network, such as 'localhost:8080'",
        widens=private_addresses,
    ),
    Option(
        "extractor",
        one_of("page", "article"),
        "whether to return the whole page or only its article, which needs the extra tools-extract",
        default="page",
    ),
)

_HTML: Final = {"text/html", "application/xhtml+xml"}
_TEXT: Final = {f"application/{kind}" for kind in ("json", "xml", "javascript", "yaml", "toml", "x-ndjson")}
_BEGINNINGS: Final = (b"<!doctype html", b"<html", b"<head", b"<body")
_HEADERS: Final = {
    "User-Agent": "Mozilla/5.0 (compatible; toolkit)",
    "Accept": "text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.8,*/*;q=0.1",
}


@dataclass(frozen=True, slots=True)
class WebScrapeInput:
    """The page to read, and the form in which to return it."""

    url: str = field(metadata={"description": "The URL of the page, beginning with http:// or https://"})
    format: Literal["text", "markdown"] = field(
        default="text",
        metadata={"description": "'text' for plain text, 'markdown' to keep headings, lists, tables and links"},
    )
    links: bool = field(default=False, metadata={"description": "Also list the links of the page"})


class WebScrape(TypedTool[WebScrapeInput]):
    """Reads pages of the public web, but nothing on this machine or its network.

    Every address is checked before connecting to it, also after each redirect. A page is parsed in a separate process
    with limited time and memory.
    """

    name = "web_scrape"
    description = (
        "Fetches a web page and returns its text. Use it to read a page whose URL you know, such as a search result. "
        "Reads HTML, plain text and JSON, but not images or PDF files. Menus, headers and footers are left out, and "
        "long texts are cut off."
    )
    destructive = False
    idempotent = True
    open_world = True
    source = "builtin"

    def __init__(
        self,
        *,
        max_characters: int = DEFAULT_MAX_CHARACTERS,
        timeout: float = DEFAULT_TIMEOUT,
        max_bytes: int = DEFAULT_MAX_BYTES,
        hosts: Iterable[str] = (),
        private_hosts: Iterable[str] = (),
        extractor: Extractor = "page",
        resolve: Resolver = resolve_by_system,
    ) -> None:
        """Create the tool.

        Args:
            max_characters: Maximum number of characters of text to return; the rest is cut off, with a note in the
                output.
            timeout: Time limit in seconds for everything: DNS lookups, redirects, download and parsing.
            max_bytes: Maximum number of bytes of a page to read.
            hosts: The only hosts that may be reached, by name or as `*.example.com`. By default, every public host is
                allowed, and the tool is not marked as read-only, since a URL of any host can leak data.
            private_hosts: Hosts that may be on this machine or its network, as `host` or `host:port`.
            extractor: Whether to return the text of the whole page or only its article.
            resolve: Resolves host names.

        Raises:
            ConfigurationError: If any setting is invalid; the error lists all of them.
        """
        super().__init__()
        faults = not_above_zero(max_characters=max_characters, timeout=timeout, max_bytes=max_bytes)
        if extractor not in {"page", "article"}:
            faults.append((f"'extractor' must be 'page' or 'article', not {extractor!r}", None))
        raise_faults(faults)
        only = tuple(hosts)
        self.read_only = True if only else None
        self._max_characters = max_characters
        self._timeout = timeout
        self._extractor = extractor
        guard = AddressGuard(private_hosts, resolve, only_hosts=only)
        self._fetcher = Fetcher(guard, timeout, max_bytes, MAX_REDIRECTS)

    def check(self, parsed: WebScrapeInput, context: ToolContext) -> None:
        """Check that the tool can work here, before a reviewer is asked.

        Raises:
            ConfigurationError: If an extra is not installed, or this system cannot limit the process that parses pages.
        """
        name = context.tool or self.name
        need(name, "tools", "httpx2", "selectolax")
        if self._extractor == "article":
            need(name, "tools-extract", "trafilatura", "lxml_html_clean")
        if reason := missing_support():
            raise ConfigurationError(reason)

    async def execute(self, input: WebScrapeInput) -> ToolResult:
        """Fetch the page and return its text."""
        url = input.url.strip()
        if not url:
            return ToolResult.failure("URL must not be blank", "invalid_arguments")
        deadline = monotonic() + self._timeout
        try:
            fetched = await self._fetcher.fetch("GET", url, _HEADERS)
            if not 200 <= fetched.status < 300:  # noqa: PLR2004 - the range of success
                return ToolResult.failure(f"Failed to fetch URL: HTTP {fetched.status} from {url}", fetched.status)
            page = await self._read(fetched, input, deadline)
        except FetchError as error:
            return ToolResult.failure(f"Failed to fetch URL: {error}", error.code)
        return self._result_of(page, input, fetched)

    async def _read(self, fetched: Fetched, input: WebScrapeInput, deadline: float) -> dict[str, Any]:
        """Return the title, the text and the links of a page.

        Raises:
            FetchError: If the response is not text, or the page cannot be parsed.
        """
        media = read_media_type(fetched.headers.get("content-type", ""))
        is_html = media.name in _HTML or (
            not media.name and fetched.body[:512].lstrip().lower().startswith(_BEGINNINGS)
        )
        is_text = media.name.startswith("text/") or media.name in _TEXT or media.name.endswith(("+json", "+xml"))
        if looks_binary(fetched.body) or not (is_html or is_text or not media.name):
            raise FetchError(f"{fetched.url} is not text ({media.name or 'of unknown type'})", "error")
        text = decode_text(fetched.body, media.charset, is_html=is_html, is_cut=fetched.is_cut)
        if is_html:
            return await self._read_apart(text, fetched.url, input, deadline)
        text = page_reader.without_controls(text)
        most = self._max_characters
        return {"title": "", "text": text[:most], "links": [], "is_more": len(text) > most}

    async def _read_apart(self, html: str, url: str, input: WebScrapeInput, deadline: float) -> dict[str, Any]:
        """Parse a page in a separate process."""
        request = {
            "html": html,
            "url": url,
            "markdown": input.format == "markdown",
            "extractor": self._extractor,
            "most": self._max_characters,
            "path": sys.path,
        }
        command = [sys.executable, "-I", "-S", page_reader.__file__]
        try:
            ended = await run_command(
                command,
                json.dumps(request).encode(),
                timeout=max(deadline - monotonic(), 0.0),
                max_bytes=16 * self._max_characters + 1024 * 1024,
            )
        except TimeoutError:
            raise FetchError(f"the page was not read within {format_duration(self._timeout)}", "timeout") from None
        except StartError as error:
            raise FetchError(f"the page could not be read: {error}", "error") from None
        if ended.status != 0:
            raise FetchError("the page could not be read: it crashed the reader, or needs too much memory", "error")
        page: dict[str, Any] = json.loads(ended.output)
        return page

    def _result_of(self, page: dict[str, Any], input: WebScrapeInput, fetched: Fetched) -> ToolResult:
        is_cut = page.pop("is_more") or fetched.is_cut
        output = page["text"]
        if input.format == "markdown" and page["title"] and not output.startswith("# "):
            output = f"# {page['title']}\n\n{output}"
        if is_cut:
            output += f" [truncated at {len(page['text'])} chars]"
        if input.links:
            output += "".join(["\n\nLinks:", *(f"\n- {link['text'] or '…'}: {link['url']}" for link in page["links"])])
        return ToolResult.success(output, structured={"url": fetched.url, **page, "truncated": is_cut})
