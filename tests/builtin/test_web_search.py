"""The tool `web_search` searches with whoever is named, and keeps the keys to itself."""

import asyncio
import inspect
import json
import logging
from typing import Any

import pytest

from tests.installers import INSTALL
from toolkit import ToolContext
from toolkit.builtin import Brave, SearchError, SearchHit, SearXNG, SerpApi, Tavily, WebSearch, ready_tools
from toolkit.errors import ConfigurationError

KEY = "k3y-of/the+user"
VARIABLES = {Tavily: "TAVILY_API_KEY", SerpApi: "SERPAPI_API_KEY", Brave: "BRAVE_API_KEY"}
FOUND = """1. Terns
   URL: https://birds.example/terns
   Fly far & fast.

2. Gulls
   URL: https://birds.example/gulls

3. https://birds.example/owls
   URL: https://birds.example/owls
   See in the dark.

4. Finches
   Sing."""
ROWS = [
    {"title": "Terns", "url": "https://birds.example/terns", "text": "Fly far\n &amp; fast."},
    {"title": "Gulls", "url": "https://birds.example/gulls", "text": None},
    {"url": "https://birds.example/owls", "text": "See in the dark."},
    {"title": "Finches", "url": None, "text": "Sing.", "rank": 7},
    "no row",
    {"title": "One too many"},
]
HITS = [
    {"title": "Terns", "url": "https://birds.example/terns", "snippet": "Fly far & fast."},
    {"title": "Gulls", "url": "https://birds.example/gulls", "snippet": ""},
    {"title": "", "url": "https://birds.example/owls", "snippet": "See in the dark."},
    {"title": "Finches", "url": "", "snippet": "Sing."},
]


def answered(provider):
    """Return what a provider answers, in its own words."""
    url, text = (
        ("link", "snippet") if provider is SerpApi else ("url", "description" if provider is Brave else "content")
    )
    names = {"title": "title", "url": url, "text": text, "rank": "rank"}
    rows: list[Any] = [
        {names[name]: value for name, value in row.items()} if isinstance(row, dict) else row for row in ROWS
    ]
    if provider is not Brave:  # only Brave writes HTML
        rows[0][text] = rows[0][text].replace("&amp;", "&")
    within = {Tavily: "results", SerpApi: "organic_results", SearXNG: "results"}
    return {"web": {"results": rows}} if provider is Brave else {within[provider]: rows}


@pytest.fixture
def keys(monkeypatch):
    """Let every key be in the environment."""
    for variable in VARIABLES.values():
        monkeypatch.setenv(variable, KEY)


@pytest.fixture
def no_keys(monkeypatch):
    """Let no key be in the environment."""
    for variable in [*VARIABLES.values(), "SEARXNG_URL"]:
        monkeypatch.delenv(variable, raising=False)


def search(provider, query="birds", **options):
    """Search once."""
    return WebSearch(provider, **options).run({"query": query})


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("provider", [*VARIABLES, SearXNG], ids=lambda provider: provider.label)
def test_every_provider_is_asked_and_understood_in_its_own_way(serve, respond, provider):
    server = serve(respond(json.dumps(answered(provider))))
    result = search(provider(server.url("/search"), allow_private=True), " far & wide ", max_results=4)
    assert result.error is None
    assert result.output == FOUND
    assert result.structured == {"query": "far & wide", "results": HITS}
    [asked] = server.requests
    sent = (asked.method, asked.target, json.loads(asked.body) if asked.body else None)
    headers = {name: asked.headers[name] for name in ("authorization", "x-subscription-token") if name in asked.headers}
    assert (*sent, headers) == {
        Tavily: (
            "POST",
            "/search",
            {"query": "far & wide", "search_depth": "basic", "max_results": 4},
            {"authorization": f"Bearer {KEY}"},
        ),
        SerpApi: ("GET", "/search?engine=google&q=far+%26+wide&num=4&api_key=k3y-of%2Fthe%2Buser", None, {}),
        Brave: ("GET", "/search?q=far+%26+wide&count=4&text_decorations=false", None, {"x-subscription-token": KEY}),
        SearXNG: ("GET", "/search?q=far+%26+wide&format=json", None, {}),
    }[provider]


