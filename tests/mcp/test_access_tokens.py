"""Our server over HTTP as an OAuth protected resource of a real authorization server: whom it lets in, to which tools."""

import asyncio
import base64
import json
import time
from contextlib import contextmanager
from hashlib import sha256
from hmac import digest
from urllib.parse import parse_qs, urlsplit

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from mcp.client.auth import OAuthClientProvider
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

from tests.mcp.authorization_server import AuthorizationServer
from tests.mcp.raw import HELLO, RawHttp, message
from tests.mcp.served import over_http
from tests.mcp.test_serving_command import run

SHOP = '''
from toolkit import tool, toolbox

@tool(read_only=True)
def order(number: str) -> str:
    """Look an order up."""
    return f"order {number}"

@tool(read_only=True)
def refund(number: str) -> str:
    """Pay an order back."""
    return f"paid back {number}"

@tool(read_only=True)
def stock() -> str:
    """Count what is there."""
    return "many"

@toolbox(description="What the office needs.")
class Office:
    @tool(read_only=True)
    def letters(self) -> str:
        """Read the letters."""
        return "dear shop"

    @tool(read_only=True)
    def salaries(self) -> str:
        """Read who earns what."""
        return "too little"
'''
SETTINGS = """
[groups.paying]
tools = ["refund"]

[serve.auth]
issuer = "{issuer}"

[serve.auth.scopes]
"shop.read" = ["order", "sto*"]
"shop.pay" = ["paying"]
"office" = ["Office", "letters"]
"""
TOKEN = "0123456789abcdef0123"  # noqa: S105 - of no server that anybody reaches
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": HELLO["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Shop:
    """A served shop, and the authorization server that it trusts."""

    def __init__(self, issuer, url):
        self.issuer, self.url, self.place = issuer, url, urlsplit(url)

    def client(self, token=None):
        """Return a client that sends a token."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return RawHttp(self.place.hostname, self.place.port, headers=headers)

    def token(self, scope="shop.read", **claims):
        return self.issuer.issue(scope, self.url, **claims)

    def tools(self, token):
        """Return the names of the tools that the holder of a token is shown, by a client with a session."""
        client = self.client(token)
        client.shake_hands()
        _, _, answer = client.ask(message("tools/list", 1))
        return [tool["name"] for tool in answer["result"]["tools"]]

    def call(self, token, tool, **arguments):
        """Call a tool in the stateless protocol; return the status, the headers and the answer."""
        headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool}
        said = message("tools/call", 1, name=tool, arguments=arguments, _meta=STATELESS)
        return self.client(token).ask(said, headers=headers)

    def challenge(self, token):
        """Return the status of a request, and what its answer says about the token that it needs."""
        status, headers, _ = self.client(token).ask(message("ping", 1))
        return status, headers.get("www-authenticate", "").replace(self.url.removesuffix("/mcp"), "HERE")


@contextmanager
def shop(folder, issuer, settings=SETTINGS, **variables):
    (folder / "shop.py").write_text(SHOP, "utf-8")
    (folder / "toolkit.toml").write_text(settings.format(issuer=issuer.issuer), "utf-8")
    with over_http(folder, "shop.py", **variables) as (_, url):
        yield Shop(issuer, url)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with AuthorizationServer() as issuer, shop(tmp_path_factory.mktemp("shop"), issuer) as found:
        yield found


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("scope", "tools"),
    [
        ("shop.read", ["order", "stock"]),
        ("shop.pay", ["refund"]),
        ("shop.read shop.pay unknown", ["order", "refund", "stock"]),
        ("", []),
        ("office", ["Office"]),
    ],
)
def test_token_shows_the_tools_of_its_scopes(served, scope, tools):
    assert served.tools(served.token(scope)) == tools


@pytest.mark.proof(everyday=1)
def test_scopes_in_a_list_count_too(served):
    assert served.tools(served.token(None, scp=["shop.pay"])) == ["refund"]


@pytest.mark.proof(everyday=1)
def test_tool_of_a_scope_is_called_and_another_needs_more(served):
    token = served.token()
    status, _, answer = served.call(token, "order", number="7")
    assert (status, answer["result"]["content"][0]["text"]) == (200, "order 7")
    status, headers, answer = served.call(token, "refund", number="7")
    why = "the access token does not allow this tool"
    assert (status, answer) == (403, {"error": "insufficient_scope", "error_description": why})
    assert headers["www-authenticate"] == (
        f'Bearer error="insufficient_scope", error_description="{why}", scope="shop.read shop.pay", '
        f'resource_metadata="{served.url.removesuffix("/mcp")}/.well-known/oauth-protected-resource/mcp"'
    )
    session = served.client(token)
    session.shake_hands()
    assert session.ask(message("tools/call", 1, name="refund", arguments={"number": "7"}))[0] == 403


NEEDED = 'resource_metadata="HERE/.well-known/oauth-protected-resource/mcp"'


def refused(why):
    return 401, f'Bearer error="invalid_token", error_description="the access token is not valid: {why}", {NEEDED}'


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"aud": "https://other.example/mcp"}, "it was issued for another server"),
        ({"aud": None}, "it has no claim 'aud'"),
        ({"iss": "https://other.example"}, "it is from another issuer"),
        ({"iss": None}, "it has no claim 'iss'"),
        ({"exp": 1_700_000_000}, "it has expired"),
        ({"exp": None}, "it has no claim 'exp'"),
        ({"nbf": 4_000_000_000}, "it is not valid yet"),
    ],
    ids=str,
)
def test_token_that_says_something_else_is_refused(served, claims, why):
    assert served.challenge(served.token(**claims)) == refused(why)


@pytest.mark.proof(everyday=1)
def test_clocks_may_differ_a_little(served):
    now = int(time.time())
    assert served.tools(served.token(exp=now - 5, nbf=now + 5)) == ["order", "stock"]


def forged(served, header, key):
    """Return a token with valid claims, but another header or key."""
    payload = jwt.decode(served.token(), options={"verify_signature": False})
    return jwt.encode(payload, key, algorithm=header["alg"], headers=header)


def with_shared_secret(served):
    """Return a token whose signature takes the published key for a shared secret."""
    public = served.issuer.key.as_pem(private=False)
    head = base64.urlsafe_b64encode(
        json.dumps({"alg": "HS256", "typ": "at+jwt", "kid": served.issuer.key.kid}).encode()
    )
    body = served.token().split(".")[1]
    said = head.rstrip(b"=") + b"." + body.encode()
    return f"{said.decode()}.{base64.urlsafe_b64encode(digest(public, said, sha256)).rstrip(b'=').decode()}"


@pytest.mark.proof(everyday=1)
def test_forged_tokens_are_refused(served):
    kid = served.issuer.key.kid
    foreign = ec.generate_private_key(ec.SECP256R1())
    unsigned = forged(served, {"alg": "none"}, None)
    head, body, signature = served.token().split(".")
    other = jwt.encode({"scope": "shop.pay"}, foreign, algorithm="ES256").split(".")[1]
    not_accepted, no_key = "its signature algorithm is not accepted", "no key of the issuer has signed it"
    assert {
        "unsigned": served.challenge(unsigned),
        "shared secret": served.challenge(with_shared_secret(served)),
        "key of somebody else": served.challenge(forged(served, {"alg": "ES256", "kid": kid}, foreign)),
        "other claims": served.challenge(f"{head}.{other}.{signature}"),
        "no signature": served.challenge(f"{head}.{body}."),
        "an identity": served.challenge(forged(served, {"alg": "ES256", "kid": kid, "typ": "logout+jwt"}, foreign)),
        "no JWT": served.challenge("abc"),
    } == {
        "unsigned": refused(not_accepted),
        "shared secret": refused(not_accepted),
        "key of somebody else": refused(no_key),
        "other claims": refused(no_key),
        "no signature": refused(no_key),
        "an identity": refused("it is not an access token"),
        "no JWT": refused("it is not a JWT"),
    }


@pytest.mark.proof(everyday=1)
def test_request_without_a_token_learns_where_to_sign_in(served):
    assert served.challenge(None) == (401, f'Bearer scope="shop.read", {NEEDED}')
    status, _, _ = served.client().ask(message("ping", 1), headers={"Authorization": "Basic YTpi"})
    assert status == 401
    assert served.client().ask(b"", method="GET")[0] == 401


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("path", ["", "/mcp"])
def test_metadata_says_who_issues_tokens(served, path):
    status, _, answer = served.client().ask(b"", method="GET", path=f"/.well-known/oauth-protected-resource{path}")
    assert (status, answer) == (
        200,
        {
            "resource": served.url,
            "authorization_servers": [f"{served.issuer.issuer}"],
            "scopes_supported": ["shop.read", "shop.pay", "office"],
            "bearer_methods_supported": ["header"],
            "resource_name": "toolkit",
        },
    )


@pytest.mark.proof(everyday=1)
def test_session_belongs_to_whoever_began_it(served):
    session = served.client(served.token())
    session.shake_hands()
    session.headers["Authorization"] = f"Bearer {served.token(sub='eve')}"
    assert session.ask(message("tools/list", 1))[0] == 404
    session.headers["Authorization"] = f"Bearer {served.token('shop.pay')}"
    _, _, answer = session.ask(message("tools/list", 1))
    assert [tool["name"] for tool in answer["result"]["tools"]] == ["refund"]


@pytest.mark.proof(everyday=1)
def test_facades_and_searches_show_only_tools_of_the_scopes(served):
    token = served.token("office")
    _, _, revealed = served.call(token, "Office")
    _, _, found = served.call(token, "search_tools", query="read who earns what")
    _, _, called = served.call(token, "call_tool", name="Office.salaries", arguments={})
    assert "letters" in json.dumps(revealed)
    assert "salaries" not in json.dumps([revealed, found])
    assert (called["result"]["isError"], "too little" in json.dumps(called)) == (True, False)
    _, _, answer = served.call(token, "call_tool", name="Office.letters", arguments={})
    assert answer["result"]["content"][0]["text"] == "dear shop"
    assert served.call(served.token(), "Office")[0] == 403


@pytest.mark.proof(everyday=1)
def test_name_of_a_hidden_tool_is_not_suggested(served):
    _, _, answer = served.call(served.token(), "refunds")
    assert answer["error"]["message"] == "Unknown tool: 'refunds'"


@pytest.mark.proof
def test_keys_are_fetched_again_for_an_unknown_one_but_not_for_each(tmp_path):
    with AuthorizationServer() as issuer, shop(tmp_path, issuer) as served:
        old = served.token()
        assert served.tools(old) == ["order", "stock"]
        issuer.rotate_keys()
        assert served.tools(served.token()) == ["order", "stock"]
        assert served.challenge(old) == refused("no key of the issuer has signed it")
        asked = len(issuer.sent("/jwks"))
        foreign = ec.generate_private_key(ec.SECP256R1())
        for number in range(20):
            token = forged(served, {"alg": "ES256", "kid": f"key-{number}"}, foreign)
            assert served.challenge(token)[0] == 401
        assert (asked, len(issuer.sent("/jwks"))) == (2, 2)


@pytest.mark.proof
def test_token_cannot_be_checked_without_keys(tmp_path):
    with AuthorizationServer(metadata={"issuer": "https://other.example"}) as issuer, shop(tmp_path, issuer) as served:
        status, _, answer = served.client(served.token()).ask(message("ping", 1))
    assert (status, answer) == (
        503,
        {
            "error": "temporarily_unavailable",
            "error_description": "the keys of the authorization server cannot be fetched",
        },
    )


@pytest.mark.proof
def test_keys_at_a_configured_place_and_metadata_of_openid(tmp_path):
    settings = '[serve.auth]\nissuer = "{issuer}"\n'
    with AuthorizationServer(path="/tenant", forms=("openid-configuration",)) as issuer:
        with shop(tmp_path, issuer, settings) as served:
            assert len(served.tools(served.token(""))) == 4
        with shop(tmp_path, issuer, settings + f'jwks = "{issuer.origin}/jwks"\n') as served:
            assert len(served.tools(served.token(""))) == 4


@pytest.mark.proof
def test_bearer_token_of_the_server_still_allows_everything(tmp_path):
    with AuthorizationServer() as issuer, shop(tmp_path, issuer, TOOLKIT_SERVE_TOKEN=TOKEN) as served:
        assert served.tools(TOKEN) == ["order", "refund", "stock", "Office"]
        assert served.tools(served.token()) == ["order", "stock"]
        assert served.challenge(TOKEN[:-1])[0] == 401
        assert served.challenge(None)[0] == 401


@pytest.mark.proof
def test_audit_log_has_the_subject_and_not_the_token(tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "TOOLKIT_AUDIT": "1"}
    with AuthorizationServer() as issuer, shop(tmp_path, issuer, **state) as served:
        token = served.token()
        served.call(token, "order", number="7")
        served.call(token, "refund", number="7")
    text = (tmp_path / "state/toolkit/audit.jsonl").read_text("utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    caller = {"subject": "ada", "client": "client", "issuer": issuer.issuer}
    assert [(one["event"], one["tool"], one["decision"], one["caller"]) for one in records] == [
        ("decision", "order", "allow", caller),
        ("decision", "refund", "deny", caller),
    ]
    assert token.split(".")[2] not in text


@pytest.mark.proof(everyday=1)
def test_client_of_the_sdk_signs_in_and_asks_for_more(served):
    seen = []
    found = asyncio.run(signed_in(served, seen))
    assert found == (["order", "stock"], "order 7", "paid back 7")
    assert [parse_qs(urlsplit(address).query)["scope"][0].split() for address in seen] == [
        ["shop.read"],
        ["shop.read", "shop.pay"],
    ]
    assert parse_qs(urlsplit(seen[0]).query)["resource"] == [served.url]


class Kept:
    """Keeps the tokens of a client."""

    tokens = information = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.information

    async def set_client_info(self, client_info):
        self.information = client_info


async def signed_in(served, seen):
    """Sign in with the SDK's client, as a browser would, and call two tools."""

    async def redirect(address):
        seen.append(address)

    async def callback():
        async with httpx2.AsyncClient() as browser:
            answer = await browser.get(seen[-1])
        values = parse_qs(urlsplit(answer.headers["location"]).query)
        return AuthorizationCodeResult(code=values["code"][0], state=values["state"][0], iss=values["iss"][0])

    about = OAuthClientMetadata.model_validate(
        {"redirect_uris": ["http://127.0.0.1:9/callback"], "token_endpoint_auth_method": "none"}
    )
    auth = OAuthClientProvider(served.url, about, Kept(), redirect, callback)
    async with (
        httpx2.AsyncClient(auth=auth) as http,
        Client(streamable_http_client(served.url, http_client=http)) as client,
    ):
        listed = [tool.name for tool in (await client.list_tools()).tools if tool.name in {"order", "refund", "stock"}]
        ordered = await client.call_tool("order", {"number": "7"})
        paid = await client.call_tool("refund", {"number": "7"})
        return listed, ordered.content[0].text, paid.content[0].text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            'issuer = "http://login.example"',
            "'serve.auth.issuer' is not encrypted, so anybody in between could change it",
        ),
        ('issuer = "ftp://login.example"', "'serve.auth.issuer' must be a URL with https://"),
        ('issuer = "https://login.example/?a=b"', "'serve.auth.issuer' has a user name, a query or a fragment"),
        ('audience = "https://shop.example/mcp"', "the key 'serve.auth.issuer' is missing"),
        (
            'issuer = "https://a.example"\njwks = "http://b.example"',
            "'serve.auth.jwks' is not encrypted, so anybody in",
        ),
        ('issuer = "https://a.example"\nscope = {}', "unknown key 'serve.auth.scope'"),
        ('issuer = "https://a.example"\nscopes = {"a b" = ["x"]}', "'a b' cannot be a scope"),
        ('issuer = "https://a.example"\nscopes = {a = "x"}', "'serve.auth.scopes.a' must be a list of names, patterns"),
    ],
)
def test_wrong_settings_serve_nobody(tmp_path, settings, message):
    (tmp_path / "shop.py").write_text(SHOP, "utf-8")
    (tmp_path / "toolkit.toml").write_text(f"[serve.auth]\n{settings}\n", "utf-8")
    finished = run(tmp_path, "shop.py", "--http", "0")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith(f"error[TK005]: {message}"), finished.stderr


