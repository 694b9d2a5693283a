"""Credentials come from the environment or the keyring, go to one server, and are seen nowhere else."""

import json
import logging
from base64 import b64encode

import pytest

from tests.http_servers import http_server
from tests.mcp.file_keyring import stored_in
from tests.openapi.made_operations import operation, parameter, recording, tool_for
from toolkit import Continue, ToolContext, ToolSpec
from toolkit.approvals import ScriptedReviewer
from toolkit.errors import ConfigurationError
from toolkit.openapi import Credentials, OAuthClient, SecurityScheme

KEY = "s3cret/key+value"
JSON = {"Content-Type": "application/json"}
SCHEMES = {
    "header": SecurityScheme("header", "apiKey", parameter="X-Key", place="header"),
    "query": SecurityScheme("query", "apiKey", parameter="api_key", place="query"),
    "cookie": SecurityScheme("cookie", "apiKey", parameter="session", place="cookie"),
    "bearer": SecurityScheme("bearer", "http", scheme="bearer"),
    "basic": SecurityScheme("basic", "http", scheme="basic"),
    "digest": SecurityScheme("digest", "http", scheme="digest"),
    "open": SecurityScheme("open", "openIdConnect"),
    "oauth": SecurityScheme("oauth", "oauth2"),
    "odd": SecurityScheme("odd", "apiKey", parameter="Host", place="header"),
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SHOP_KEY", KEY)
    monkeypatch.delenv("OTHER_KEY", raising=False)


def credentials(auth, **schemes):
    return Credentials("shop", {**SCHEMES, **schemes}, auth)


def asked_with(auth, *security, answer=(200, {}, b""), made=None):
    """Return the one request of a call, and its result."""
    requests = []
    made = made or operation("/x", security=security)
    with http_server(recording(requests, answer)) as url:
        result = tool_for(made, url, credentials=credentials(auth)).run({})
    [asked] = requests
    return asked, result


@pytest.mark.parametrize(
    ("name", "text", "place", "value"),
    [
        ("header", "${SHOP_KEY}", "x-key", KEY),
        ("query", "${SHOP_KEY}", None, "/x?api_key=s3cret%2Fkey%2Bvalue"),
        ("cookie", "${SHOP_KEY}", "cookie", f"session={KEY}"),
        ("bearer", "${SHOP_KEY}", "authorization", f"Bearer {KEY}"),
        ("basic", "me:${SHOP_KEY}", "authorization", "Basic " + b64encode(f"me:{KEY}".encode()).decode()),
        ("open", "${SHOP_KEY}", "authorization", f"Bearer {KEY}"),
        ("oauth", "${SHOP_KEY}", "authorization", f"Bearer {KEY}"),
    ],
)
def test_each_way_to_sign_in_has_its_place(name, text, place, value):
    asked, _ = asked_with({name: text}, {name: ()})
    assert (asked.path if place is None else asked.headers[place]) == value


def test_first_alternative_with_everything_is_used():
    auth = dict.fromkeys(["header", "cookie", "query", "digest", "odd", "unknown"], "${SHOP_KEY}")
    alternatives = [{"unknown": ()}, {"odd": ()}, {"digest": ()}, {"bearer": ()}, {"header": (), "bearer": ()}, {}]
    asked, _ = asked_with(auth, *alternatives, {"header": (), "cookie": ()}, {"query": ()})
    assert (asked.path, asked.headers["x-key"], asked.headers["cookie"]) == ("/x", KEY, f"session={KEY}")


def test_nothing_is_sent_where_nothing_is_needed():
    for security in [(), ({},), ({"bearer": ()}, {})]:
        asked, _ = asked_with({"header": "${SHOP_KEY}"}, *security)
        assert {"x-key", "authorization", "cookie"} & asked.headers.keys() == set()


@pytest.mark.parametrize(
    ("auth", "security", "message"),
    [
        (
            {},
            [{"header": ()}, {"oauth": ("read",), "cookie": ()}],
            (
                "the API 'shop' needs credentials for 'header' or 'oauth' and 'cookie': "
                "write NAME = '${VARIABLE}' in the table [openapi.shop.auth] of the configuration"
            ),
        ),
        (
            {"header": "${OTHER_KEY}"},
            [{"header": ()}],
            "the API 'shop': 'auth.header' needs the environment variable 'OTHER_KEY', which is not set",
        ),
        (
            {"oauth": OAuthClient("me", "${OTHER_KEY}")},
            [{"oauth": ()}],
            (
                "the API 'shop' needs credentials for 'oauth': "
                "write NAME = '${VARIABLE}' in the table [openapi.shop.auth] of the configuration"
            ),
        ),
    ],
)
def test_missing_credential_is_named_before_anybody_is_asked(auth, security, message):
    reviewer = ScriptedReviewer([Continue()])
    requests = []
    with http_server(recording(requests)) as url:
        tool = tool_for(operation("/x", method="DELETE", security=tuple(security)), url, credentials=credentials(auth))
        with pytest.raises(ConfigurationError) as raised:
            tool.run({}, ToolContext(reviewer=reviewer))
    assert (str(raised.value), requests, reviewer.requests) == (message, [], [])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("header", "a\r\nX-Evil: 1"),
        ("bearer", "büro"),
        ("cookie", "a; admin=1"),
        ("query", "a\udcff"),
        ("query", "a\nb"),
    ],
)
def test_credential_that_its_place_does_not_allow_is_refused(monkeypatch, name, value):
    monkeypatch.setenv("SHOP_KEY", value)
    tool = tool_for(
        operation("/x", security=({name: ()},)), "http://127.0.0.1:9", credentials=credentials({name: "${SHOP_KEY}"})
    )
    with pytest.raises(ConfigurationError) as raised:
        tool.run({})
    expected = f"the API 'shop': 'auth.{name}' cannot be sent: it has characters that its place does not allow"
    assert str(raised.value) == expected


