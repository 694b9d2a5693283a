"""An operation is a tool: what is shown is what is sent, to the one server that the user has agreed to."""

import json
import re
from contextlib import ExitStack
from dataclasses import replace
from threading import Event

import anyio
import pytest

from tests.http_servers import http_server
from tests.mcp.served import in_this_process
from tests.openapi.made_operations import operation, parameter, recording, tool_for
from toolkit import Continue, Edit, ToolContext, ToolSpec
from toolkit.approvals import AllowAll, ScriptedReviewer
from toolkit.errors import ConfigurationError, ToolArgumentsError
from toolkit.mcp import Options, Rules
from toolkit.openapi import (
    Answer,
    ApiDocument,
    Body,
    Credentials,
    OAuthClient,
    OperationTool,
    SecurityScheme,
    ServerAccess,
    base_of,
    consent_to,
    spec_of,
)
from toolkit.openapi.api_settings import ApiSettings  # private
from toolkit.openapi.api_tools import Api  # private
from toolkit.problems import Location

JSON = {"Content-Type": "application/json"}
ORDER = operation(
    "/shops/{shop}/orders",
    parameter("shop", "path"),
    parameter("dry", argument="dry_run"),
    parameter("X-Team", "header", argument="team"),
    method="POST",
    body=Body("application/json", {}, True, members={"item": "item", "count": "count"}),
    security=({"key": (), "query": (), "session": ()},),
)
SPEC = ToolSpec(
    "order",
    "Orders something",
    {
        "type": "object",
        "properties": {
            "shop": {"type": "string"},
            "dry_run": {"type": "boolean"},
            "team": {"type": "string"},
            "item": {"type": "string"},
            "count": {"type": "integer"},
        },
        "required": ["shop", "item"],
    },
    requires_approval=True,
)
CREDENTIALS = Credentials(
    "shop",
    {
        "key": SecurityScheme("key", "apiKey", parameter="X-Key", place="header"),
        "query": SecurityScheme("query", "apiKey", parameter="k", place="query"),
        "session": SecurityScheme("session", "apiKey", parameter="sid", place="cookie"),
    },
    dict.fromkeys(["key", "query", "session"], "${SHOP_KEY}"),
)


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SHOP_KEY", "s3cret-key-value")


@pytest.fixture
def served():
    """Return what runs a server that records requests: its address and the requests."""
    with ExitStack() as stack:

        def start(*answers):
            requests = []
            answer = recording(requests, *(answers or [(200, JSON, b'{"ok": true}')]))
            return stack.enter_context(http_server(answer)), requests

        yield start


def test_server_receives_exactly_what_was_shown(served):
    url, requests = served()
    tool = tool_for(ORDER, f"{url}/v1", spec=SPEC, credentials=CREDENTIALS, headers={"X-Client": "toolkit"})
    reviewer = ScriptedReviewer([Edit({"shop": "a/b", "item": "blé", "count": 2, "dry_run": True, "team": "blue"})])
    result = tool.run({"shop": "x", "item": "rye"}, ToolContext(reviewer=reviewer))
    [asked], [question] = requests, reviewer.requests
    assert (result.output, result.structured) == ('{"ok": true}', {"ok": True})
    assert question.preview == (
        f"HTTP POST {url}/v1/shops/x/orders?k=${{SHOP_KEY}}\n"
        "Accept: application/json, */*;q=0.1\n"
        "Content-Type: application/json\n"
        "X-Client: toolkit\n"
        "X-Key: ${SHOP_KEY}\n"
        "Cookie: sid=${SHOP_KEY}\n"
        "\n"
        '{"item":"rye"}'
    )
    assert tool.uses == {
        "endpoint": f"POST {url}/v1/shops/{{shop}}/orders",
        "header X-Client": "toolkit",
        "header X-Key": "${SHOP_KEY}",
        "query k": "${SHOP_KEY}",
        "cookie sid": "${SHOP_KEY}",
    }
    assert (asked.method, asked.path) == ("POST", "/v1/shops/a%2Fb/orders?dry=true&k=s3cret-key-value")
    assert asked.body == '{"item":"blé","count":2}'.encode()
    assert asked.headers == {
        "host": url.removeprefix("http://"),
        "content-length": "25",
        "user-agent": "toolkit",
        "accept": "application/json, */*;q=0.1",
        "accept-encoding": "gzip",
        "connection": "close",
        "content-type": "application/json",
        "x-team": "blue",
        "x-client": "toolkit",
        "x-key": "s3cret-key-value",
        "cookie": "sid=s3cret-key-value",
    }


