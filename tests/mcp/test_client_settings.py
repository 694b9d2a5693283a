"""Tables of servers, and the files of editors: everything wrong is told with its place and its hint."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.installers import INSTALL
from tests.mcp.file_keyring import stored_in
from toolkit.errors import ConfigurationError
from toolkit.mcp import HttpServer, StdioServer
from toolkit.mcp.settings.server_settings import expand, variables_in  # private
from toolkit.problems import seen_from  # private
from toolkit.settings import find_configuration


def read(zoo, text, name="toolkit.toml"):
    """Return the servers of a configuration, and what is wrong with it, in words."""
    zoo.write(name, text)
    configuration, problems = find_configuration(zoo.folder)
    return configuration.mcp, [str(seen_from(zoo.folder, problem)) for problem in problems]


def test_everything_wrong_is_told_at_once_with_its_line(zoo):
    servers, problems = read(
        zoo,
        """
[mcp]
files = ["gone.json"]
time = 3

[mcp.one]
comand = "uvx"

[mcp.two]
command = "uvx mcp-server-time"
args = "x"
header = {}
env = { TOKEN = "abc", "A B" = "x" }

[mcp.three]
url = "ftp://somewhere"
args = []
tools = ["/(/"]
timeout = 30

[mcp.four]
url = "https://user:secret@tools.example/mcp"
headers = { Authorization = "Bearer abc" }
meta = ["progressToken"]
prefix = "a-b"

[mcp.five]
command = "a"
url = "https://b"

[mcp."a b"]
command = "a"
""",
    )
    assert servers == {}
    assert problems == [
        "toolkit.toml:4:1: error[TK005]: 'mcp.time' must be a table (write [mcp.time], or files = […])",
        "toolkit.toml:6:2: error[TK005]: server 'one' has neither 'command' nor 'url' (did you mean 'command'?)",
        "toolkit.toml:10:1: error[TK005]: 'mcp.two.command' must be the program without arguments (there is no shell: write command = 'uvx', args = ['mcp-server-time'])",
        "toolkit.toml:11:1: error[TK005]: 'mcp.two.args' must be a list of strings (write args = ['--flag', 'value'])",
        "toolkit.toml:12:1: error[TK005]: unknown key 'mcp.two.header' (the keys are command, args, env, cwd, trusted, meta, prefix, tools, exclude, required, resources, prompts, protocol, start_timeout, timeout)",
        "toolkit.toml:13:9: error[TK005]: 'mcp.two.env.TOKEN' seems to hold a secret (refer to an environment variable: '${NAME}')",
        "toolkit.toml:13:24: error[TK005]: 'mcp.two.env.A B' cannot be sent (write env = { TZ = 'UTC', TOKEN = '${TOKEN}' })",
        "toolkit.toml:16:1: error[TK005]: 'mcp.three.url' must be a URL with https:// or http://",
        "toolkit.toml:17:1: error[TK005]: unknown key 'mcp.three.args' ('args' is for the other kind of server; the keys are url, headers, auth, trusted, meta, prefix, tools, exclude, required, resources, prompts, protocol, start_timeout, timeout)",
        "toolkit.toml:18:1: error[TK005]: the regular expression /(/ is invalid: missing ), unterminated subpattern at position 0",
        "toolkit.toml:19:1: error[TK005]: 'mcp.three.timeout' must be a duration such as '500ms', '30s' or '5m', above zero and at most 720h (write '30s' for seconds)",
        "toolkit.toml:22:1: error[TK005]: 'mcp.four.url' holds a user name or password (send it in a header: headers = { Authorization = 'Bearer ${TOKEN}' })",
        "toolkit.toml:23:13: error[TK005]: 'mcp.four.headers.Authorization' seems to hold a secret (refer to an environment variable: '${NAME}')",
        "toolkit.toml:24:1: error[TK005]: the protocol reserves the name 'progressToken' for itself (write meta = ['tenant'])",
        "toolkit.toml:25:1: error[TK005]: 'mcp.four.prefix' must be made of letters, digits and underscores",
        "toolkit.toml:27:2: error[TK005]: server 'five' has both 'command' and 'url' (write one: command = 'uvx', or url = 'https://…')",
        "toolkit.toml:31:2: error[TK005]: 'a b' is not a valid name for a server (a name is made of letters, digits, '_' and '-', and begins with a letter)",
        f"toolkit.toml:3:1: error[TK005]: there is no file 'gone.json' (looked for in '{zoo.folder}')",
    ]


def test_server_of_each_kind(zoo):
    servers, problems = read(
        zoo,
        """
