"""Servers are installed in the files of clients, of which everything else stays as it is."""

import json
import os
import stat
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings, strategies as st
from typer.testing import CliRunner

from tests.mcp.served import environment
from tests.terminals import Terminal
from tests.volumes import examples
from toolkit.documents.entry_edits import with_entry, without_entry  # private
from toolkit.mcp.settings.clients import CLIENTS  # private
from toolkit_cli.main import application

CASES = Path(__file__).parent / "installs"
TABLES = """\
[mcp.time]
command = "uvx"
args = ["mcp-server-time", "./zones.json"]
env = { TZ = "UTC", API_KEY = "${API_KEY}" }

[mcp.plain]
command = "uvx"
args = ["mcp-server-time", "--zone", "Europe/Oslo"]
env = { TZ = "UTC" }

[mcp.tickets]
url = "https://tickets.example/mcp"
headers = { Authorization = "Bearer ${TICKETS_TOKEN}", X-Team = "${TEAM}", X-Plan = "free" }

[mcp.open]
url = "https://open.example/mcp"
"""
SHOP = '''\
from toolkit import tool


@tool(read_only=True)
def price(item: str) -> str:
    """Tell the price of an item."""
    return f"{item} costs 3 EUR"
'''
WITHOUT_VARIABLES = {"claude-desktop", "zed"}


class Desk:
    """A project, and a home folder in which the files of clients are."""

    def __init__(self, folder):
        self.project, self.home = folder / "project", folder / "home"
        self.project.mkdir()
        self.home.mkdir()
        (self.project / "toolkit.toml").write_text(TABLES, "utf-8")
        (self.project / "zones.json").write_text("[]", "utf-8")
        (self.project / "shop.py").write_text(SHOP, "utf-8")

    def run(self, *arguments):
        return CliRunner().invoke(application(), ["mcp", *map(str, arguments)])

    def file(self, client):
        [found] = [one for one in json.loads(self.run("install", "--format", "json").stdout) if one["client"] == client]
        return self.project / found["file"]

    def before(self, client):
        """Put the file of the case into the home folder, and return it with its content."""
        file = self.file(client)
        [case] = (CASES / client).glob("before.*")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(case.read_bytes())
        return file, case.read_bytes()

    def told(self, text):
        """Return a text without the names of this machine's folders."""
        program = str(Path(sys.executable).with_name("toolkit"))
        for path, word in ((program, "TOOLKIT"), (str(self.project), "PROJECT"), (str(self.home), "HOME")):
            text = text.replace(path, word)
        return text