def test_body_that_is_not_text_is_shown_by_its_size():
    made = operation("/x", method="PUT", body=Body("image/png", {}, True, "body"))
    preview = tool_for(made, "https://api.example").preview(
        {"body": "data:image/png;base64,iVBORw0KGgo="}, ToolContext()
    )
    assert preview.split("\n\n") == [
        "HTTP PUT https://api.example/x\nAccept: application/json, */*;q=0.1\nContent-Type: image/png",
        "<8 bytes that are not text>",
    ]


def test_bad_arguments_reach_neither_reviewer_nor_server(served):
    url, requests = served()
    reviewer = ScriptedReviewer([Continue()] * 3)
    tool = tool_for(ORDER, url, spec=SPEC, credentials=CREDENTIALS)
    context = ToolContext(reviewer=reviewer)
    results = [
        tool.run(arguments, context)
        for arguments in ({"shop": "x"}, {"shop": "..", "item": "x"}, {"shop": "x", "item": "y", "team": "\n"})
    ]
    assert [result.error_code for result in results] == ["invalid_arguments"] * 3
    assert (requests, reviewer.requests) == ([], [])


@pytest.mark.parametrize("chosen_by", ["person", "model"])
def test_unknown_argument_is_refused_since_it_could_have_been_a_filter(served, chosen_by):
    url, requests = served()
    made = operation("/x", parameter("before"), method="DELETE")
    reviewer = ScriptedReviewer([Continue()])
    context = ToolContext(reviewer=reviewer, chosen_by=chosen_by)
    result = tool_for(made, url).run({"befor": "2020", "other": 1}, context)
    assert (result.error, result.error_code, requests, reviewer.requests) == (
        "Unknown parameter 'befor': did you mean 'before'?; Unknown parameter 'other': there is no similar one",
        "invalid_arguments",
        [],
        [],
    )
    assert (
        tool_for(operation("/x"), url).run({"other": 1}).error == "Unknown parameter 'other': there is no similar one"
    )


def test_edit_that_leads_elsewhere_is_refused(served):
    url, requests = served()
    reviewer = ScriptedReviewer([Edit({"shop": "../../admin", "item": "x"})])
    result = tool_for(ORDER, url, spec=SPEC, credentials=CREDENTIALS).run(
        {"shop": "x", "item": "y"}, ToolContext(reviewer=reviewer)
    )
    assert (result.error_code, requests) == ("invalid_arguments", [])


def test_server_that_is_not_there_is_a_failure_of_the_network():
    result = tool_for(operation("/x"), "http://127.0.0.1:9").run({})
    assert (result.error, result.error_code) == (
        "HTTP request failed: cannot connect to 127.0.0.1: connection refused",
        "network",
    )


def test_time_of_a_request_is_limited(served):
    ended = Event()
    with http_server(lambda _: (ended.wait(10), (200, {}, b""))[1]) as url:
        result = tool_for(operation("/x"), url, timeout=0.2).run({})
        ended.set()
    assert (result.error, result.error_code) == ("HTTP request failed: no complete answer within 200ms", "timeout")


# ------------------------------------------------------------------------------------------------------------- attacks


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]", "2130706433"])
def test_address_of_this_machine_is_only_reached_if_the_settings_allow_it(served, host):
    url, requests = served()
    port = url.rpartition(":")[2]
    result = tool_for(operation("/x"), base_of([f"http://{host}:{port}"]), allow_private=False).run({})
    reason, hint = result.error.split("; ")
    assert re.fullmatch(r"HTTP request failed: refused: \S+ (is|leads to) a loopback address", reason)
    assert hint == "to allow it, write allow_private = true in the table [openapi.shop] of the configuration"
    assert (result.error_code, requests) == ("access_denied", [])