[tool.toolkit.mcp.time]
command = "./bin/time"
args = ["--zone", "${ZONE:-UTC}"]
env = { TZ = "UTC" }
cwd = "work"
tools = ["now", "con*"]
timeout = "20s"
start_timeout = "500ms"

[tool.toolkit.mcp.web-search]
url = "https://tools.example/mcp"
headers = { Authorization = "Bearer ${WEB_KEY}" }
prefix = ""
""",
        "pyproject.toml",
    )
    assert problems == []
    time, web = servers["time"], servers["web-search"]
    assert isinstance(time, StdioServer)
    assert isinstance(web, HttpServer)
    assert (time.command, time.cwd) == (str(zoo.folder / "bin/time"), (zoo.folder / "work").resolve())
    assert (time.line, time.timeout, time.start_timeout) == (f"{zoo.folder}/bin/time --zone '${{ZONE:-UTC}}'", 20, 0.5)
    assert (time.owner, str(time.place)) == ("project", f"{zoo.folder}/pyproject.toml:2:2")
    assert (web.line, web.prefix, dict(web.headers)) == (
        "https://tools.example/mcp",
        "",
        {"Authorization": "Bearer ${WEB_KEY}"},
    )


EDITORS = {
    ".mcp.json": {"mcpServers": {"time": {"type": "stdio", "command": "uvx", "args": ["mcp-server-time"], "env": {}}}},
    ".cursor/mcp.json": {"mcpServers": {"web": {"url": "https://x.example/mcp", "headers": {"A": "${env:KEY}"}}}},
    ".vscode/mcp.json": {
        "servers": {"My Files": {"command": "${workspaceFolder}/run", "args": ["${workspaceFolder}"]}}
    },
}


def test_files_of_editors_are_read(zoo):
    for name, content in EDITORS.items():
        text = json.dumps(content, indent=2)
        zoo.write(name, text.replace("{", "{ // a comment, as VS Code allows it\n", 1).replace("}", "},", 0))
    servers, problems = read(zoo, f"[mcp]\nfiles = {list(EDITORS)}\n")
    assert problems == []
    assert [(name, server.line) for name, server in servers.items()] == [
        ("time", "uvx mcp-server-time"),
        ("web", "https://x.example/mcp"),
        ("My_Files", f"{zoo.folder}/run {zoo.folder}"),
    ]
    assert str(servers["time"].place).endswith(".mcp.json:4:5")


def test_two_servers_of_an_editor_that_would_have_one_name_are_told(zoo):
    zoo.write(".mcp.json", '{"mcpServers": {"my zoo": {"command": "a"}, "my_zoo": {"command": "b"}}}')
    servers, problems = read(zoo, "[mcp]\nfiles = ['.mcp.json']\n")
    assert [(name, server.line) for name, server in servers.items()] == [("my_zoo", "a")]
    assert problems == [".mcp.json:1:45: error[TK005]: 'my_zoo' and another server would both be 'my_zoo' (rename one)"]


def test_what_is_wrong_in_a_file_of_an_editor_is_told_with_its_place(zoo):
    zoo.write(
        ".mcp.json",
        """{
  "mcpServers": {
    "time": {"comand": "uvx", "args": []},
    "web": {"url": "https://x.example/mcp", "headers": {"Authorization": "Bearer ${input:key}"}},
    "key": {"command": "a", "env": {"API_KEY": "sk-123"}, "envFile": ".env"},
    "off": {"command": "a", "disabled": true},
  }
}""",
    )
    servers, problems = read(zoo, "[mcp]\nfiles = ['.mcp.json']\n")
    assert list(servers) == ["web", "key"]
    assert problems == [
        ".mcp.json:3:14: warning[TK005]: unknown key 'comand' (did you mean 'command'?)",
        (
            ".mcp.json:3:5: error[TK005]: server 'time' has neither 'command' nor 'url' "
            "(write one: command = 'uvx', or url = 'https://…')"
        ),
        (
            ".mcp.json:4:57: error[TK005]: '${input:key}' is an input that only the editor can ask for "
            "(write ${env:KEY}, which editors support too)"
        ),
        (
            ".mcp.json:5:59: warning[TK005]: server 'key' has an environment file, which is not read "
            "(set the variables yourself, and refer to them: env = { NAME = '${NAME}' })"
        ),
        (
            ".mcp.json:5:37: warning[TK005]: 'mcpServers.key.env.API_KEY' seems to hold a secret "
            "(refer to an environment variable: '${NAME}')"
        ),
    ]


@pytest.mark.parametrize("text", ["", "[]", '{"other": {}}', "{"])
def test_file_that_names_no_servers_is_told(zoo, text):
    zoo.write(".mcp.json", text)
    servers, problems = read(zoo, "[mcp]\nfiles = ['.mcp.json']\n")
    assert (servers, len(problems)) == ({}, 1)
    assert problems[0].startswith(".mcp.json")


def test_server_named_twice_is_told_with_both_places(zoo):
    zoo.write(".mcp.json", json.dumps({"mcpServers": {"time": {"command": "b"}}}))
    servers, problems = read(zoo, "[mcp]\nfiles = ['.mcp.json']\n\n[mcp.time]\ncommand = 'a'\n")
    assert servers["time"].line == "a"
    assert len(problems) == 1
    assert "defines a server 'time', which is already defined in" in problems[0]


def test_own_configuration_names_servers_ready_tools_and_variables_alone(zoo):
    zoo.own("sources = ['x.py']\n\n[mcp.time]\ncommand = 'a'\ntrusted = true\nmeta = 'all'\n")
    servers, problems = read(zoo, "")
    assert [problem.partition(" ")[2] for problem in problems] == [
        "error[TK005]: unknown key 'sources' (the keys are mcp, openapi, builtin, env, audit, keep_runs, webhook)"
    ]
    assert (servers["time"].trusted, servers["time"].owner) == (True, "user")


def test_missing_extra_is_told_with_the_hint(zoo):
    zoo.server()
    program = "import sys; sys.modules['mcp'] = None; from toolkit_cli.main import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "run", "--start", "zoo", "zoo.feed"],
        cwd=zoo.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "MCP servers need 'toolkit-cli[mcp]', which is not installed" in done.stderr
    assert f"{INSTALL} 'toolkit-cli[mcp]'" in done.stderr
    assert Path(zoo.folder / "starts.txt").exists() is False


def test_secrets_of_servers_can_be_in_the_keyring(zoo, tmp_path):
    auth = 'auth = { client_id = "a", client_secret = "${keyring:desk.secret}", issuer = "https://login.example" }'
    servers, problems = read(zoo, f'[mcp.desk]\nurl = "https://desk.example"\n{auth}\n')
    assert (problems, servers["desk"].auth.client_secret) == ([], "${keyring:desk.secret}")
    text = "Bearer ${keyring:desk} ${keyring:desk.secret}"
    assert variables_in({"Authorization": text}) == ["keyring:desk", "keyring:desk.secret"]
    with stored_in(tmp_path / "keyring.json", {"desk": "one", "desk.secret": "two"}):
        assert expand(text, "MCP server 'desk'") == "Bearer one two"
        with pytest.raises(
            ConfigurationError, match="MCP server 'desk' needs the keyring entry 'gone', which is not set; "
        ):
            expand("${keyring:gone}", "MCP server 'desk'")
