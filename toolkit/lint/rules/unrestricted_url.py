"""TK510: an address from a model that may lead anywhere."""

import ast
from collections.abc import Iterator

from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.lint.unguarded import unguarded
from toolkit.problems import Problem

_WORDS = frozenset({"url", "urls", "uri", "link", "endpoint", "webhook", "href"})
_GUARDS = {"urlsplit", "urlparse", "ip_address", "startswith", "getaddrinfo", "fullmatch"}
_CLIENTS = {"requests", "httpx", "httpx2", "niquests", "urllib3"}
_CALLS = {"urllib.request.urlopen", "urllib.request.Request", "urllib.request.urlretrieve"}


class UnrestrictedUrl(Rule):
    '''An address that a model gives is fetched as it is.

    ## Why

    Whoever can talk to the model chooses the address: `http://169.254.169.254/` gives away the keys of a cloud machine,
    `http://localhost:8080/` whatever listens there for this machine alone, and `file:///` its files. Allow the hosts that
    are meant, or let the ready tools `http` and `web_scrape` fetch it, which look at every address that a name leads to.
    Only the source is looked at: taking the address apart, or comparing it, counts as a guard.

    ## Example

    ```python
    import httpx

    from toolkit import tool


    @tool(read_only=True)
    def fetch(url: str) -> str:
        """Fetch the text of a page."""
        return httpx.get(url, timeout=10).text
    ```

    ## Instead

    ```python
    from urllib.parse import urlsplit

    import httpx

    from toolkit import tool


    @tool(read_only=True)
    def fetch(url: str) -> str:
        """Fetch the text of a page of the shop."""
        if urlsplit(url).hostname != "shop.example":
            raise ValueError("this is no page of the shop")
        return httpx.get(url, timeout=10).text
    ```

    ## Source

    - CWE-918, [Server-side request forgery](https://cwe.mitre.org/data/definitions/918.html) (checked 2026-11-22)
    '''

    code = "TK510"
    name = "unrestricted-url"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for parameter, call, written in unguarded(function, _WORDS, _GUARDS, _fetches):
            message = f"{parameter.name!r} of {function.tool_name!r} may lead anywhere, and '{written}' follows it"
            related = [(function.file.location(parameter.node), "a model gives it")]
            hint = "allow the hosts that are meant, or let the ready tool 'web_scrape' fetch it"
            yield self.problem(message, function.file.location(call), hint=hint, related=related)


def _fetches(call: ast.Call, meaning: str) -> bool:  # noqa: ARG001 - the name says enough
    return meaning in _CALLS or meaning.partition(".")[0] in _CLIENTS