def test_name_that_leads_to_this_machine_is_refused(served):
    url, requests = served()
    base = f"http://api.example:{url.rpartition(':')[2]}"
    for allowed in (False, True):
        tool = tool_for(operation("/x"), base, allow_private=allowed, resolve=lambda *_: ["127.0.0.1"])
        assert tool.run({}).succeeded is allowed
    assert len(requests) == 1


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE"])
def test_no_credential_follows_a_redirect_to_another_origin(served, status, method):
    evil, stolen = served()
    url, _ = served((status, {"Location": f"{evil}/v1/pets"}, b""))
    made = operation("/pets", method=method, security=CREDENTIALS_NEEDED)
    result = tool_for(made, f"{url}/v1", credentials=CREDENTIALS, headers={"X-Fixed": "${SHOP_KEY}"}).run({})
    assert (result.error_code, stolen) == (status, [])
    assert result.error.endswith(f"it redirects to {evil}/v1/pets, which is not followed")


CREDENTIALS_NEEDED = ({"key": (), "query": (), "session": ()},)


@pytest.mark.parametrize(
    "target",
    ["/admin", "/v1", "/v12/x", "/v1/../admin", "/v1/%2e%2e/admin", "/v1/..%2fadmin", "//127.0.0.2/v1/x", "ftp://x/"],
)
def test_redirect_that_leaves_the_prefix_is_not_followed(served, target):
    url, requests = served((302, {"Location": target}, b""), (200, JSON, b"{}"))
    result = tool_for(operation("/pets"), f"{url}/v1").run({})
    assert not result.succeeded
    assert [asked.path for asked in requests] == ["/v1/pets"]


def test_redirect_below_the_prefix_is_followed_with_the_credentials(served):
    url, requests = served((307, {"Location": "/v1/pets/?page=1"}, b""), (200, JSON, b"[]"))
    made = operation("/pets", security=({"key": ()},))
    assert tool_for(made, f"{url}/v1", credentials=CREDENTIALS).run({}).output == "[]"
    assert [(asked.path, asked.headers["x-key"]) for asked in requests] == [
        (path, "s3cret-key-value") for path in ("/v1/pets", "/v1/pets/?page=1")
    ]


def test_redirect_of_a_change_is_not_repeated(served):
    url, requests = served((307, {"Location": "/v1/other"}, b""))
    result = tool_for(operation("/pets", method="POST"), f"{url}/v1").run({})
    assert result.error == "HTTP 307 Temporary Redirect: it redirects to /v1/other, which is not followed"
    assert len(requests) == 1


def test_redirects_end(served):
    url, requests = served((302, {"Location": "/v1/pets"}, b""))
    result = tool_for(operation("/pets"), f"{url}/v1").run({})
    assert (result.error, len(requests)) == ("HTTP request failed: more than 5 redirects", 6)


ENDPOINTS = frozenset(
    {"GET /users/{id}", "GET /users/{id}/secrets/{name}.json", "DELETE /users/{id}/key", "GET /keys/"}
)


@pytest.mark.parametrize(
    ("method", "path", "value", "other"),
    [
        ("GET", "/users/{id}", "7/secrets/a.json", "GET /users/{id}/secrets/{name}.json"),
        ("GET", "/users/{id}", "7/secrets/a.json/", "GET /users/{id}/secrets/{name}.json"),
        ("DELETE", "/users/{id}", "7/key", "DELETE /users/{id}/key"),
        ("DELETE", "/users/{id}", "7%2fkey", "DELETE /users/{id}/key"),
        ("GET", "/users/{id}", "7/key", None),
        ("GET", "/users/{id}", "7/secrets/a.xml", None),
        ("GET", "/users/{id}", "7", None),
        ("GET", "/users/{id}/secrets/{name}.json", "7", None),
        ("GET", "/{id}", "keys/", "GET /keys/"),
    ],
)
def test_slash_in_a_value_cannot_reach_another_operation(served, method, path, value, other):
    url, requests = served()
    made = operation(path, parameter("id", "path"), parameter("name", "path"), method=method)
    result = tool_for(made, f"{url}/v1", endpoints=ENDPOINTS).run({"id": value, "name": "a"})
    message = f"The arguments cannot be sent: their '/' could make it the path of '{other}'"
    assert (result.error, len(requests)) == ((None, 1) if other is None else (message, 0))