@pytest.fixture
def desk(tmp_path, monkeypatch):
    for name in [name for name in os.environ if name.startswith(("TOOLKIT_", "XDG_CONFIG", "CODEX_"))]:
        monkeypatch.delenv(name)
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("APPDATA", str(made.home / "AppData"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(made.project)
    return made


def golden(case, content):
    """Compare with a golden file, which is written if UPDATE_GOLDEN is set."""
    if os.environ.get("UPDATE_GOLDEN"):
        case.write_bytes(content.encode())
    return case.read_bytes().decode()


def parsed(client, text):
    """Parse a file with the parser of the standard library or PyYAML, after comments of its own kind are gone."""
    match CLIENTS[client].format:
        case "toml":
            return tomllib.loads(text)
        case "yaml":
            return yaml.safe_load(text)
    lines = [line for line in text.splitlines() if not line.strip().startswith("//")]
    return json.loads("\n".join(lines))


KINDS = [("stdio", "time", "plain"), ("http", "tickets", "open")]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(("kind", "server", "plain"), KINDS, ids=["stdio", "http"])
def test_entry_is_added_and_removed_again_and_nothing_else_changes(desk, client, kind, server, plain):
    if (client, kind) == ("claude-desktop", "http"):
        pytest.skip("its file has no addresses")
    file, before = desk.before(client)
    server = plain if client in WITHOUT_VARIABLES else server
    done = desk.run("install", client, server, "--yes")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr.endswith(f"{file}; its previous content is next to it, in '{file.name}.toolkit-backup'\n")
    text = file.read_bytes().decode()
    assert desk.told(text) == golden(CASES / client / f"{kind}{file.suffix}", desk.told(text))
    assert Path(f"{file}.toolkit-backup").read_bytes() == before

    removed = desk.run("uninstall", client, server, "--yes")
    assert (removed.exit_code, file.read_bytes()) == (0, before), removed.stderr


@pytest.mark.parametrize("client", CLIENTS)
def test_file_that_install_creates_is_valid_private_and_removed_by_uninstall(desk, client):
    file = desk.file(client)
    assert desk.run("install", client, "plain", "--yes").exit_code == 0
    data = parsed(client, file.read_text("utf-8"))
    for key in CLIENTS[client].path:
        data = data[key]
    assert "uvx" in json.dumps(data["plain"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert desk.run("uninstall", client, "plain", "--yes").exit_code == 0
    assert not file.exists()


def test_clients_are_listed_with_their_files_and_whether_they_are_here(desk):
    (desk.home / ".cursor").mkdir()
    (desk.home / ".claude.json").write_text("{}", "utf-8")
    listed = desk.run("install")
    assert (listed.exit_code, listed.stderr) == (0, "")
    assert desk.told(listed.stdout) == golden(CASES / "clients.txt", desk.told(listed.stdout))


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_files_of_other_systems_are_where_the_clients_say(desk, monkeypatch, platform):
    monkeypatch.setattr(sys, "platform", platform)
    listed = desk.run("install", "--format", "json")
    assert desk.told(listed.stdout) == golden(CASES / f"clients-{platform}.json", desk.told(listed.stdout))


def test_tools_of_a_project_start_with_toolkit_from_any_folder(desk):
    options = ["--approve", "price", "--timeout", "5s", "--tools", "shop.py", "--reload"]
    desk.run("install", "claude-code", "shop.py", "zones.json", "--yes")
    assert desk.run("install", "claude-code", "shop.py", *options, "--yes").exit_code == 0
    written = json.loads((desk.home / ".claude.json").read_text("utf-8"))["mcpServers"]["shop"]
    start = ["serve", "--directory", "PROJECT", "shop.py"]
    assert written["command"] == str(Path(sys.executable).with_name("toolkit"))
    assert [desk.told(word) for word in written["args"]] == [
        *start, "--approve", "price", "--tools", "shop.py", "--timeout", "5s", "--reload"
    ]  # fmt: skip


def test_configured_server_is_installed_behind_toolkit_where_that_is_wanted(desk):
    assert desk.run("install", "zed", "tickets", "--serve", "--start", "tickets", "--yes").exit_code == 0
    [file] = (desk.home / ".config/zed").glob("settings.json")
    written = json.loads(file.read_text("utf-8"))["context_servers"]["tickets"]
    assert [desk.told(word) for word in written["args"]] == [
        "serve", "--directory", "PROJECT", "tickets", "--start", "tickets"
    ]  # fmt: skip


def test_address_is_installed_with_the_variable_of_its_token(desk):
    token = ["--token-env", "LINEAR_TOKEN"]
    assert desk.run("install", "codex", "https://mcp.linear.app/mcp", *token, "--yes").exit_code == 0
    assert (desk.home / ".codex/config.toml").read_text("utf-8") == (
        '[mcp_servers.linear]\nurl = "https://mcp.linear.app/mcp"\nbearer_token_env_var = "LINEAR_TOKEN"\n'
    )


def test_file_of_the_project_is_changed_where_that_is_wanted(desk):
    assert desk.run("install", "vscode", "open", "--project", "--yes").exit_code == 0
    assert json.loads((desk.project / ".vscode/mcp.json").read_text("utf-8")) == {
        "servers": {"open": {"type": "http", "url": "https://open.example/mcp"}}
    }
    assert not (desk.home / ".config/Code").exists()


def test_files_of_earlier_opencode_keep_their_form(desk):
    file = desk.file("opencode")
    file.parent.mkdir(parents=True)
    file.write_text('{"mcp": {"docs": {"type": "remote", "url": "https://docs.example/mcp"}}}\n', "utf-8")
    desk.run("install", "opencode", "open", "--yes")
    assert json.loads(file.read_text("utf-8"))["mcp"].keys() == {"docs", "open"}
    other = file.with_name("opencode.jsonc")
    other.write_text("{}", "utf-8")
    file.unlink()
    desk.run("install", "opencode", "open", "--yes")
    assert json.loads(other.read_text("utf-8"))["mcp"]["servers"].keys() == {"open"}


def test_dry_run_prints_the_change_and_writes_nothing(desk):
    file, before = desk.before("zed")
    done = desk.run("install", "zed", "open", "--dry-run")
    assert (done.exit_code, done.stderr, file.read_bytes()) == (0, "", before)
    assert (
        desk.told(done.stdout)
        == """\
--- HOME/.config/zed/settings.json
+++ HOME/.config/zed/settings.json
@@ -4,8 +4,11 @@
 {
   "theme": "One Dark", // quiet
   "context_servers": {
-    "docs": { "command": "docs", "args": [], "env": {} } // last
+    "docs": { "command": "docs", "args": [], "env": {} }, // last
     // "more": {}
+    "open": {
+      "url": "https://open.example/mcp"
+    }
   },
   "vim_mode": true,
 }
"""
    )


def test_entry_of_the_same_name_is_shown_as_a_change_and_secrets_beside_it_are_masked(desk):
    file = desk.file("cursor")
    file.parent.mkdir()
    theirs = {"env": {"API_KEY": "sk-very-secret-1"}, "command": "docs"}
    file.write_text(json.dumps({"mcpServers": {"open": {"url": "https://old.example/mcp"}, "docs": theirs}}, indent=1))
    done = desk.run("install", "cursor", "open", "--yes")
    assert '-   "url": "https://old.example/mcp"\n+   "url": "https://open.example/mcp"\n' in done.stderr
    assert "sk-very-secret-1" not in done.stderr
    assert json.loads(file.read_text("utf-8"))["mcpServers"]["docs"] == theirs
    again = desk.run("install", "cursor", "open", "--yes")
    assert (again.exit_code, again.stderr) == (0, f"'open' is already in {file}\n")


def test_link_is_followed_and_permissions_stay(desk):
    real = desk.home / "dotfiles/cursor.json"
    real.parent.mkdir()
    real.write_text("{}\n", "utf-8")
    real.chmod(0o640)
    file = desk.file("cursor")
    file.parent.mkdir()
    file.symlink_to(real)
    assert desk.run("install", "cursor", "open", "--yes").exit_code == 0
    assert file.is_symlink()
    assert json.loads(real.read_text("utf-8"))["mcpServers"].keys() == {"open"}
    assert [stat.S_IMODE(one.stat().st_mode) for one in (real, Path(f"{file}.toolkit-backup"))] == [0o640, 0o640]


def test_link_of_a_project_that_leads_out_of_it_is_not_followed(desk):
    target = desk.home / "precious.json"
    target.write_text("{}", "utf-8")
    (desk.project / ".git").mkdir()
    (desk.project / ".mcp.json").symlink_to(target)
    done = desk.run("install", "claude-code", "open", "--project", "--yes")
    assert (done.exit_code, target.read_text("utf-8")) == (2, "{}")
    assert "leads out of it" in done.stderr


BROKEN = [
    (
        "cursor",
        '{\n  "mcpServers" 1\n}',
        ":2:16: error[TK005]: the JSON is broken: ':' is expected after the key",
    ),
    ("cursor", '{"mcpServers": []}', ":1:2: error[TK005]: 'mcp.json' is not changed: 'mcpServers' is not a table"),
    ("cursor", "[]", ":1:1: error[TK005]: the file does not contain a table"),
    ("codex", "a = \n", ":1:5: error[TK005]: the TOML is broken: invalid value"),
    (
        "codex",
        "mcp_servers = { a = { command = 'b' } }\n",
        ":1:1: error[TK005]: 'config.toml' is not changed: the entry ",
    ),
    ("goose", "a: [1\n", ":1:4: error[TK005]: this '[' is not closed"),
    ("goose", "a: 1\na: 2\n", ":2:1: error[TK005]: duplicate key 'a'"),
]


@pytest.mark.parametrize(("client", "text", "message"), BROKEN, ids=[f"{one}-{text}" for one, text, _ in BROKEN])
def test_file_that_cannot_be_read_is_left_alone_and_the_place_is_told(desk, program_problem, client, text, message):
    file = desk.file(client)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    for command in ("install", "uninstall"):
        done = desk.run(command, client, "open", "--yes")
        if command == "uninstall" and "is not changed" in message:
            continue
        assert (done.exit_code, done.stdout, file.read_text("utf-8")) == (2, "", text)
        assert f"{file}{message}" in program_problem(done.stderr), done.stderr


@pytest.fixture
def program_problem():
    """Put the place of a rendered problem back before its message."""

    def joined(shown):
        lines = shown.splitlines()
        places = [line.removeprefix(" --> ") for line in lines if line.startswith(" --> ")]
        return "\n".join(f"{place}: {lines[0]}" for place in places)

    return joined


MISUSES = [
    (("install", "curser", "shop.py"), 2, "error: there is no client 'curser'\nhint: did you mean 'cursor'?\n"),
    (("install", "cursor", "shp.py"), 4, "error[TK001]: there is no file 'shp.py'\nhint: did you mean 'shop.py'?\n"),
    (("install", "cursor"), 2, "error: there are no tools to install\nhint: name a file, a folder, a tool, a "),
    (
        ("install", "windsurf", "open", "--project"),
        2,
        "error: Windsurf does not have a file for a project\nhint: leave ",
    ),
    (("install", "cursor", "open", "--token-env", "T"), 2, "error: --token-env needs an address as TARGET\n"),
    (
        ("install", "cursor", "https://x.example/mcp", "--token-env", "sk-1"),
        2,
        "error: --token-env: this is not the name of a variable\nhint: write the name, such as TICKETS_TOKEN, and not ",
    ),
    (
        ("install", "cursor", "https://x.example", "shop.py"),
        2,
        "error: 'https://x.example' is an address, and cannot be",
    ),
    (
        ("install", "cursor", "https://u:pw@x.example"),
        2,
        "error: 'x.url' holds a user name or password\nhint: send it ",
    ),
    (
        ("install", "cursor", "https://x.example/mcp?api_key=abc"),
        2,
        "error: 'api_key' of server 'x' seems to hold a secret, which is not written into a client's file\nhint: put it ",
    ),
    (("install", "cursor", "open", "--name", "a b"), 2, "error: --name: 'a b' is not valid in every client's "),
    (
        ("install", "claude-desktop", "https://x.example/mcp"),
        2,
        "error: Claude Desktop starts the servers in its file, and cannot connect to an address there\nhint: write it as ",
    ),
    (
        ("install", "zed", "tickets"),
        2,
        "error: Zed cannot refer to the environment variable 'TICKETS_TOKEN' there\nhint",
    ),
    (("uninstall", "cursor", "shop.py"), 4, "error[TK001]: there is no server 'shop' in "),
]


@pytest.mark.parametrize(("arguments", "exit_code", "message"), MISUSES, ids=[" ".join(one[0]) for one in MISUSES])
def test_misuse_is_told_before_anything_is_written(desk, arguments, exit_code, message):
    done = desk.run(*arguments, *(["--yes"]))
    assert (done.exit_code, done.stdout) == (exit_code, "")
    assert done.stderr.startswith(message), done.stderr
    assert list(desk.home.rglob("*")) == []


def test_secrets_and_what_a_client_cannot_express_are_not_written(desk):
    (desk.project / ".mcp.json").write_text(
        json.dumps({"mcpServers": {"own": {"command": "x", "env": {"API_KEY": "sk-very-secret-2"}}}}), "utf-8"
    )
    with (desk.project / "toolkit.toml").open("a", encoding="utf-8") as file:
        file.write("[mcp]\nfiles = ['.mcp.json']\n[mcp.fallback]\ncommand = 'x'\nargs = ['${ZONE:-UTC}']\n")
        file.write("[mcp.tenants]\nurl = 'https://t.example'\nheaders = { X-T = '${context:tenant}' }\n")
    found = {server: desk.run("install", "claude-code", server, "--yes") for server in ("own", "fallback", "tenants")}
    assert {done.exit_code for done in found.values()} == {2}
    assert [done.stderr.splitlines()[-2] for done in found.values()] == [
        "error: 'API_KEY' of server 'own' seems to hold a secret, which is not written into a client's file",
        "error: Claude Code does not know a default for the environment variable 'ZONE'",
        "error: Claude Code does not know the context value 'tenant'",
    ]
    assert "sk-very-secret-2" not in "".join(done.output for done in found.values())


def test_without_a_terminal_nothing_is_changed_and_the_flag_is_named(desk):
    file, before = desk.before("cursor")
    for command in ("install", "uninstall"):
        done = desk.run(command, "cursor", "docs" if command == "uninstall" else "open")
        assert (done.exit_code, done.stdout, file.read_bytes()) == (3, "", before)
        assert done.stderr.endswith(
            "error: nothing was changed: there is no terminal to ask on\n"
            "hint: --yes changes the file without asking, and --dry-run only prints the change\n"
        )


PASTED = "\x1b[200~y\x1b[201~\r"


@pytest.mark.parametrize(
    ("typed", "exit_code"), [("y\r", 0), ("yes\r", 0), ("n\r", 3), ("\r", 3), (PASTED, 3), ("\x04", 3)], ids=repr
)
def test_question_on_a_terminal_follows_the_change(desk, typed, exit_code):
    variables = environment(HOME=str(desk.home))
    terminal = Terminal(desk.project, "mcp", "install", "cursor", "open", environment=variables)
    terminal.expect("Install 'open' in Cursor?")
    assert '+      "url": "https://open.example/mcp"' in terminal.seen
    assert not (desk.home / ".cursor/mcp.json").exists()
    terminal.child.send(typed)
    assert terminal.end() == exit_code
    assert (desk.home / ".cursor/mcp.json").exists() is (exit_code == 0)


def test_file_that_changes_while_the_question_is_open_is_not_overwritten(desk):
    file, _ = desk.before("cursor")
    terminal = Terminal(desk.project, "mcp", "install", "cursor", "open", environment=environment(HOME=str(desk.home)))
    terminal.expect("Install 'open' in Cursor?")
    file.write_text('{"theirs": true}', "utf-8")
    terminal.child.send("y\r")
    assert terminal.end() == 2
    assert "has been changed by another program" in terminal.seen
    assert file.read_text("utf-8") == '{"theirs": true}'


# ----------------------------------------------------------------------------------------------- read back


def diagnoses(done):
    return json.loads(done.stdout)


@pytest.mark.parametrize("client", CLIENTS)
def test_doctor_reads_back_what_was_installed_and_starts_nothing_without_consent(desk, client, monkeypatch):
    for variable in ("API_KEY", "TICKETS_TOKEN", "TEAM"):
        monkeypatch.setenv(variable, "hush-hush-hush")
    servers = ["plain"] if client in WITHOUT_VARIABLES else ["time"]
    servers += [] if client == "claude-desktop" else ["open"] if client == "zed" else ["tickets"]
    for server in servers:
        assert desk.run("install", client, server, "--yes").exit_code == 0
    done = desk.run("doctor", "--client", client, "--format", "json")
    assert done.exit_code == 3
    lines = {
        "plain": "uvx mcp-server-time --zone Europe/Oslo",
        "time": f"uvx mcp-server-time {desk.project}/zones.json",
        "tickets": "https://tickets.example/mcp",
        "open": "https://open.example/mcp",
    }
    text = desk.file(client).read_text("utf-8").splitlines()
    for server, found in zip(servers, diagnoses(done), strict=True):
        assert [step["state"] for step in found["steps"][:2]] == ["ok", "failed"]
        place, line, _ = found["steps"][0]["reasons"][0].partition(",")[0].rsplit(":", 2)
        assert (found["name"], found["line"], place) == (server, lines[server], str(desk.file(client)))
        assert server in text[int(line) - 1]


@pytest.mark.parametrize("client", ["cursor", "codex", "goose", "opencode"])
def test_doctor_finds_out_that_an_installed_server_works(desk, client):
    odd = Path(__file__).with_name("odd_server.py")
    with (desk.project / "toolkit.toml").open("a", encoding="utf-8") as file:
        file.write(f"[mcp.zoo]\ncommand = '{sys.executable}'\nargs = ['{odd}', 'plain']\n")
    assert desk.run("install", client, "zoo", "--yes").exit_code == 0
    done = desk.run("doctor", "--client", client, "zoo", "--start", "zoo", "--format", "json")
    [found] = diagnoses(done)
    assert done.exit_code == 0, done.output
    assert {step["name"]: step["state"] for step in found["steps"]}["tools"] == "ok"


def test_doctor_of_a_client_without_servers_or_with_other_ones(desk):
    done = desk.run("doctor", "--client", "cursor")
    assert (done.exit_code, done.stderr) == (
        4,
        "error: Cursor has no MCP servers\nhint: `toolkit mcp install` adds them\n",
    )
    desk.run("install", "cursor", "open", "--yes")
    for words in (["opne"], ["--start", "opne"]):
        done = desk.run("doctor", "--client", "cursor", *words)
        assert "there is no MCP server 'opne'\nhint: did you mean 'open'?\n" in done.stderr
    assert desk.run("doctor", "--client", "curser").stderr.startswith("error: --client: there is no client 'curser'")


# ----------------------------------------------------------------------------------------------- any file

BLANKS = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n", " // note\n", " /* a, b: {} */ ", "\n// x\n"])
KEYS = st.sampled_from(["a", "b c", "\u00e9", "//", "/*", 'q"'])
LEAVES = st.sampled_from(["1", "-2.5e3", "true", "null", '"//"', '"a,}"', "[]", "[1, 2]", '["x" , ]', "{}"])


@st.composite
def objects(draw, leaves=LEAVES, least=0):
    """JSON objects with comments, trailing commas and any layout."""
    names = draw(st.lists(KEYS, unique=True, min_size=least, max_size=3))
    members = [
        f"{draw(BLANKS)}{json.dumps(name)}{draw(BLANKS)}:{draw(BLANKS)}{draw(leaves)}{draw(BLANKS)}" for name in names
    ]
    last = draw(st.sampled_from(["", ","])) if members else ""
    return f"{{{','.join(members)}{last}{draw(BLANKS)}}}"


@given(data=st.data())
@settings(max_examples=examples(600), deadline=None)
def test_any_json_is_the_same_after_an_entry_came_and_went(data):
    servers = data.draw(objects(objects(), least=1))
    whole = data.draw(st.sampled_from(['{{{}"servers":{}{}}}{}', '// top\n{{{}"servers": {}{},}}{}']))
    text = whole.format(*(data.draw(BLANKS) if part != 1 else servers for part in range(4)))
    value = {"command": "x", "args": ["{", "//"], "env": {"A": "b"}}
    changed = with_entry("json", text, ("servers", "new"), value)
    assert without_entry("json", changed, ("servers", "new")) == text
    other = with_entry("json", changed, ("servers", "new"), {"url": "y"})
    assert without_entry("json", other, ("servers", "new")) == text


TOML_LINES = ["# c \u2028 c", "", "a = 1 # x", "b = [\n  1,\n  # y\n]", "c = '''\n[z]\n'''", '"d e" = { f = "g" }']
TOML_TABLES = [
    "[servers.old]\ncommand = 'x'",
    "[servers.'o p'.env]\nA = 'b'",
    "[[list]]\nx = 1",
    "[other]",
    "[servers]",
]


@given(
    lines=st.lists(st.sampled_from(TOML_LINES), unique=True),
    tables=st.lists(st.sampled_from(TOML_TABLES), unique=True),
    end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=examples(300), deadline=None)
def test_any_toml_is_the_same_after_a_table_came_and_went(lines, tables, end):
    text = "".join(f"{one}\n" for one in [*lines, *(f"{table}\n# after" for table in tables)]).replace("\n", end)
    changed = with_entry("toml", text, ("servers", "new"), {"command": "x", "env": {"A": "b"}})
    assert without_entry("toml", changed, ("servers", "new")) == text


YAML_BEFORE = ["# c\n", "a: 1 # x\n", "b:\n  - 1\n  # y\n", "c: |\n  extensions:\n    new: 1\n", "\n"]
YAML_SERVERS = ["  old: {a: 1} # x\n", "  older:\n    a: 1\n    # b\n", "  # only\n", "\n"]


@given(
    before=st.lists(st.sampled_from(YAML_BEFORE), unique=True),
    servers=st.lists(st.sampled_from(YAML_SERVERS), unique=True, min_size=1).filter(
        lambda ones: any(":" in one for one in ones)
    ),
    after=st.sampled_from(["", "z: 1\n", "# end\n", "...\n"]),
)
@settings(max_examples=examples(300), deadline=None)
def test_any_yaml_is_the_same_after_an_entry_came_and_went(before, servers, after):
    text = f"{''.join(before)}extensions:\n{''.join(servers)}{after}"
    changed = with_entry("yaml", text, ("extensions", "new"), {"cmd": "x", "args": ["a: b"]})
    assert without_entry("yaml", changed, ("extensions", "new")) == text