def test_audience_must_be_known_if_others_can_connect(tmp_path):
    (tmp_path / "shop.py").write_text(SHOP, "utf-8")
    (tmp_path / "toolkit.toml").write_text("[serve.auth]\nissuer = 'https://login.example'\n", "utf-8")
    finished = run(tmp_path, "shop.py", "--http", "0.0.0.0:0")
    assert finished.returncode == 2
    assert finished.stderr == (
        "error: access tokens have to name the URL at which clients reach '0.0.0.0', and it is not known\n"
        "hint: set [serve.auth] audience = 'https://tools.example/mcp'\n"
    )


def test_printed_configuration_has_no_token_if_clients_sign_in(tmp_path):
    settings = "[serve.auth]\nissuer = 'https://login.example'\naudience = 'https://shop.example/mcp'\n"
    (tmp_path / "toolkit.toml").write_text(settings, "utf-8")
    finished = run(tmp_path, "shop.py", "--http", "192.0.2.1:8000", "--print-config", "claude")
    entry = {"type": "http", "url": "http://192.0.2.1:8000/mcp"}
    assert json.loads(finished.stdout) == {"mcpServers": {"toolkit": entry}}


def test_misspelt_tool_of_a_scope_is_told(tmp_path):
    settings = "[serve.auth]\nissuer = 'https://login.example'\nscopes = {read = ['ordr']}\n"
    (tmp_path / "shop.py").write_text(SHOP, "utf-8")
    (tmp_path / "toolkit.toml").write_text(settings, "utf-8")
    finished = run(tmp_path, "shop.py")
    assert finished.stderr.splitlines()[0] == (
        "warning: scope 'read' allows 'ordr', which is not served; did you mean 'order'?"
    )