@pytest.mark.proof(everyday=4)
@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("provider", [*VARIABLES, SearXNG], ids=lambda provider: provider.label)
@pytest.mark.parametrize("data", [{}, {"results": []}, {"results": None, "web": None}, {"web": {"results": "x"}}, []])
def test_nothing_found_is_said(serve, respond, provider, data):
    server = serve(respond(json.dumps(data)))
    result = search(provider(server.url(), allow_private=True))
    assert (result.output, result.structured) == ("No results found.", {"query": "birds", "results": []})


@pytest.mark.parametrize("url", ["http://s.example", "http://s.example/", "http://s.example/search", "http://s.example/search/"])  # fmt: skip
def test_a_searxng_is_named_by_its_address(url):
    assert SearXNG(url).url == "http://s.example/search"


# Failures


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize(
    ("provider", "status", "error"),
    [
        (Tavily, "401 Unauthorized", "Search failed: Tavily answered HTTP 401: its key is wrong"),
        (Brave, "429 Slow down", "Search failed: Brave answered HTTP 429: too many searches, try again later"),
        (SerpApi, "500 Oops", "Search failed: SerpAPI answered HTTP 500"),
        (SearXNG, "403 Forbidden", "Search failed: SearXNG answered HTTP 403: add json to search.formats in its settings.yml"),
        (SearXNG, "429 Slow down", "Search failed: SearXNG answered HTTP 429: too many searches, try again later"),
        (SerpApi, "302 Found", "Search failed: SerpAPI answered HTTP 302"),
    ],
)  # fmt: skip
def test_a_refusal_is_said_without_what_came_with_it(serve, respond, provider, status, error):
    server = serve(respond(f"you sent {KEY}", status, Location=f"http://x.example/{KEY}"))
    result = search(provider(server.url(), allow_private=True))
    assert (result.error, result.error_code) == (error, int(status[:3]))


@pytest.mark.usefixtures("keys")
def test_what_is_no_json_is_said(serve, respond):
    server = serve(respond("<html>"))
    assert search(Brave(server.url(), allow_private=True)).error == ("Search failed: the response of Brave is not JSON")


@pytest.mark.usefixtures("keys")
def test_a_provider_inside_must_be_allowed(serve, respond):
    server = serve(respond("{}"))
    result = search(Tavily(server.url()))
    assert (result.error, result.error_code) == (
        "Search failed: Tavily: refused: 127.0.0.1 is a loopback address",
        "access_denied",
    )
    assert server.requests == []


@pytest.mark.usefixtures("keys")
def test_the_time_is_limited(serve):
    def stalling(_):
        while True:
            yield b""

    result = search(Tavily(serve(stalling).url(), timeout=0.2, allow_private=True))
    assert (result.error, result.error_code) == (
        "Search failed: Tavily: no complete answer within 200ms",
        "timeout",
    )


@pytest.mark.parametrize("query", ["", "  \n"])
def test_a_blank_query_is_refused(query):
    assert search(lambda _: pytest.fail("it searched"), query).error == "Search query must not be blank"


# Keys


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("status", ["200 OK", "302 Found", "401 Unauthorized", "broken"])
@pytest.mark.parametrize("provider", VARIABLES, ids=lambda provider: provider.label)
def test_no_key_leaves(serve, respond, caplog, provider, status):
    def echo(asked):
        everything = f"{asked.target} {asked.headers} {asked.body}"
        row = dict.fromkeys(["title", "url", "link", "content", "snippet", "description"], everything)
        data = {"results": [row], "organic_results": [row], "web": {"results": [row]}}
        if status == "broken":
            yield f"HTTP/9 {everything}\r\n\r\n".encode()
        else:
            yield respond(json.dumps(data), status, X_Echo=everything.replace("\r\n", " "), Location=everything)

    server = serve(echo)
    tool = WebSearch(provider(server.url(), allow_private=True))
    with caplog.at_level(logging.DEBUG):
        result = tool.run({"query": "birds"})
    assert server.requests
    places = [repr(result), caplog.text, repr(tool), repr(vars(tool)), repr(vars(tool._provider))]
    forms = [KEY, KEY.replace("/", "%2F").replace("+", "%2B"), KEY.replace("+", "%2B")]
    hits = [form for place in places for form in forms if form in place]
    print(f"\nweb_search: {len(hits)} keys in {len(places)} places")  # noqa: T201
    assert hits == []


