"""Signing in to servers over HTTP: real processes, a real authorization server, and a browser that follows redirects."""

import asyncio
import base64
import json
import os
import re
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, build_opener

import httpx2
import pytest
from joserfc.jwk import ECKey

from tests.mcp.authorization_server import AuthorizationServer, Client
from tests.mcp.protected_server import ProtectedServer
from tests.terminals import Terminal
from toolkit.mcp import Auth, HttpServer, McpTools, close_sessions
from toolkit.mcp.sign_in.redirects import listening  # private

BROWSER = Path(__file__).parent / "conformance" / "browser.py"
ROOT = Path(__file__).parents[2]
WARM = [sys.executable, "-m", "toolkit_cli"]
NEEDED = "answered with HTTP 401 Unauthorized: sign in with `toolkit mcp login desk`"
LOGIN = ["mcp", "login", "desk"]
LOOK = ["run", "desk.look", "number=3"]
CHANGE = ["run", "desk.change", "number=3"]
PIPELINE = """
name: shown
description: Show what the server says.
steps:
  - use: desk.reveal
"""
DOCUMENT = "https://clients.example/toolkit.json"


@pytest.fixture
def authorization():
    with AuthorizationServer(scopes=("read", "write")) as server:
        yield server


class Desk:
    """A user with a configuration that names one protected server, and what the user has done."""

    def __init__(self, folder, server, authorization):
        self.folder = folder
        self.server = server
        self.authorization = authorization
        self.environment = {
            "XDG_CONFIG_HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "state"),
            "BROWSER": str(BROWSER),
            "NO_COLOR": "1",
        }
        self.output = ""
        self.own()

    def own(self, *lines):
        """Name the server in the user's own configuration, trusted, with more lines in its table."""
        self._write(self.folder / "home/toolkit/config.toml", "trusted = true", *lines)

    def project(self, *lines):
        """Name the server in the project's file instead, with more lines in its table."""
        (self.folder / "home/toolkit/config.toml").unlink()
        self._write(self.folder / "toolkit.toml", *lines)

    def _write(self, file, *lines):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(["[mcp.desk]", f"url = '{self.server.url}'", *lines, ""]), "utf-8")

    def start(self, *words, **more):
        """Start a command without a terminal."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLKIT_")}
        return subprocess.Popen(
            [*WARM, *words],
            cwd=self.folder,
            env=environment | self.environment | more,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(self, *words, **more):
        """Run a command without a terminal; return its exit code, its stdout and its stderr."""
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=60)
        self.output += out + err
        return process.returncode, out, err

    def ask(self, *words, answers=("o",), **more):
        """Run a command on a terminal, and answer its questions; return its exit code."""
        terminal = Terminal(self.folder, *words, environment=self.environment | more)
        for answer in answers:
            terminal.answer(answer)
        code = terminal.end()
        self.output += terminal.seen
        return code

    @property
    def file(self):
        """The file with the tokens."""
        [file] = (self.folder / "state/toolkit/tokens").glob("*.json")
        return file

    @property
    def kept(self):
        """What is kept for the server."""
        return json.loads(self.file.read_text("utf-8"))

    def expire(self):
        """Let the access token expire."""
        self.file.write_text(json.dumps(self.kept | {"expires": time.time() - 60}), "utf-8")

    @property
    def token(self):
        return self.kept["tokens"]["access_token"]

    @property
    def paths(self):
        """What was asked of the authorization server, in order, without its metadata."""
        return [path for path, _ in self.authorization.requests if "well-known" not in path]


@pytest.fixture
def desk(tmp_path, authorization):
    with ProtectedServer(authorization) as server:
        yield Desk(tmp_path, server, authorization)


# ----------------------------------------------------------------------------------------------- a person


def test_user_signs_in_once(desk):
    assert desk.ask(*LOGIN) == 0
    host = urlsplit(desk.authorization.origin).netloc
    shown = " ".join(desk.output.split())
    assert f"Sign in to the MCP server 'desk'? A browser opens a page of {host}." in shown
    assert f"server = {desk.server.url} sign in at = {host}" in shown
    assert "signed in to 'desk': 3 tools" in shown
    assert desk.paths == ["/register", "/authorize", "/token"]
    [asked], [exchanged] = desk.authorization.sent("/authorize"), desk.authorization.sent("/token")
    assert asked["code_challenge_method"] == "S256"
    assert asked["resource"] == exchanged["resource"] == desk.server.url
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/callback", asked["redirect_uri"])

    code, out, err = desk.run(*LOGIN)
    assert (code, out, err.splitlines()[0]) == (0, "", "signed in to 'desk': 3 tools")
    assert desk.run(*LOOK) == (0, "ticket 3 is open\n", "")
    assert desk.paths == ["/register", "/authorize", "/token"]


def test_first_call_asks_for_the_sign_in_that_it_needs(desk):
    assert desk.ask(*LOOK) == 0
    assert (desk.folder / "out.txt").read_text("utf-8") == "ticket 3 is open\n"
    assert desk.paths == ["/register", "/authorize", "/token"]


def test_nothing_is_asked_where_nobody_can_answer(desk):
    assert desk.run(*LOOK) == (
        4,
        "",
        (
            f"error[TK012]: MCP server 'desk' {NEEDED}\n"
            " --> home/toolkit/config.toml:1:2\n  |\n1 | [mcp.desk]\n  |  ^\n  |\n"
            "hint: `toolkit mcp doctor desk` checks it step by step\n"
        ),
    )
    assert desk.run(*LOGIN) == (
        4,
        "",
        (
            f"error[TK012]: MCP server 'desk' {NEEDED}\n"
            " --> home/toolkit/config.toml:1:2\n  |\n1 | [mcp.desk]\n  |  ^\n  |\n"
            "hint: a sign-in needs a terminal, and no CI; machines sign in with auth = { grant = 'client_credentials', … }\n"
        ),
    )
    assert desk.ask(*LOGIN, answers=(), CI="true") == 4
    assert desk.ask(*LOOK, answers=(), CI="true") == 4
    assert desk.output.count("answered with HTTP 401 Unauthorized: sign in with") == 4
    assert desk.paths == []


def test_user_who_says_no_opens_no_browser(desk):
    terminal = Terminal(desk.folder, *LOGIN, environment=desk.environment)
    terminal.answer("r")
    terminal.expect("the reason")
    terminal.child.send("\r")
    assert terminal.end() == 4
    assert "MCP server 'desk' needs a sign-in, which has failed: you have not signed in" in terminal.seen
    assert "/authorize" not in desk.paths


def test_page_is_opened_and_the_address_pasted_without_a_browser(desk):
    class Elsewhere(HTTPRedirectHandler):
        def redirect_request(self, req, fp, code, msg, headers, newurl):
            self.end = newurl

    def address_after(page):
        elsewhere = Elsewhere()
        with pytest.raises(Exception, match="302"):
            build_opener(elsewhere).open(page)
        return elsewhere.end

    def signing_in():
        terminal = Terminal(desk.folder, *LOGIN, "--no-browser", environment=desk.environment)
        terminal.expect("address or code:")
        page = re.search(r"http://127[^\s\x1b]*/authorize\?[^\s\x1b]*", terminal.seen.replace("\r\n", ""))
        assert page is not None
        return terminal, address_after(page[0])

    terminal, end = signing_in()
    [code] = parse_qs(urlsplit(end).query)["code"]
    terminal.child.send(f"{code}\r")
    assert terminal.end() == 4
    assert "missing iss parameter" in " ".join(terminal.seen.split())

    terminal, end = signing_in()
    terminal.child.send(f"{end}\r")
    assert terminal.end() == 0
    assert "signed in to 'desk': 3 tools" in terminal.seen

    desk.run("mcp", "logout", "desk")
    desk.authorization.metadata = {"authorization_response_iss_parameter_supported": False}
    terminal, end = signing_in()
    [code] = parse_qs(urlsplit(end).query)["code"]
    terminal.child.send(f"{code}\r")
    assert terminal.end() == 0


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"altered": {"state": "another"}}, "State parameter mismatch: another !="),
        ({"altered": {"iss": "https://evil.example"}}, "Authorization response iss mismatch: https://evil.example !="),
        ({"altered": {"iss": None}}, "Authorization response missing iss parameter"),
        ({"denies": True}, "refuses: The resource owner or authorization server denied the request"),
        ({"code_seconds": -1}, "Invalid 'code' in request."),
        ({"metadata": {"issuer": "https://evil.example"}}, "issuer mismatch: https://evil.example !="),
        ({"metadata": {"authorization_endpoint": "http://login.example/"}}, "http://login.example is not encrypted"),
        ({"metadata": {"authorization_endpoint": "https://10.1.2.3/"}}, "10.1.2.3 is a private address"),
        ({"metadata": {"authorization_endpoint": "https://google.com@10.1.2.3/"}}, "must not contain a user name"),
        ({"metadata": {"token_endpoint": "https://169.254.169.254/"}}, "169.254.169.254 is a link-local address"),
        ({"metadata": {"token_endpoint": "http://login.example/"}}, "http://login.example is not encrypted"),
    ],
    ids=[
        "state",
        "iss",
        "no-iss",
        "denied",
        "late",
        "issuer",
        "page",
        "private-page",
        "page-of-a-user",
        "private-token",
        "token",
    ],
)
def test_sign_in_that_goes_wrong_says_why(desk, change, words):
    for name, value in change.items():
        setattr(desk.authorization, name, value)
    seen_page = not any(
        name in words for name in ("issuer", "login.example", "10.1.2.3", "user name")
    ) or "token_endpoint" in str(change)
    assert desk.ask(*LOGIN, answers=("o",) if seen_page else ()) == 4
    assert words in " ".join(desk.output.split())
    assert desk.authorization.secrets() == []
    assert desk.run(*LOOK)[0] == 4


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(
    ("path", "form"),
    [("", "openid-configuration"), ("/tenant", "oauth-authorization-server"), ("/tenant", "openid-configuration")],
)
def test_issuers_have_two_forms_of_metadata(tmp_path, path, form):
    with AuthorizationServer(path=path, forms=(form,)) as authorization, ProtectedServer(authorization) as server:
        desk = Desk(tmp_path, server, authorization)
        assert desk.ask(*LOGIN) == 0
        assert desk.kept["metadata"]["issuer"] == desk.kept["issuer"] == f"{authorization.origin}{path}"


@pytest.mark.proof
def test_document_describes_the_client_where_that_is_supported(desk):
    desk.own(f"auth = {{ client_id = '{DOCUMENT}' }}")
    desk.authorization.documents = {DOCUMENT: ("http://127.0.0.1/callback",)}
    assert desk.ask(*LOGIN) == 0
    assert desk.paths == ["/authorize", "/token"]
    assert desk.authorization.sent("/authorize")[0]["client_id"] == DOCUMENT

    desk.run("mcp", "logout", "desk")
    desk.authorization.documents = {}
    assert desk.ask(*LOGIN) == 0
    assert desk.paths[2:] == ["/register", "/authorize", "/token"]


@pytest.mark.proof
def test_client_of_the_settings_is_used_on_its_port(desk, unused_port):
    client = Client("ours", "s3cret-of-ours", "client_secret_basic", redirects=("http://127.0.0.1/callback",))
    desk.authorization.add(client)
    issuer = desk.authorization.issuer
    auth = (
        f"client_id = 'ours', client_secret = '${{OURS}}', issuer = '{issuer}', port = {unused_port}, scopes = ['read']"
    )
    desk.own(f"auth = {{ {auth} }}")
    assert desk.ask(*LOGIN, OURS="s3cret-of-ours") == 0
    [asked] = desk.authorization.sent("/authorize")
    assert asked["redirect_uri"] == f"http://127.0.0.1:{unused_port}/callback"
    assert (asked["client_id"], asked["scope"]) == ("ours", "read")
    assert desk.run(*LOOK, OURS="s3cret-of-ours")[0] == 0
    desk.expire()
    assert desk.run(*LOOK, OURS="s3cret-of-ours")[0] == 0
    assert "s3cret-of-ours" not in desk.file.read_text("utf-8")
    code, _, err = desk.run(*LOOK)
    assert (code, err.splitlines()[0]) == (
        2,
        "error[TK005]: MCP server 'desk': 'auth' needs the environment variable 'OURS', which is not set",
    )
    assert "s3cret-of-ours" not in desk.output


@pytest.fixture
def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


@pytest.mark.proof
def test_client_registers_for_another_port_if_its_own_is_taken(desk):
    desk.ask(*LOGIN)
    port = urlsplit(desk.kept["client"]["redirect_uris"][0]).port
    desk.authorization.refreshable.clear()
    desk.expire()
    with socket.create_server(("127.0.0.1", port)):
        assert desk.ask(*LOGIN) == 0
        assert desk.paths == ["/register", "/authorize", "/token", "/token", "/register", "/authorize", "/token"]
        desk.run("mcp", "logout", "desk")
        desk.own(f"auth = {{ port = {port} }}")
        assert desk.ask(*LOGIN, answers=()) == 4
    assert f"which has failed: port {port} of 127.0.0.1 is not free" in desk.output


def test_listener_waits_for_the_right_path_and_shows_nothing_of_it():
    async def visited():
        async with listening(0) as listener, httpx2.AsyncClient() as browser:
            origin = listener.address.removesuffix("/callback")
            assert (await browser.get(f"{origin}/favicon.ico")).status_code == 404
            assert (await browser.post(f"{origin}/callback?code=bad")).status_code == 404
            page = await browser.get(f"{origin}/callback?code=good&state=s")
            await browser.get(f"{origin}/callback?code=late")
            return page, await listener.arrived()

    page, arrived = asyncio.run(visited())
    assert arrived == "/callback?code=good&state=s"
    assert "good" not in page.text
    assert page.headers["cache-control"] == "no-store"


# ----------------------------------------------------------------------------------------------- renewal


def test_expired_token_is_renewed_and_the_refresh_token_rotates(desk):
    desk.ask(*LOGIN)
    first = desk.kept["tokens"]
    desk.expire()
    uses = desk.server.calls.count(desk.token)
    assert desk.run(*LOOK) == (0, "ticket 3 is open\n", "")
    second = desk.kept["tokens"]
    assert second["access_token"] != first["access_token"]
    assert second["refresh_token"] != first["refresh_token"]
    assert desk.server.calls.count(first["access_token"]) == uses
    [renewal] = [one for one in desk.authorization.sent("/token") if one["grant_type"] == "refresh_token"]
    assert renewal["refresh_token"] == first["refresh_token"]
    assert renewal["resource"] == desk.server.url

    desk.server.revoked.add(desk.token)
    assert desk.run(*LOOK) == (0, "ticket 3 is open\n", "")
    assert desk.kept["tokens"]["refresh_token"] != second["refresh_token"]


@pytest.mark.proof
def test_refresh_token_that_is_no_longer_valid_is_tried_once(desk):
    desk.ask(*LOGIN)
    desk.authorization.refreshable.clear()
    desk.expire()
    asked = len(desk.paths)
    for _ in range(2):
        code, _, err = desk.run(*LOOK)
        assert (code, NEEDED in err) == (4, True)
    assert desk.paths[asked:] == ["/token"]
    assert "tokens" not in desk.kept
    assert desk.ask(*LOOK) == 0
    assert desk.paths[asked:] == ["/token", "/authorize", "/token"]


@pytest.mark.proof
def test_processes_that_renew_at_once_renew_once(desk):
    desk.ask(*LOGIN)
    for _ in range(2):
        desk.expire()
        before = len(desk.authorization.sent("/token"))
        processes = [desk.start(*LOOK) for _ in range(4)]
        assert [process.communicate(timeout=60)[0] for process in processes] == ["ticket 3 is open\n"] * 4
        assert len(desk.authorization.sent("/token")) == before + 1


@pytest.mark.proof
def test_more_permissions_are_asked_for_when_a_call_needs_them(desk):
    desk.authorization.scopes = ("read",)
    desk.ask(*LOGIN)
    code, out, err = desk.run(*CHANGE)
    assert (code, out, err.splitlines()[0]) == (
        1,
        "",
        (
            "error: MCP server 'desk' answered with HTTP 403 Forbidden: these credentials do not allow this request; "
            "sign in with `toolkit mcp login desk --scope write`"
        ),
    )
    assert desk.ask(*CHANGE) == 0
    assert (desk.folder / "out.txt").read_text("utf-8") == "ticket 3 is closed\n"
    assert "permissions = read write" in " ".join(desk.output.split())
    assert desk.run(*CHANGE) == (0, "ticket 3 is closed\n", "")
    assert desk.run(*LOGIN, "--scope", "write")[0] == 0
    code, _, err = desk.run(*LOGIN, "--stored-only", "--scope", "admin")
    assert (code, "`toolkit mcp login desk --scope admin`" in err) == (4, True)
    assert desk.ask(*LOGIN, "--scope", "admin") == 0
    assert desk.authorization.sent("/authorize")[-1]["scope"] == "read write admin"


@pytest.mark.proof
def test_calls_at_the_same_time_lead_to_one_question(desk):
    desk.authorization.scopes = ("read",)
    desk.ask(*LOGIN)
    (desk.folder / "tickets.jsonl").write_text('{"number": 1}\n{"number": 2}\n{"number": 3}\n', "utf-8")
    assert desk.ask("run", "desk.change", "--each", "tickets.jsonl", "--jobs", "3", "--yes", "-q") == 0
    assert (desk.folder / "out.txt").read_text("utf-8").count("is closed") == 3
    assert desk.paths.count("/authorize") == 2


@pytest.mark.proof
def test_stored_only_never_starts_a_sign_in(desk):
    code, _, err = desk.run(*LOGIN, "--stored-only")
    assert (code, NEEDED in err, desk.paths) == (4, True, [])
    assert desk.ask(*LOGIN, "--stored-only", answers=()) == 4
    assert desk.paths == []
    desk.ask(*LOGIN)
    desk.expire()
    assert desk.run(*LOGIN, "--stored-only", CI="true")[0] == 0
    assert desk.paths == ["/register", "/authorize", "/token", "/token"]


# ----------------------------------------------------------------------------------------------- machines


def test_machine_signs_in_with_its_secret(desk):
    desk.authorization.add(Client("robot", "s3cret-of-robot", "client_secret_basic", ("client_credentials",)))
    auth = (
        f"grant = 'client_credentials', client_id = 'robot', issuer = '{desk.authorization.issuer}', scopes = ['read']"
    )
    desk.project(f"auth = {{ {auth}, client_secret = '${{ROBOT}}' }}")
    words = [*LOOK, "--start", "desk", "--yes", "-q"]
    assert desk.run(*words, ROBOT="s3cret-of-robot", CI="true") == (0, "ticket 3 is open\n", "")
    assert desk.authorization.sent("/token") == [
        {"grant_type": "client_credentials", "resource": desk.server.url, "scope": "read"}
    ]
    assert desk.run(*words, ROBOT="s3cret-of-robot")[0] == 0
    assert len(desk.authorization.sent("/token")) == 1  # the token is kept, and the secret is not
    assert "s3cret-of-robot" not in desk.file.read_text("utf-8")
    desk.server.revoked.add(desk.token)
    assert desk.run(*words, ROBOT="s3cret-of-robot")[0] == 0
    desk.server.revoked.add(desk.token)
    code, _, err = desk.run(*words, ROBOT="wrong-secret")
    assert code == 4
    assert "answered with HTTP 401 Unauthorized: Token exchange failed (401)" in err
    assert err.splitlines()[0].endswith("; check its 'auth'")
    assert "wrong-secret" not in err
    assert "s3cret-of-robot" not in desk.output


def test_machine_signs_in_with_its_key(desk):
    key = ECKey.generate_key("P-256")
    public = key.as_pem(private=False).decode()
    client = Client("robot", method="private_key_jwt", grants=("client_credentials",), public_key=public)
    desk.authorization.add(client)
    auth = f"grant = 'client_credentials', client_id = 'robot', issuer = '{desk.authorization.issuer}'"
    desk.own(f"auth = {{ {auth}, private_key = '${{KEY}}', algorithm = 'ES256' }}")
    assert desk.run(*LOOK, KEY=key.as_pem(private=True).decode()) == (0, "ticket 3 is open\n", "")
    [asked] = desk.authorization.sent("/token")
    claims = json.loads(base64.urlsafe_b64decode(asked["client_assertion"].split(".")[1] + "=="))
    assert (claims["iss"], claims["sub"], claims["aud"]) == ("robot", "robot", desk.authorization.issuer)
    desk.run("mcp", "logout", "desk")
    code, _, err = desk.run(*LOOK, KEY="no key")
    assert (code, "no key" in err.splitlines()[0].replace("the sign-in", "")) == (4, False)


def test_program_signs_in_with_its_secret(desk, monkeypatch):
    monkeypatch.setenv("ROBOT", "s3cret-of-robot")
    desk.authorization.add(Client("robot", "s3cret-of-robot", "client_secret_basic", ("client_credentials",)))
    secret, issuer = "${ROBOT}", desk.authorization.issuer
    auth = Auth(grant="client_credentials", client_id="robot", client_secret=secret, issuer=issuer)
    server = HttpServer("desk", desk.server.url, auth=auth, trusted=True)
    assert McpTools(server).required_tool("look").run({"number": 3}).output == "ticket 3 is open"
    close_sessions()


def test_credentials_of_a_machine_go_only_to_their_issuer(desk):
    auth = "grant = 'client_credentials', client_id = 'robot', issuer = 'https://login.example', client_secret = '${ROBOT}'"
    desk.own(f"auth = {{ {auth} }}")
    code, _, err = desk.run(*LOOK, ROBOT="s3cret-of-robot")
    assert code == 4
    assert f"issuer mismatch: {desk.authorization.issuer} != https://login.example" in err
    assert desk.paths == []


# ----------------------------------------------------------------------------------------------- what is kept


@pytest.mark.proof
def test_only_the_user_can_read_the_tokens(desk):
    desk.ask(*LOGIN)
    folder = desk.file.parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    desk.file.chmod(0o644)
    desk.expire()
    desk.run(*LOOK)
    assert stat.S_IMODE(desk.file.stat().st_mode) == 0o600


def test_logout_removes_the_tokens(desk):
    desk.ask(*LOGIN)
    calls = len(desk.server.calls)
    assert desk.run("mcp", "logout", "desk") == (0, "", "signed out of 'desk'\n")
    assert list(desk.folder.glob("state/toolkit/tokens/*.json")) == []
    assert desk.run("mcp", "logout", "desk") == (0, "", "you were not signed in to 'desk'\n")
    assert len(desk.server.calls) == calls
    assert desk.run(*LOOK)[0] == 4


@pytest.mark.proof
def test_keyring_keeps_the_tokens_if_there_is_one(desk):
    vault = desk.folder / "vault.json"
    backend = {
        "PYTHON_KEYRING_BACKEND": "tests.mcp.file_keyring.FileKeyring",
        "PYTHONPATH": str(ROOT),
        "TEST_KEYRING": str(vault),
    }
    desk.ask(*LOGIN, **backend)
    assert desk.kept == {"kept in": "keyring"}
    assert desk.authorization.secrets()[0] in vault.read_text("utf-8")
    assert "keyring" not in desk.output
    assert desk.run(*LOOK, **backend) == (0, "ticket 3 is open\n", "")
    assert desk.run(*LOOK)[0] == 4  # without the keyring
    desk.run("mcp", "logout", "desk", **backend)
    assert json.loads(vault.read_text("utf-8")) == {}
    desk.ask(*LOGIN)
    place = f"the tokens are in state/toolkit/tokens/{desk.file.name}"
    assert f"this system has no keyring that can be used: {place}" in " ".join(desk.output.split())


@pytest.mark.proof
def test_tokens_are_found_nowhere_else(desk):
    desk.ask(*LOGIN, "--debug")
    (desk.folder / "shown.yaml").write_text(PIPELINE, "utf-8")
    assert desk.run("run", "shown.yaml", "--yes", "--journal", "-v")[:2] == (0, "your token is **********\n")
    assert desk.run("run", "desk.reveal", "--yes", "--format", "json")[1].count("your token is **********") >= 1
    desk.expire()
    desk.run("run", "shown.yaml", "--debug", "--journal", "--yes", TOOLKIT_AUDIT="1")
    desk.authorization.refreshable.clear()
    desk.server.revoked.add(desk.token)
    desk.run(*LOOK, "--debug")
    desk.run("mcp", "doctor", "desk", "--debug")
    codes = [one["code"] for one in desk.authorization.sent("/token") if "code" in one]
    verifiers = [one["code_verifier"] for one in desk.authorization.sent("/token") if "code_verifier" in one]
    clients = [client.secret for client in desk.authorization.clients.values()]
    secrets = [*desk.authorization.secrets(), *codes, *verifiers, *clients]
    assert len(secrets) == 7
    files = [file for file in desk.folder.rglob("*") if file.is_file() and file.parent.name != "tokens"]
    assert len(files) >= 3
    texts = [desk.output, *(file.read_bytes().decode("utf-8", "replace") for file in files)]
    assert [secret for secret in secrets for text in texts if secret in text] == []


def test_server_of_a_project_is_not_contacted_without_consent(desk):
    desk.project("auth = { client_id = 'ours', issuer = 'https://b.example', client_secret = '${HOME}' }")
    code, _, err = desk.run(*LOGIN)
    assert (code, err) == (
        3,
        (
            f"error[TK011]: MCP server 'desk' of this project needs your consent before it is contacted: {desk.server.url}, "
            "with HOME of your environment\n"
            " --> toolkit.toml:1:2\n  |\n1 | [mcp.desk]\n  |  ^\n  |\n"
            "hint: to allow it: --start desk, or TOOLKIT_MCP_START=desk\n"
        ),
    )
    assert (desk.server.calls, desk.authorization.requests) == ([], [])


# ----------------------------------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("auth", "problem"),
    [
        ("{ client = 'a' }", "unknown key 'mcp.desk.auth.client'|did you mean 'client_id' or 'client_secret'?"),
        (
            "{ client_id = 'a', issuer = 'https://b.example', client_secret = 'abc' }",
            "'mcp.desk.auth.client_secret' must not be written into a file|refer to an environment variable: '${NAME}'",
        ),
        ("{ grant = 'password' }", "'mcp.desk.auth.grant' must be 'authorization_code' or 'client_credentials'|"),
        (
            "{ grant = 'client_credentials', client_id = 'a', client_secret = '${A}' }",
            "'mcp.desk.auth.issuer' is missing|a secret belongs to a client of one issuer",
        ),
        (
            "{ grant = 'client_credentials', client_id = 'a', issuer = 'https://b.example' }",
            "'mcp.desk.auth' has no 'client_secret' and no 'private_key'|a machine needs one of them",
        ),
        (
            "{ client_id = 'a', issuer = 'https://b.example', private_key = '${A}' }",
            "'mcp.desk.auth.private_key' is only for machines|write grant = 'client_credentials'",
        ),
        (
            "{ client_secret = '${A}', issuer = 'https://b.example' }",
            "'mcp.desk.auth.client_id' is missing|a secret belongs to a client of one issuer",
        ),
        (
            "{ client_id = 'a', issuer = 'https://b.example', client_secret = '${A}', private_key = '${B}' }",
            "'mcp.desk.auth' has both 'client_secret' and 'private_key'|keep one of them",
        ),
        ("{ port = 70000 }", "'mcp.desk.auth.port' must be a whole number from 1 to 65,535|"),
        (
            "{ }\nheaders = { Authorization = 'Bearer ${T}' }",
            "'mcp.desk.auth' and the header 'Authorization' are both set|keep one of them",
        ),
        ("'yes'", "'mcp.desk.auth' must be a table|write auth = { client_id = 'toolkit' }"),
    ],
)
def test_settings_that_contradict_each_other_are_reported(desk, auth, problem):
    desk.own(f"auth = {auth}")
    code, _, err = desk.run("mcp", "logout", "desk")
    found = re.findall(r"^(?:error\[TK\d+\]|hint): (.*)$", err, re.MULTILINE)
    assert (code, found) == (2, [part for part in problem.split("|") if part])


def test_commands_need_no_sign_in(desk):
    (desk.folder / "home/toolkit/config.toml").write_text("[mcp.desk]\ncommand = 'true'\n", "utf-8")
    assert desk.run(*LOGIN) == (2, "", "error: MCP server 'desk' is a command, which needs no sign-in\n")