@pytest.mark.parametrize(
    "value",
    [
        "../admin",
        "..%2fadmin",
        "%2e%2e/admin",
        "..;/admin",
        "..\\admin",
        "a\r\nX-Evil: 1",
        "?x=1",
        "#",
        "@evil",
        "//evil",
    ],
)
def test_server_sees_no_other_path_host_or_header(served, value):
    url, requests = served()
    made = operation(
        "/pets/{id}",
        parameter("id", "path"),
        parameter("q"),
        parameter("c", "cookie"),
        parameter("X-H", "header", argument="h"),
    )
    tool = tool_for(made, f"{url}/v1")
    tool.run({"id": value, "q": value, "c": value, "h": value})
    tool.run({"id": value})
    tool.run({"id": "1", "q": {value: value}, "c": value})
    for asked in requests:
        assert re.match(r"/v1/pets/[^/?#\\]+(\?[^/#\\]*)?$", asked.path)
        assert asked.headers["host"] == url.removeprefix("http://")
        assert {"x-evil", "x"} & asked.headers.keys() == set()
    assert requests


# ------------------------------------------------------------------------------------------------------------- servers


@pytest.mark.parametrize(
    ("servers", "document", "base"),
    [
        (["https://API.example:443/v1/"], None, "https://api.example/v1"),
        (["http://api.example:8080", "https://other"], None, "http://api.example:8080"),
        (["https://bücher.example/ä b"], None, "https://xn--bcher-kva.example/%C3%A4%20b"),
        (["https://[::1]:8000/"], None, "https://[::1]:8000"),
        (["/v1"], "https://api.example/docs/openapi.json", "https://api.example/v1"),
        (["v1"], "https://api.example/docs/openapi.json", "https://api.example/docs/v1"),
        ([], "https://api.example/docs/openapi.json", "https://api.example"),
        (["//other.example/v1"], "https://api.example/openapi.json", "https://other.example/v1"),
    ],
)
def test_address_of_a_server_has_one_form(servers, document, base):
    assert base_of(servers, document) == base


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ("/v1", "it names no host"),
        ("", "it names no host"),
        ("ftp://api.example", "it must begin with http:// or https:// and name a host"),
        ("file:///etc/passwd", "it must begin with http:// or https:// and name a host"),
        ("//api.example/v1", "it must begin with http:// or https:// and name a host"),
        ("https://", "it must begin with http:// or https:// and name a host"),
        ("https://evil.example\\.api.example", "it must begin with http:// or https:// and name a host"),
        ("https://a b.example", "it must begin with http:// or https:// and name a host"),
        ("https://me:pw@api.example", "it contains a user name or password"),
        ("https://api.example@evil.example", "it contains a user name or password"),
        ("https://{host}.example/v1", "it has a variable"),
        ("https://${HOST}/v1", "it has a variable"),
        ("https://api.example/v1?x=", "it must not have a query, a fragment or '..'"),
        ("https://api.example/v1#x", "it must not have a query, a fragment or '..'"),
        ("https://api.example/v1/..", "it must not have a query, a fragment or '..'"),
        ("https://api.example/%2e%2e/v1", "it must not have a query, a fragment or '..'"),
        ("https://api.example:port", "it is not a URL (Port could not be cast to integer value as 'port')"),
    ],
)
def test_server_that_cannot_be_used_is_an_error(server, reason):
    with pytest.raises(ConfigurationError) as raised:
        base_of([server])
    assert str(raised.value) == (
        f"the server '{server}' cannot be used: {reason}; "
        "set 'server' to the address of the API, such as 'https://api.example.com/v1'"
    )


@pytest.mark.parametrize("base", ["https://api.example", "https://api.example/v1", "http://127.0.0.1:8080/a%20b"])
def test_every_base_keeps_requests_below_itself(base):
    tool = tool_for(operation("/pets/{id}", parameter("id", "path")), base)
    assert tool.preview({"id": "a b"}, ToolContext()).startswith(f"HTTP GET {base}/pets/a%20b\n")
    with pytest.raises(ToolArgumentsError):
        tool.preview({"id": ".."}, ToolContext())