@pytest.mark.usefixtures("no_keys")
@pytest.mark.parametrize("provider", VARIABLES, ids=lambda provider: provider.label)
def test_a_missing_key_is_said(provider):
    with pytest.raises(ConfigurationError) as raised:
        search(provider())
    variable = VARIABLES[provider]
    assert str(raised.value) == f"the tool 'web_search' needs the environment variable '{variable}', which is not set"


def test_a_key_that_cannot_be_sent_is_said(monkeypatch):
    monkeypatch.setenv("BRAVE_API_KEY", "k\u00e9y")
    with pytest.raises(
        ConfigurationError, match=r"^the tool 'web_search' cannot send its key: it must be plain ASCII$"
    ):
        search(Brave())


@pytest.mark.usefixtures("no_keys")
def test_another_variable_may_hold_the_key(serve, respond, monkeypatch):
    monkeypatch.setenv("TEAM_KEY", KEY)
    server = serve(respond("{}"))
    assert search(Brave(server.url(), key="${TEAM_KEY}", allow_private=True)).succeeded
    assert server.requests[0].headers["x-subscription-token"] == KEY


@pytest.mark.usefixtures("no_keys")
def test_the_environment_says_who_searches(serve, respond, monkeypatch):
    with pytest.raises(ConfigurationError) as raised:
        WebSearch().run({"query": "birds"})
    assert str(raised.value) == (
        "no search provider is configured: set one of TAVILY_API_KEY, SERPAPI_API_KEY, BRAVE_API_KEY or SEARXNG_URL in the"
        " environment"
    )
    server = serve(respond(json.dumps(answered(SearXNG))))
    monkeypatch.setenv("SEARXNG_URL", server.url())
    assert WebSearch().run({"query": "birds"}).output == f"{FOUND}\n\n5. One too many"


# Functions and providers of one's own


def test_a_function_may_return_text():
    assert search(lambda query: f"all about {query}").output == "all about birds"
    assert search(lambda _: None).output == ""


async def found_later(query):
    return [SearchHit(query.title(), "https://birds.example", "They\x1b[31m  fly.")]


class Index:
    """An object that is called."""

    async def __call__(self, query):
        return await found_later(query)


class Provider:
    """A provider by the protocol."""

    async def search(self, query, count):
        return [SearchHit(f"{query} {number}") for number in range(count + 3)]


@pytest.mark.parametrize(
    "function",
    [
        found_later,
        Index(),
        lambda query: found_later(query),  # noqa: PLW0108 - a plain function that returns a coroutine
        lambda query: [{"title": query.title(), "url": "https://birds.example", "snippet": "They\x1b[31m fly."}],
        lambda query: iter([{"title": query.title(), "url": "https://birds.example", "snippet": "They[31m fly."}]),
    ],
    ids=["async", "object", "returns a coroutine", "plain", "generator"],
)
def test_a_function_may_return_results(function):
    expected = "1. Birds\n   URL: https://birds.example\n   They[31m fly."
    assert search(function).output == expected
    assert asyncio.run(WebSearch(function).call({"query": "birds"})).output == expected


def test_a_provider_of_one_s_own_gives_no_more_than_wanted():
    assert search(Provider(), max_results=2).output == "1. birds 0\n\n2. birds 1"


def test_what_a_function_raises_is_a_failure():
    def offline(_):
        raise ConnectionRefusedError(111, "Connection refused")

    def confused(_):
        raise ValueError("no such index")

    def hopeless(_):
        raise SearchError("the index is empty", "empty")

    assert search(offline).text == "Error: Search failed: Connection refused"
    assert search(confused).text == "Error: no such index"
    assert (search(hopeless).error, search(hopeless).error_code) == ("Search failed: the index is empty", "empty")
    message = "a search result needs 'title', 'url' and 'snippet', but this one is of type int"
    assert search(lambda _: [1]).error == message


