"""The command `toolkit serve`: how it starts, is reloaded, and ends."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml
from mcp.client.client import Client
from typer.testing import CliRunner

from tests.installers import INSTALL
from tests.mcp.served import PROGRAM, environment, over_http, over_stdio, until
from toolkit.mcp import Options
from toolkit.mcp.serving.http_requests import HttpAccess  # private
from toolkit_cli.main import application
from toolkit_cli.serving import server_transports  # private
from toolkit_cli.serving.places import parse_place  # private

GREET = '''
from toolkit import tool

@tool(read_only=True)
def greet(name: str) -> str:
    """Greet somebody."""
    return f"hello {name}"
'''
TOKEN = "0123456789abcdef0123"  # noqa: S105 - of no server that anybody reaches


@pytest.fixture
def project(tmp_path):
    (tmp_path / "tools.py").write_text(GREET, "utf-8")
    return tmp_path


def run(project, *arguments, **more):
    return subprocess.run(
        [*PROGRAM, *arguments],
        cwd=project,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("arguments", "exit_code", "message"),
    [
        (["tols.py"], 4, "error[TK001]: there is no file 'tols.py'\nhint: did you mean 'tools.py'?\n"),
        (["tools.py", "--http", "here"], 2, "error: --http: 'here' is not an address to listen on\nhint: write 8000, "),
        (
            ["tools.py", "--http", "::1:8000"],
            2,
            "error: --http: '::1:8000' is not an address to listen on\nhint: write 8000, ",
        ),
        (["tools.py", "--http", "0.0.0.0:0"], 2, "error: other machines can connect to '0.0.0.0', so a "),
        (
            ["tools.py", "--http", "0", "--allow-host", "https://shop.example/mcp"],
            2,
            "error: --allow-host: 'https://shop.example/mcp' is not a host name\nhint: write shop.example or shop.example:8443\n",
        ),
        (
            ["tools.py", "--timeout", "soon"],
            2,
            "error: --timeout: 'soon' is not a duration\nhint: write 500ms, 30s or 5m\n",
        ),
        (
            ["tools.py", "--meta", "progressToken"],
            2,
            "error: the protocol reserves the name 'progressToken' for itself\n",
        ),
        (
            ["tools.py", "--approve", "("],
            2,
            "error: --approve: '(' is not a rule: write 'tool' or 'tool(argument=glob)'\n",
        ),
        (["tools.py", "--directory", "nowhere"], 4, "error: --directory: cannot change to 'nowhere': no such file or "),
        (
            ["tools.py", "--name", "my shop", "--print-config", "claude"],
            2,
            "error: --name: 'my shop' is not valid in every client's configuration\nhint: use letters, digits, '_' and '-'",
        ),
        ([], 2, "error: there are no tools to serve\nhint: name a file, a folder or a tool; or add `sources` to "),
        (["tools.py", "--http", "0", "--print-config", "claude"], 2, "error: --print-config needs a fixed port"),
    ],
    ids=str,
)
def test_wrong_start_is_told_before_anything_is_served(project, monkeypatch, arguments, exit_code, message):
    monkeypatch.chdir(project)
    monkeypatch.delenv("TOOLKIT_SERVE_TOKEN", raising=False)
    finished = CliRunner().invoke(application(), ["serve", *arguments])
    assert (finished.exit_code, finished.stdout) == (exit_code, "")
    assert finished.stderr.startswith(message), finished.stderr


def test_broken_tools_are_told(project):
    (project / "tools.py").write_text("from toolkit import tool\n\n@tool\ndef greet(\n", "utf-8")
    finished = run(project, "tools.py")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert "error[TK002]" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_short_token_opens_no_door(project):
    finished = run(project, "tools.py", "--http", "0", TOOLKIT_SERVE_TOKEN=TOKEN[:8])
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.startswith(
        "error: the bearer token in TOOLKIT_SERVE_TOKEN has 8 characters; it needs at least 16\n"
    )


def test_port_that_is_taken_is_told(project):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = run(project, "tools.py", "--http", str(port))
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == (
        f"error: cannot listen at 127.0.0.1:{port}: address already in use\n"
        "hint: choose another port; --http 0 picks a free one\n"
    )


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("options", [(), ("--http", "0"), ("--print-config", "claude")])
def test_missing_extra_is_named(project, options):
    hidden = "import sys\nsys.modules.update(dict.fromkeys(['mcp', 'mcp_types']))\n"
    (project / "sitecustomize.py").write_text(hidden, "utf-8")
    finished = run(project, "tools.py", *options, PYTHONPATH=str(project))
    assert (finished.returncode, finished.stdout, finished.stderr) == (
        2,
        "",
        f"error[TK005]: serving needs 'toolkit-cli[mcp]', which is not installed\nhint: {INSTALL} 'toolkit-cli[mcp]'\n",
    )


@pytest.mark.proof
@pytest.mark.parametrize("client", ["claude", "cursor", "vscode"])
def test_printed_configuration_starts_the_server_from_anywhere(project, client, tmp_path_factory):
    options = ["--approve", "greet", "--meta", "tenant", "--timeout", "5s", "--name", "shop", "--yes", "--reload"]
    finished = run(project, "tools.py", *options, "--context", "key=hush", "--print-config", client)
    assert (finished.returncode, finished.stderr) == (0, "")
    assert "hush" not in finished.stdout
    [(kind, servers)] = json.loads(finished.stdout).items()
    assert kind == ("servers" if client == "vscode" else "mcpServers")
    entry = servers["shop"]
    assert entry.pop("type", "stdio") == "stdio"
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-11:] == ["tools.py", *options]

    elsewhere = tmp_path_factory.mktemp("elsewhere")

    async def talk():
        from mcp.client.stdio import StdioServerParameters, stdio_client

        parameters = StdioServerParameters(**entry, cwd=str(elsewhere), env={"PATH": ""})
        with (elsewhere / "log").open("w") as log:
            async with Client(stdio_client(parameters, errlog=log)) as connected:
                return await connected.call_tool("greet", {"name": "you"})

    assert asyncio.run(talk()).content[0].text == "hello you"


@pytest.mark.parametrize(
    ("client", "parse", "keys"),
    [
        ("codex", tomllib.loads, ("mcp_servers",)),
        ("goose", yaml.safe_load, ("extensions",)),
        ("opencode", json.loads, ("mcp", "servers")),
        ("zed", json.loads, ("context_servers",)),
    ],
)
def test_printed_configuration_has_the_form_of_the_client(project, client, parse, keys):
    printed = parse(run(project, "tools.py", "--print-config", client).stdout)
    for key in keys:
        [(only, printed)] = printed.items()
        assert only == key
    [(name, entry)] = printed.items()
    assert (name, "tools.py" in str(entry)) == ("toolkit", True)


def test_unknown_client_is_told_with_the_nearest(project):
    finished = run(project, "tools.py", "--print-config", "zedd")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr == "error: --print-config: there is no client 'zedd'\nhint: did you mean 'zed'?\n"


def test_printed_configuration_of_an_address_refers_to_the_token(project):
    finished = run(project, "tools.py", "--http", "8000", "--print-config", "vscode", TOOLKIT_SERVE_TOKEN=TOKEN)
    assert TOKEN not in finished.stdout
    assert json.loads(finished.stdout) == {
        "servers": {
            "toolkit": {
                "type": "http",
                "url": "http://127.0.0.1:8000/mcp",
                "headers": {"Authorization": "Bearer ${env:TOOLKIT_SERVE_TOKEN}"},
            }
        }
    }


def test_printed_configuration_of_every_address_names_this_machine(project):
    finished = run(project, "tools.py", "--http", "0.0.0.0:8000", "--print-config", "claude")
    [entry] = json.loads(finished.stdout)["mcpServers"].values()
    assert entry["url"] == f"http://{socket.gethostname()}:8000/mcp"


def test_door_takes_its_own_names_and_those_that_were_added():
    access = HttpAccess.at(["127.0.0.1", "[::1]", "Shop.example", "other.example:9"], 8000)
    hosts = {"127.0.0.1:8000", "[::1]:8000", "shop.example:8000", "other.example:9"}
    assert access.hosts == hosts
    assert access.origins == {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
    assert HttpAccess.at(["shop.example"], 80).hosts == {"shop.example", "shop.example:80"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("8000", {"127.0.0.1", "localhost"}),
        ("127.0.0.1:8000", {"127.0.0.1", "localhost"}),
        ("localhost:8000", {"127.0.0.1", "localhost"}),
        ("[::1]:8000", {"[::1]", "localhost"}),
        ("[0:0:0:0:0:0:0:1]:8000", {"[::1]", "localhost"}),
        ("127.0.0.2:8000", {"127.0.0.2", "localhost"}),
        ("10.0.0.7:8000", {"10.0.0.7", socket.gethostname()}),
        ("[fd00::7]:8000", {"[fd00::7]", socket.gethostname()}),
        ("shop.example:8000", {"shop.example", socket.gethostname()}),
    ],
)
def test_door_takes_the_names_of_the_address_that_it_listens_on_and_of_no_other_loopback_address(text, names):
    assert set(parse_place(text).names) == names


def knock(url, **headers):
    """Send a request and return the status that it is answered with."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode()
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(url, body, usual | headers)  # noqa: S310 - our own server
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:  # noqa: S310
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def test_token_is_needed_by_everybody_and_seen_by_no_tool(project):
    (project / "tools.py").write_text(
        f"import os\n{GREET}\n@tool(read_only=True)\ndef look() -> str:\n"
        '    """Look for the token."""\n    return str(os.environ.get("TOOLKIT_SERVE_TOKEN"))\n',
        "utf-8",
    )
    with over_http(project, "tools.py", TOOLKIT_SERVE_TOKEN=TOKEN) as (_, url):
        assert [
            knock(url),
            knock(url, Authorization="Bearer wrong"),
            knock(url, Authorization=f"Basic {TOKEN}"),
            knock(url, Authorization=f"Bearer {TOKEN}", Host="evil.example"),
            knock(url, Authorization=f"Bearer {TOKEN}", Origin="http://evil.example"),
        ] == [401, 401, 401, 421, 403]

        async def talk():
            import httpx2
            from mcp.client.streamable_http import streamable_http_client

            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http,
                Client(streamable_http_client(url, http_client=http)) as client,
            ):
                return (await client.call_tool("look", {})).content[0].text

        assert asyncio.run(talk()) == "None"