# ------------------------------------------------------------------------------------------------------------- consent


TOKENS, EVIL = "https://login.example/token", "https://evil.example"
ACCESS = ServerAccess(
    name="shop",
    base="https://api.example/v1",
    headers={"X-Team": "blue", "X-Token": "${TEAM_TOKEN}"},
    credentials=Credentials(
        "shop",
        {
            "oauth": SecurityScheme("oauth", "oauth2", token_url=TOKENS),
            "key": SecurityScheme("key", "apiKey"),
        },
        {"oauth": OAuthClient("me", "${CLIENT_SECRET}", ("read",)), "key": "${SHOP_KEY}"},
    ),
    allow_private=True,
)


def test_servers_that_the_user_has_chosen_need_no_consent():
    assert consent_to([ACCESS], "openapi.yaml", "user") is None


def test_consent_shows_everything_that_determines_where_requests_go():
    other = replace(ACCESS, base="https://files.example")
    consent = consent_to([ACCESS, other, ACCESS], "openapi.yaml", "project", Location("/project/toolkit.toml", 3, 1))
    assert consent.shown == {
        "document": "openapi.yaml",
        "servers": ["https://api.example/v1", "https://files.example"],
        "headers": {"X-Team": "blue", "X-Token": "${TEAM_TOKEN}"},
        "auth": {
            "oauth": {"client_id": "me", "client_secret": "${CLIENT_SECRET}", "scopes": ["read"]},
            "key": "${SHOP_KEY}",
        },
        "tokens from": ["https://login.example/token"],
        "private addresses": True,
    }
    assert (consent.name, consent.question) == (
        "openapi.shop",
        "Send requests to https://api.example/v1, https://files.example for the API 'shop' from /project/toolkit.toml:3:1?",
    )
    assert (consent.refusal.message, consent.refusal.hint) == (
        (
            "the API 'shop' of this project needs your consent before it is used: https://api.example/v1, "
            "https://files.example, with TEAM_TOKEN, CLIENT_SECRET, SHOP_KEY"
        ),
        "to allow it: --consent openapi.shop, or TOOLKIT_CONSENT=openapi.shop",
    )


def test_any_change_needs_consent_again():
    oauth = ACCESS.credentials.schemes["oauth"]

    def identity(access, document="openapi.yaml"):
        return consent_to([access], document, "project").identity

    changed = [
        replace(ACCESS, base="https://api.example/v2"),
        replace(ACCESS, base="http://api.example/v1"),
        replace(ACCESS, headers={**ACCESS.headers, "X-More": "x"}),
        replace(ACCESS, allow_private=False),
        replace(ACCESS, credentials=replace(ACCESS.credentials, auth={"key": "${OTHER_KEY}"})),
        replace(
            ACCESS,
            credentials=replace(ACCESS.credentials, schemes={"oauth": replace(oauth, token_url=EVIL)}),
        ),
    ]
    identities = [identity(ACCESS), *map(identity, changed), identity(ACCESS, "other.yaml")]
    assert len({*identities}) == len(identities)
    assert identity(replace(ACCESS, timeout=5.0)) == identity(ACCESS)


def test_note_about_the_next_page_reaches_the_model(served):
    url, _ = served((200, {**JSON, "Link": '<?page=2>; rel="next"'}, b"[1]"))
    result = tool_for(operation("/x", parameter("page", schema={"type": "integer"})), url).run({})
    assert result.text == 'There is another page: call this again with the same arguments and {"page": 2}.\n[1]'
    assert json.loads(result.output) == [1]


def test_tool_is_created_without_reading_anything(monkeypatch):
    monkeypatch.delenv("SHOP_KEY")
    tool = OperationTool(SPEC, ORDER, ServerAccess(name="shop", base="https://api.example", credentials=CREDENTIALS))
    assert (tool.name, tool.spec.requires_approval, tool.uses["header X-Key"]) == ("order", True, "${SHOP_KEY}")