# Marks and settings


def test_its_marks_let_a_model_search():
    spec = WebSearch().spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (True, False, True, True)


def test_wrong_settings_are_refused_when_it_is_made():
    with pytest.raises(ConfigurationError, match="a search provider needs a method 'search'"):
        WebSearch(42)  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="'max_results' must be above zero"):
        WebSearch(max_results=0)
    with pytest.raises(ConfigurationError, match="SearXNG needs a URL"):
        SearXNG("localhost:8888")


@pytest.mark.usefixtures("no_keys")
def test_it_is_built_of_a_configuration(tmp_path, serve, respond, monkeypatch):
    server = serve(respond(json.dumps(answered(SearXNG))))
    tool = ready_tools()["web_search"].build(
        tmp_path, {"provider": "searxng", "url": server.url(), "max_results": 1, "timeout": "5s"}
    )
    assert tool.run({"query": "birds"}).output == "1. Terns\n   URL: https://birds.example/terns\n   Fly far & fast."
    monkeypatch.setenv("TEAM_KEY", KEY)
    server = serve(respond("{}"))
    options = {"provider": "brave", "url": server.url(), "key": "${TEAM_KEY}", "allow_private": True}
    assert ready_tools()["web_search"].build(tmp_path, options).run({"query": "birds"}).output == "No results found."
    monkeypatch.setenv("SEARXNG_URL", "http://searx.invalid")
    assert (
        ready_tools()["web_search"].build(tmp_path, {}).run({"query": "birds"}).error
        == "Search failed: SearXNG: the host searx.invalid cannot be found"
    )


@pytest.mark.parametrize(
    ("options", "problems"),
    [
        ({"provider": "google"}, [("'provider' must be 'tavily', 'serpapi', 'brave' or 'searxng'", "write provider = 'tavily'")]),
        ({"provider": "searxng"}, [("the option 'url' is missing", "write url = 'http://localhost:8888', with the address of your SearXNG instance")]),
        ({"key": "${KEY}"}, [("'key' without a provider", "write provider = 'tavily', 'serpapi', 'brave' or 'searxng'")]),
        ({"provider": "brave", "key": "literal"}, [("the key is written in the file itself", "keep it in the environment, and write key = '${NAME}'")]),
        ({"max_result": 1}, [("unknown option 'max_result'", "did you mean 'max_results'?")]),
    ],
)  # fmt: skip
def test_wrong_options_are_said_with_the_hint(tmp_path, options, problems):
    with pytest.raises(ConfigurationError) as raised:
        ready_tools()["web_search"].build(tmp_path, options)
    assert [(problem.message, problem.hint) for problem in raised.value.problems] == problems


def test_the_options_are_those_of_the_class_and_the_providers():
    parameters = {*inspect.signature(WebSearch).parameters, *inspect.signature(Tavily).parameters} - {"resolve"}
    assert {option.name for option in ready_tools()["web_search"].options} == parameters


@pytest.mark.proof
@pytest.mark.usefixtures("keys")
def test_a_missing_extra_is_one_line(run_python):
    program = "import sys\nsys.modules['httpx2'] = None\nfrom toolkit.builtin import WebSearch\n"
    message = run_python(f"{program}WebSearch().run({{'query': 'x'}})").splitlines()[-1]
    assert message == (
        f"toolkit.errors.ConfigurationError: the tool 'web_search' needs 'toolkit-cli[tools]', "
        f"which is not installed: {INSTALL} 'toolkit-cli[tools]'"
    )
    assert run_python(f"{program}print(WebSearch(str.upper).run({{'query': 'x'}}).output)") == "X\n"


def test_nobody_is_asked_about_a_search_that_cannot_be(no_keys):
    with pytest.raises(ConfigurationError):
        WebSearch().check(WebSearch.input_type("x"), ToolContext())