@pytest.mark.proof(everyday=2)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent")
@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("carrier", ["stdio", "http"])
def test_signal_ends_the_server_and_the_calls_that_run(project, carrier, number, exit_code):
    (project / "tools.py").write_text(
        "import asyncio\nfrom pathlib import Path\nfrom toolkit import tool\n\n"
        '@tool(read_only=True)\nasync def wait() -> str:\n    """Wait."""\n    Path("began").touch()\n'
        '    try:\n        await asyncio.sleep(600)\n    finally:\n        Path("ended").touch()\n    return ""\n',
        "utf-8",
    )

    async def end(process, client):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "wait", {})
            await until((project / "began").exists)
            process.send_signal(number)
            await until(lambda: process.poll() is not None)
            tasks.cancel_scope.cancel()

    if carrier == "http":
        with over_http(project, "tools.py") as (process, url), suppress(Exception):  # as the client finds out

            async def talk():
                async with Client(url) as client:
                    await end(process, client)

            asyncio.run(talk())
    else:
        process = over_pipes(project)
        call = {"name": "wait", "arguments": {}}
        tell(process, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
        tell(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        tell(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})
        asyncio.run(until((project / "began").exists))
        process.send_signal(number)
        process.communicate(timeout=20)
    assert process.returncode == exit_code
    assert (project / "ended").exists()


HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def over_pipes(project):
    """Start a server over stdio, and hold its ends ourselves."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*PROGRAM, "tools.py"],
        cwd=project,
        env=environment(),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        encoding="utf-8",
    )


def tell(process, message):
    process.stdin.write(f"{json.dumps(message)}\n")
    process.stdin.flush()


def test_second_interrupt_while_the_first_is_heeded_ends_the_server_alike():
    async def work(server):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.sleep_forever)
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    assert server_transports._until_the_end({}, Options(), work, None) == 130


def test_end_of_input_ends_the_server_well(project):
    process = over_pipes(project)
    process.communicate(timeout=20)
    assert process.returncode == 0


def test_session_that_has_begun_with_a_handshake_refuses_requests_of_the_stateless_era(project):
    process = over_pipes(project)
    envelope = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    said: list[dict[str, Any]] = [
        {"method": "notifications/initialized"},
        {"id": 1, "method": "initialize", "params": HELLO | {"_meta": envelope}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "ping", "params": {"_meta": envelope}},
        {"id": 3, "method": "ping"},
    ]
    for one in said:
        tell(process, one | {"jsonrpc": "2.0"})
    out, _ = process.communicate(timeout=20)
    answers = sorted(map(json.loads, out.splitlines()), key=lambda answer: answer["id"])

    assert answers[0]["result"]["protocolVersion"] == HELLO["protocolVersion"]
    assert [answer["id"] for answer in answers] == [1, 2, 3]
    assert answers[1]["error"]["code"] == -32600
    assert answers[2]["result"] == {}


def test_client_that_does_not_read_and_leaves_ends_the_server(project):
    process = over_pipes(project)
    tell(process, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO})
    process.stdout.close()
    process.stdin.close()
    assert process.wait(timeout=20) == 0
    process.stderr.close()


@pytest.mark.proof
def test_edited_tools_are_served_and_broken_ones_change_nothing(project):
    file = project / "tools.py"

    async def talk():
        changes = []

        async def listen(message):
            changes.append(message)

        with (project / "log").open("w") as log:
            async with over_stdio(
                project, "tools.py", "--reload", errlog=log, mode="legacy", message_handler=listen
            ) as client:

                async def greeting():
                    return (await client.call_tool("greet", {"name": "you"})).content[0].text

                said = [await greeting()]
                file.write_text(GREET.replace("hello", "howdy"), "utf-8")
                await until(lambda: len(changes) == 1)
                said.append(await greeting())
                file.write_text(GREET.replace("return", "retrun"), "utf-8")
                await until(lambda: "still served" in (project / "log").read_text("utf-8"))
                said.append(await greeting())
                file.write_text(GREET.replace("def greet", "def wave"), "utf-8")
                await until(lambda: len(changes) == 2)
                return said, [tool.name for tool in (await client.list_tools()).tools]

    said, names = asyncio.run(talk())
    assert (said, names) == (["hello you", "howdy you", "howdy you"], ["wave"])
    log = (project / "log").read_text("utf-8")
    assert "error[TK002]" in log
    assert "reloaded: greet\n" in log
    assert "reloaded: wave\n" in log


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("imports", ["from deep.words import HELLO", "from deep import words; HELLO = words.HELLO"])
def test_edited_module_in_a_folder_without_init_is_served(project, imports):
    (project / "shop" / "deep").mkdir(parents=True)
    words = project / "shop" / "deep" / "words.py"
    words.write_text("HELLO = 'hello'\n", "utf-8")
    (project / "shop" / "tools.py").write_text(f"{imports}\n{GREET}".replace('"hello ', '"{HELLO} '), "utf-8")

    async def talk():
        changes = []

        async def listen(message):
            changes.append(message)

        async with over_stdio(project, "shop", "--reload", mode="legacy", message_handler=listen) as client:

            async def greeting():
                return (await client.call_tool("greet", {"name": "you"})).content[0].text

            said = [await greeting()]
            words.write_text("HELLO = 'good morning'\n", "utf-8")
            await until(lambda: len(changes) == 1)
            return [*said, await greeting()]

    assert asyncio.run(talk()) == ["hello you", "good morning you"]


@pytest.mark.proof
def test_edit_that_interrupts_its_own_import_changes_nothing(capsys):
    def reopen():
        raise KeyboardInterrupt

    assert server_transports.last_good(reopen) is None
    assert capsys.readouterr().err == (
        "error: importing a module raised KeyboardInterrupt\nthe last good tools are still served\n"
    )


@pytest.mark.proof
def test_configured_time_is_for_single_calls_and_the_option_for_all(project):
    (project / "toolkit.toml").write_text('[defaults]\ntimeout = "100ms"\n', "utf-8")
    (project / "tools.py").write_text(
        "import asyncio\nfrom toolkit import tool\n\n"
        '@tool(read_only=True)\nasync def wait(seconds: float) -> str:\n    """Wait."""\n'
        "    await asyncio.sleep(seconds)\n    return 'waited'\n",
        "utf-8",
    )
    (project / "waits.yaml").write_text(
        "toolkit: 1\nname: waits\ndescription: Wait.\ntools: [./tools.py]\nsteps:\n"
        "  - {id: wait, use: wait, with: {seconds: 0.3}}\n",
        "utf-8",
    )

    async def talk(*options):
        async with over_stdio(project, "tools.py", "waits.yaml", *options) as client:
            called = [
                await client.call_tool("wait", {"seconds": 0.3}),
                await client.call_tool("waits", {}),
            ]
            return [result.content[0].text for result in called]

    assert asyncio.run(talk()) == ["timed out after 100ms", "waited"]
    assert asyncio.run(talk("--timeout", "200ms")) == ["timed out after 200ms"] * 2


COUNTING = '''
import asyncio
from toolkit import tool

running, most = 0, 0

@tool(read_only=True)
async def count() -> int:
    """Count how many of its calls run at the same time."""
    global running, most
    running += 1
    most = max(most, running)
    for _ in range(100):
        await asyncio.sleep(0)
    running -= 1
    return most
'''


def test_limits_of_the_configuration_bound_the_calls_of_clients(project):
    (project / "tools.py").write_text(COUNTING, "utf-8")
    (project / "toolkit.toml").write_text("[limits.count]\nconcurrency = 1\n", "utf-8")

    async def talk():
        async with over_stdio(project, "tools.py") as client:
            called = await asyncio.gather(*(client.call_tool("count", {}) for _ in range(8)))
            return [result.content[0].text for result in called]

    assert asyncio.run(talk()) == ["1"] * 8