def test_argument_never_takes_the_place_of_a_credential():
    made = operation(
        "/x",
        parameter("X-KEY", "header", argument="k"),
        parameter("api_key"),
        parameter("session", "cookie"),
        security=({"header": (), "query": (), "cookie": ()},),
    )
    requests = []
    auth = dict.fromkeys(["header", "query", "cookie"], "${SHOP_KEY}")
    with http_server(recording(requests)) as url:
        tool_for(made, url, credentials=credentials(auth)).run({"k": "mine", "api_key": "mine", "session": "mine"})
    [asked] = requests
    assert "mine" not in f"{asked.path} {asked.headers}"


def test_fixed_cookies_are_sent_beside_others():
    requests = []
    made = operation("/x", parameter("theme", "cookie"), security=({"cookie": ()},))
    with http_server(recording(requests)) as url:
        options = {"credentials": credentials({"cookie": "${SHOP_KEY}"}), "headers": {"cookie": "lang=en"}}
        tool_for(made, url, **options).run({"theme": "dark"})
    assert requests[0].headers["cookie"] == f"lang=en; theme=dark; session={KEY}"


def test_fixed_headers_are_sent_and_no_argument_replaces_them():
    made = operation("/x", parameter("x-team", "header", argument="team"))
    requests = []
    with http_server(recording(requests)) as url:
        tool = tool_for(
            made, url, headers={"X-Team": "blue", "X-Api-Key": "${SHOP_KEY}", "X-Secret": "written-in-code"}
        )
        tool.run({"team": "red"})
        preview = tool.preview({"team": "red"}, ToolContext())
    headers = requests[0].headers
    assert (headers["x-team"], headers["x-api-key"], headers["x-secret"]) == ("blue", KEY, "written-in-code")
    assert preview == (
        f"HTTP GET {url}/x\nAccept: application/json, */*;q=0.1\nX-Team: blue\nX-Api-Key: ${{SHOP_KEY}}\nX-Secret: …"
    )


# --------------------------------------------------------------------------------------------------------------- OAuth


class Authority:
    """An authorization server and an API that accepts the newest token."""

    def __init__(self, *, seconds=3600, takes=("basic", "form"), token=None, status=200):
        self.seconds, self.takes, self.token, self.status = seconds, takes, token, status
        self.requests = []
        self.issued = 0
        self.is_closed = False

    def __call__(self, asked):
        self.requests.append(asked)
        if asked.path != "/token":
            is_known = not self.is_closed and asked.headers.get("authorization") == f"Bearer opaque-token-{self.issued}"
            return (200 if is_known else 401), JSON, json.dumps({"you": asked.headers.get("authorization")}).encode()
        way = "basic" if "authorization" in asked.headers else "form"
        if way not in self.takes:
            return 401, JSON, b'{"error": "invalid_client", "error_description": "unknown client"}'
        self.issued += 1
        said = {"access_token": f"opaque-token-{self.issued}", "token_type": "Bearer", "expires_in": self.seconds}
        return self.status, JSON, json.dumps(said if self.token is None else self.token).encode()

    @property
    def paths(self):
        return [asked.path for asked in self.requests]


