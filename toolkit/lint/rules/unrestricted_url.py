"""TK510: an address from a model that may point anywhere."""

import ast
from collections.abc import Iterator, Mapping
from functools import partial

from toolkit.codes import UNRESTRICTED_URL
from toolkit.lint.clues.effects import clients_of
from toolkit.lint.clues.guards import begins_with, unguarded
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.tools.definition.names import words_of

_WORDS = frozenset({"url", "urls", "uri", "link", "endpoint", "webhook", "href"})
_GUARDS = {"urlsplit", "urlparse", "ip_address", "startswith", "getaddrinfo"}
_CLIENTS = {"requests", "httpx", "httpx2", "niquests", "urllib3", "aiohttp"}
_METHOD_FIRST = {"request", "stream"}
_FETCHING = {"get", "post", "put", "patch", "delete", "head", "options", *_METHOD_FIRST}
_CALLS = {"urllib.request.urlopen", "urllib.request.Request", "urllib.request.urlretrieve"}


class UnrestrictedUrl(Rule):
    '''An address from a model is fetched without a check.

    ## Why

    Anybody who can talk to the model can choose the address: `http://169.254.169.254/` returns the keys of a cloud
    machine, `http://localhost:8080/` reaches services that trust this machine, and `file:///` reads its files. Allow
    only the intended hosts, or use the ready tools `http` and `web_scrape`, which check every address that a name
    resolves to. The rule only reads the source: parsing the address, or comparing it, counts as a guard. A parameter
    after a fixed host, as in `f"https://shop.example/{page}"`, is not reported.

    In tools of frameworks without servers, such as LangChain, it is an `info`: many of them are made to fetch what the
    user of the program asks for. Check them if the program serves other people.

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
            raise ValueError("this is not a page of the shop")
        return httpx.get(url, timeout=10).text
    ```

    ## Source

    - CWE-918, [Server-side request forgery](https://cwe.mitre.org/data/definitions/918.html) (checked 2026-11-22)
    '''

    code = UNRESTRICTED_URL

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for parameter, call, written in unguarded(
            function, _GUARDS, partial(_follows, clients_of(function)), begins_with
        ):
            message = f"{parameter.name!r} of {function.tool_name!r} is not restricted, and '{written}' uses it"
            related = [(function.file.location(parameter.node), "a model provides it")]
            hint = "allow only the intended hosts"
            hint += "" if function.written else ", or let the ready tool 'web_scrape' fetch it"
            severity = "info" if function.is_local else self.severity
            yield self.problem(message, function.file.location(call), hint=hint, related=related, severity=severity)


def _follows(
    clients: Mapping[str, str], call: ast.Call, meaning: str, parameter: PythonParameter, carriers: frozenset[str]
) -> bool:
    """Whether a call fetches the address in a parameter.

    If the name of the parameter does not say that it is an address, the address must begin with it.
    """
    module, _, member = meaning.rpartition(".")
    module = clients.get(module, module)
    if meaning not in _CALLS and module.partition(".")[0] not in _CLIENTS:
        return False
    if _WORDS.intersection(words_of(parameter.name)):
        given = [*call.args[:2], *(one.value for one in call.keywords)]
    elif meaning in _CALLS or member in _FETCHING:
        position = 1 if member in _METHOD_FIRST else 0
        named = [one.value for one in call.keywords if one.arg == "url"]
        given = [*call.args[position : position + 1], *named]
    else:
        return False
    return any(begins_with(node, carriers) for node in given)