JSON_OF, OTHER_JSON, TEXT_OF = (
    {"application/json": {"type": "object"}},
    {"text/json": {"type": "array"}},
    {"text/plain": {}},
)


@pytest.mark.parametrize(
    ("answers", "promised"),
    [
        ({"200": JSON_OF}, {"type": "object"}),
        ({"200": JSON_OF, "201": JSON_OF, "404": OTHER_JSON, "default": TEXT_OF}, {"type": "object"}),
        ({"2XX": {**TEXT_OF, **JSON_OF}}, {"type": "object"}),
        ({"default": JSON_OF, "404": {}}, {"type": "object"}),
        ({"200": JSON_OF, "204": {}}, None),
        ({"200": JSON_OF, "202": OTHER_JSON}, None),
        ({"200": TEXT_OF}, None),
        ({"404": JSON_OF}, None),
        ({}, None),
    ],
)
def test_data_is_only_promised_if_every_success_has_it(answers, promised):
    made = operation("/x", answers={status: Answer("", schemas) for status, schemas in answers.items()})
    assert spec_of(made, source="shop.yaml").output_schema == promised


def test_tools_of_a_document_know_all_its_operations(tmp_path):
    get = {"get": {"responses": {}}}
    paths = {"/users/{id}": {**get, "parameters": []}, "/users/{id}/key": {"delete": {}, **get}}
    file = tmp_path / "api.json"
    file.write_text(
        json.dumps({"openapi": "3.1.0", "info": {}, "servers": [{"url": "https://a.example"}], "paths": paths})
    )
    api = Api(ApiDocument(file), ApiSettings("shop", str(file), include=("GET /users/{id}",), owner="user"))
    [tool] = api.tools()
    assert tool.access.endpoints == {"GET /users/{id}", "GET /users/{id}/key", "DELETE /users/{id}/key"}
    with pytest.raises(ToolArgumentsError) as raised:
        tool.check({"id": "7/key"}, ToolContext())
    assert str(raised.value) == (
        "The arguments cannot be sent: their '/' could make it the path of 'GET /users/{id}/key'"
    )


# --------------------------------------------------------------------------------------------------- answers that differ

COUNTED = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
NOTE = (
    "The call succeeded (HTTP 201 Created): do not repeat it because its answer differs from what the document declares: "
    "'count' must be a whole number, not \"many\"."
)


def counting(url, method):
    made = operation("/pots", method=method, answers={"201": Answer("", {"application/json": COUNTED})})
    return tool_for(made, url, spec=spec_of(made, source="shop.yaml"))


def test_answer_that_the_document_does_not_declare_is_no_failure(served):
    url, requests = served((201, JSON, b'{"count": "many"}'), (201, JSON, b'{"count": 3}'), (201, {}, b""))
    tool = counting(url, "POST")
    results = [tool.run({}, ToolContext(reviewer=ScriptedReviewer([Continue()]))) for _ in range(3)]
    assert [(one.succeeded, one.structured) for one in results] == [
        (True, {"count": "many"}),
        (True, {"count": 3}),
        (True, None),
    ]
    assert [one.note.partition(": do not repeat it")[0] for one in results] == [
        "The call succeeded (HTTP 201 Created)",
        "",
        "The call succeeded (HTTP 201 Created)",
    ]
    assert (results[0].note, len(requests)) == (NOTE, 3)


def test_answer_to_a_read_is_passed_on_as_it_is(served):
    url, _ = served((201, JSON, b'{"count": "many"}'))
    assert counting(url, "GET").run({}).text == '{"count": "many"}'


def test_answer_that_the_document_does_not_declare_is_no_failure_for_a_client_either(served):
    url, _ = served((201, JSON, b'{"count": "many"}'))

    async def talk():
        options = Options(rules=Rules(policy=AllowAll("test")))
        async with in_this_process([counting(url, "POST")], options=options) as (_, client):
            [offered] = (await client.list_tools()).tools
            return offered, await client.call_tool(offered.name, {})

    offered, done = anyio.run(talk)
    texts = [block.text for block in done.content]
    assert (offered.output_schema, done.is_error, texts) == (None, False, ['{"count": "many"}', NOTE])