def oauth_tool(url, client, scopes=("read", "write")):
    scheme = SecurityScheme("oauth", "oauth2", token_url=f"{url}/token")
    made = operation("/x", security=({"oauth": scopes},))
    return tool_for(made, url, credentials=credentials({"oauth": client}, oauth=scheme))


def test_token_is_requested_once_and_used_until_it_expires():
    authority = Authority()
    with http_server(authority) as url:
        tool = oauth_tool(url, OAuthClient("my id", "${SHOP_KEY}"))
        results = [tool.run({}) for _ in range(2)]
    assert authority.paths == ["/token", "/x", "/x"]
    asked = authority.requests[0]
    pair = b64encode(b"my+id:s3cret%2Fkey%2Bvalue").decode()
    assert (asked.method, asked.headers["authorization"]) == ("POST", f"Basic {pair}")
    assert asked.body == b"grant_type=client_credentials&scope=read+write"
    assert [one.structured for one in results] == [{"you": f"Bearer {'*' * 10}"}] * 2


def test_expired_token_is_replaced_before_it_is_refused():
    authority = Authority(seconds=10)
    with http_server(authority) as url:
        tool = oauth_tool(url, OAuthClient("me", "${SHOP_KEY}", ("only",)))
        assert all(tool.run({}).succeeded for _ in range(2))
    assert authority.paths == ["/token", "/x", "/token", "/x"]
    assert authority.requests[0].body == b"grant_type=client_credentials&scope=only"


def test_refused_token_is_replaced_once():
    authority = Authority()
    with http_server(authority) as url:
        tool = oauth_tool(url, OAuthClient("me", "${SHOP_KEY}"))
        assert tool.run({}).succeeded
        authority.issued += 1  # what the tool has is not the newest one any more
        assert tool.run({}).succeeded
        authority.is_closed = True
        assert tool.run({}).error_code == 401
    assert authority.paths == ["/token", "/x", "/x", "/token", "/x", "/x", "/token", "/x"]


def test_client_that_is_refused_in_a_header_is_sent_in_the_form():
    authority = Authority(takes=("form",))
    with http_server(authority) as url:
        assert oauth_tool(url, OAuthClient("me", "${SHOP_KEY}"), ()).run({}).succeeded
    assert (
        authority.requests[1].body == b"grant_type=client_credentials&client_id=me&client_secret=s3cret%2Fkey%2Bvalue"
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"takes": ()}, "unknown client"),
        ({"token": {"error": f"no {KEY}"}}, "no **********"),
        ({"token": ["odd"], "status": 503}, "HTTP 503 Service Unavailable"),
        ({"token": {"access_token": "a\r\nX-Evil: 1"}}, "HTTP 200 OK"),
        ({"token": {"access_token": 7}}, "HTTP 200 OK"),
        ({"token": None, "status": 302, "seconds": None, "takes": ()}, "unknown client"),
    ],
)
def test_call_without_a_token_fails_with_the_reason(options, reason):
    with http_server(Authority(**options)) as url:
        result = oauth_tool(url, OAuthClient("me", "${SHOP_KEY}")).run({})
    assert (result.error, result.error_code) == (f"no token from {url}/token: {reason}", "access_denied")


@pytest.mark.parametrize("address", ["http://login.example/token", "ftp://login.example/token", "/token"])
def test_secret_of_a_client_is_only_sent_encrypted(address):
    made, scheme = operation("/x", security=({"oauth": ()},)), SecurityScheme("oauth", "oauth2", token_url=address)
    auth = credentials({"oauth": OAuthClient("me", "${SHOP_KEY}")}, oauth=scheme)
    with pytest.raises(ConfigurationError) as raised:
        tool_for(made, "https://api.example", credentials=auth).run({})
    assert str(raised.value) == (
        f"the API 'shop': 'auth.oauth' cannot be used: '{address}' is not encrypted, "
        "and the secret of a client is only sent to https://"
    )


def test_secret_of_a_client_does_not_follow_a_redirect():
    elsewhere = []
    with (
        http_server(recording(elsewhere, (200, JSON, b'{"access_token": "t0ken-elsewhere"}'))) as evil,
        http_server(lambda _: (307, {"Location": f"{evil}/token"}, b"")) as url,
    ):
        result = oauth_tool(url, OAuthClient("me", "${SHOP_KEY}")).run({})
    assert (result.error, elsewhere) == (f"no token from {url}/token: HTTP 307 Temporary Redirect", [])


# ------------------------------------------------------------------------------------------------------------- secrecy


@pytest.mark.parametrize("status", [200, 302, 401, 422, 500])
def test_no_secret_is_seen_anywhere(status, caplog):
    authority = Authority()

    def echoing(asked):
        if asked.path == "/token":
            return authority(asked)
        authority.requests.append(asked)
        everything = json.dumps({"title": asked.path, "detail": dict(asked.headers)["cookie"], **asked.headers})
        return (
            status,
            {**JSON, "Location": f"/elsewhere?{asked.headers['cookie']}", "Link": asked.path},
            everything.encode(),
        )

    with http_server(echoing) as url:
        names = ["header", "query", "cookie", "oauth"]
        oauth = SecurityScheme("oauth", "oauth2", token_url=f"{url}/token")
        auth = {**dict.fromkeys(names, "${SHOP_KEY}"), "oauth": OAuthClient("me", "${SHOP_KEY}")}
        made = operation("/x", method="POST", security=(dict.fromkeys(names, ()),))
        spec = ToolSpec("op", "An operation", {"type": "object", "properties": {}}, requires_approval=True)
        options = {"credentials": credentials(auth, oauth=oauth), "headers": {"X-Fixed-Key": "${SHOP_KEY}"}}
        tool = tool_for(made, url, spec=spec, **options)
        events, reviewer = [], ScriptedReviewer([Continue()])
        with caplog.at_level(logging.DEBUG):
            result = tool.run({}, ToolContext(reviewer=reviewer, listener=events.append))
    asked = authority.requests[-1]
    assert (asked.headers["x-key"], asked.headers["x-fixed-key"], asked.headers["cookie"]) == (
        KEY,
        KEY,
        f"session={KEY}",
    )
    assert (asked.path, asked.headers["authorization"]) == (
        "/x?api_key=s3cret%2Fkey%2Bvalue",
        f"Bearer opaque-token-{authority.issued}",
    )
    assert len(reviewer.requests) == 1
    places = [repr(result), result.text, repr(result.structured), repr(events), caplog.text, repr(reviewer.requests)]
    places += [repr(tool), repr(vars(tool)), repr(tool.spec), repr(tool.uses), tool.preview({}, ToolContext())]
    forms = [
        KEY,
        json.dumps(KEY)[1:-1],
        "s3cret%2Fkey%2Bvalue",
        "opaque-token-",
        b64encode(f"me:{KEY}".encode()).decode(),
    ]
    hits = [(form, place) for place in places for form in forms if form in place]
    assert hits == []


def test_secret_is_kept_in_the_keyring_too(tmp_path):
    with stored_in(tmp_path / "keyring.json", {"shop": "from-the-keyring"}):
        asked, result = asked_with({"bearer": "${keyring:shop}"}, {"bearer": ()}, answer=(200, {}, b"from-the-keyring"))
        with pytest.raises(ConfigurationError) as raised:
            asked_with({"bearer": "${keyring:other}"}, {"bearer": ()})
    assert (asked.headers["authorization"], result.output) == ("Bearer from-the-keyring", "*" * 10)
    assert str(raised.value) == (
        "the API 'shop': 'auth.bearer' needs the keyring entry 'other', which is not set; "
        "store it with `keyring set toolkit-secrets other`"
    )


def test_keyring_that_cannot_be_read_is_named():
    with pytest.raises(ConfigurationError, match="needs the keyring entry 'shop', which cannot be read"):
        asked_with({"bearer": "${keyring:shop}"}, {"bearer": ()})
