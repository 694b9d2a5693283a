"""Our server between clients and the servers behind it: one server of many, started as processes."""

import asyncio
import json
import re
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import anyio
import mcp_types as types
import pexpect
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError

from tests.mcp.raw import RawHttp, message
from tests.mcp.served import PROGRAM, environment, until

BEHIND = Path(__file__).with_name("behind_server.py")
SHOP = '''
from toolkit import tool

@tool(read_only=True)
def order(number: str) -> str:
    """Look an order up."""
    return f"order {number}"
'''
SETTINGS = """
[mcp.github]
command = '{python}'
args = ['{server}', 'github']
cwd = '.'
env = {{ API_KEY = '${{GITHUB_KEY}}' }}
exclude = ['secret']
resources = ['docs://*']
prompts = ['review', 'grown']

[mcp.desk]
command = '{python}'
args = ['{server}', 'desk']
cwd = '.'
prefix = ''
tools = ['greet', 'die']
"""
KEY = "k-0123456789abcdef"
ERAS = ("legacy", "auto")
GITHUB = ["github_count", "github_die", "github_greet", "github_grow", "github_measure", "github_wait"]


@pytest.fixture
def project(tmp_path):
    (tmp_path / "shop.py").write_text(SHOP, "utf-8")
    (tmp_path / "toolkit.toml").write_text(SETTINGS.format(python=sys.executable, server=BEHIND), "utf-8")
    return tmp_path


@asynccontextmanager
async def client_of(project, *options, mode="legacy", targets=("github", "desk", "shop.py"), **more):
    """Give a client of our server in front of the servers."""
    allowed = ["--start", "github", "--start", "desk", "--approve", "*", "-q"]
    parameters = StdioServerParameters(
        command=PROGRAM[0],
        args=[*PROGRAM[1:], *targets, *allowed, *options],
        cwd=str(project),
        env=environment(GITHUB_KEY=KEY, TOOLKIT_AUDIT="1", XDG_STATE_HOME=str(project / "state")),
    )
    errors = (project / "errors.txt").open("w", encoding="utf-8")
    with errors:
        async with Client(stdio_client(parameters, errlog=errors), mode=mode, **more) as client:
            yield client


def speak(project, protocol):
    """Have our client speak a version of the protocol to the first server."""
    file = project / "toolkit.toml"
    file.write_text(file.read_text("utf-8").replace("\nexclude", f"\nprotocol = '{protocol}'\nexclude"), "utf-8")


async def names(client):
    return sorted(tool.name for tool in (await client.list_tools()).tools)


async def said(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    return result.content[0].text


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("mode", ERAS)
def test_many_servers_and_files_are_one_server(project, mode):
    async def use():
        async with client_of(project, mode=mode) as client:
            assert await names(client) == sorted([*GITHUB, "die", "greet", "order"])
            return [
                await said(client, "github_greet", name="ada"),
                await said(client, "greet", name="ada"),
                await said(client, "order", number="7"),
            ]

    assert asyncio.run(use()) == ["github greets ada", "desk greets ada", "order 7"]
    lines = (project / "state/toolkit/audit.jsonl").read_text("utf-8").splitlines()
    decisions = [one for one in map(json.loads, lines) if one["event"] == "decision"]
    assert [(one["tool"], one["source"]) for one in decisions] == [
        ("github_greet", "mcp://github"),
        ("greet", "mcp://desk"),
        ("order", "shop.py"),
    ]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("mode", ERAS)
def test_resources_and_prompts_pass_only_where_a_rule_allows_them(project, mode):
    async def use():
        async with client_of(project, mode=mode) as client:
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            prompts = (await client.list_prompts()).prompts
            read = (await client.read_resource("docs://guide")).contents[0]
            page = (await client.read_resource("docs://pages/7")).contents[0]
            prompt = await client.get_prompt("github_review", {"what": "this"})
            refused = []
            for ask in (
                client.read_resource("keys://private"),
                client.read_resource("docs://pages/..%2Fx"),
                client.get_prompt("github_hidden"),
                client.get_prompt("review", {"what": "this"}),
                client.read_resource("docs://nowhere"),
            ):
                with pytest.raises(MCPError) as error:
                    await ask
                refused.append(error.value.message)
            return resources, templates, prompts, read.text, page.text, prompt.messages[0].content.text, refused

    resources, templates, prompts, read, page, prompt, refused = asyncio.run(use())
    assert [(one.uri, one.description, one.mime_type) for one in resources] == [
        ("docs://guide", "The guide.", "text/markdown")
    ]
    assert [one.uri_template for one in templates] == ["docs://pages/{page}"]
    assert [(one.name, [argument.name for argument in one.arguments]) for one in prompts] == [
        ("github_review", ["what"])
    ]
    assert (read, page, prompt) == ("# Guide of github, for **********", "page 7", "Review this.")
    assert refused[:4] == [
        "No resource is served at 'keys://private'",
        "No resource is served at 'docs://pages/..%2Fx'",
        "Unknown prompt: 'github_hidden'",
        "Unknown prompt: 'review'",
    ]
    assert refused[4].startswith("MCP server 'github' refuses: ")
    text = (project / "state/toolkit/audit.jsonl").read_text("utf-8")
    read_ones = [one["tool"] for one in map(json.loads, text.splitlines()) if " in [mcp." in str(one.get("by"))]
    assert read_ones == ["docs://guide", "docs://pages/7", "github_review", "docs://nowhere"]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("mode", ERAS)
def test_nothing_else_is_declared_without_a_rule(project, mode):
    async def use():
        async with client_of(project, mode=mode, targets=("desk", "shop.py")) as client:
            able = client.server_capabilities
            with pytest.raises(MCPError) as error:
                await client.list_resources()
            return able.resources, able.prompts, error.value.message

    assert asyncio.run(use()) == (None, None, "Method not found")


@pytest.mark.proof
def test_what_was_read_counts_as_untrusted(project):
    (project / "toolkit.policy.yaml").write_text("deny: [{tool: order, after: untrusted}]\n", "utf-8")

    async def use():
        async with client_of(project) as client:
            before = await said(client, "order", number="7")
            await client.read_resource("docs://guide")
            return before, await said(client, "order", number="7")

    before, after = asyncio.run(use())
    assert (before, after.startswith("Denied by deny rule, toolkit.policy.yaml:1")) == ("order 7", True)


@pytest.mark.proof
@pytest.mark.parametrize("mode", ERAS)
def test_changed_lists_of_a_server_pass_through(project, mode):
    speak(project, "handshake" if mode == "legacy" else "auto")
    heard: list[str] = []

    async def hear(message: Any) -> None:
        heard.append(type(message).__name__)

    async def use():
        async with client_of(project, mode=mode, message_handler=hear) as client:
            if mode == "legacy":
                assert "github_grown" not in await names(client)
                await said(client, "github_grow")
                await until(lambda: len(set(heard)) == 3)
            else:
                flags = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
                async with client.listen(**flags) as changes:
                    await said(client, "github_grow")
                    async for change in changes:
                        heard.append(type(change).__name__)
                        if len(set(heard)) == 3:
                            break
            with anyio.fail_after(20):
                while "github_grown" not in (listed := await names(client)):
                    continue  # the change that was heard first may be an earlier one
            assert "order" in listed
            uris = [one.uri for one in (await client.list_resources()).resources]
            prompts = [one.name for one in (await client.list_prompts()).prompts]
            return uris, prompts, await said(client, "github_grown")

    assert asyncio.run(use()) == (["docs://guide", "docs://grown"], ["github_review", "github_grown"], "grown")


@pytest.mark.proof
@pytest.mark.parametrize("mode", ERAS)
def test_progress_passes_through(project, mode):
    seen: list[tuple[float, float | None, str | None]] = []

    async def progress(value: float, total: float | None, message: str | None) -> None:
        seen.append((value, total, message))

    async def use():
        async with client_of(project, mode=mode) as client:
            result = await client.call_tool("github_count", {}, progress_callback=progress)
            return result.content[0].text

    assert asyncio.run(use()) == "three"
    assert seen == [(1, 3, "number 1"), (2, 3, "number 2"), (3, 3, "number 3")]


@pytest.mark.proof
@pytest.mark.parametrize("mode", ERAS)
def test_cancellation_passes_through(project, mode):
    async def use():
        async with client_of(project, mode=mode) as client:
            call = asyncio.create_task(client.call_tool("github_wait", {}))
            await until((project / "github.waiting").exists)
            call.cancel()
            await until((project / "github.cancelled").exists)
            return await said(client, "order", number="7")

    assert asyncio.run(use()) == "order 7"


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("mode", ERAS)
def test_question_of_a_server_passes_through(project, mode):
    speak(project, "handshake")  # in the other era, a server asks in the answer to a call
    asked: list[str] = []

    async def answer(_: Any, params: Any) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(action="accept", content={"size": "XL", "sure": True})

    async def use():
        async with client_of(project, mode=mode, elicitation_callback=answer) as client:
            return await said(client, "github_measure")

    assert asyncio.run(use()) == "size XL"
    assert [("Which size?" in one, "github" in one) for one in asked] == [(True, True)]


@pytest.mark.proof
def test_server_that_dies_takes_no_other_down_and_is_started_again(project):
    async def use():
        async with client_of(project) as client:
            died = await said(client, "github_die")
            others = await said(client, "greet", name="ada"), await said(client, "order", number="7")
            return died, others, await said(client, "github_greet", name="ada")

    died, others, again = asyncio.run(use())
    assert died == "MCP server 'github' ended before it had answered"
    assert (others, again) == (("desk greets ada", "order 7"), "github greets ada")


@pytest.mark.proof
def test_server_that_is_down_at_the_start_joins_when_it_is_up(project):
    (project / "github.down").touch()
    heard: list[Any] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    async def use():
        async with client_of(project, message_handler=hear) as client:
            before = await names(client)
            (project / "github.down").unlink()
            await until(lambda: any(isinstance(one, types.ToolListChangedNotification) for one in heard))
            return before, await names(client), await said(client, "github_greet", name="ada")

    before, after, greeting = asyncio.run(use())
    assert before == ["die", "greet", "order"]
    assert (after, greeting) == (sorted([*GITHUB, *before]), "github greets ada")


@pytest.mark.proof
def test_tools_of_a_server_that_stays_down_say_why(project):
    async def use():
        async with client_of(project) as client:
            (project / "github.down").touch()
            await said(client, "github_die")
            failed = await said(client, "github_greet", name="ada")
            with pytest.raises(MCPError) as error:
                await client.read_resource("docs://guide")
            return failed, error.value.message, await said(client, "greet", name="ada")

    why = "MCP server 'github' ended before it had answered; its last output: it is down"
    assert asyncio.run(use()) == (why, why, "desk greets ada")


@pytest.mark.proof
def test_tool_that_is_hidden_or_denied_is_nowhere_but_in_the_list_of_reasons(project, zoo, monkeypatch):
    monkeypatch.setenv("GITHUB_KEY", KEY)
    (project / "toolkit.policy.yaml").write_text("deny: [{tool: github_wait}]\n", "utf-8")
    done = zoo.run("list", "--why", "github", "shop.py", "--start", "github", "--format", "json")
    offers = {one["name"]: (one["offered"], one["why"]) for one in json.loads(done.stdout)}
    assert {name: offers[name] for name in ("github_secret", "github_wait", "github_greet")} == {
        "github_secret": ("no", "left out: exclude = ['secret'] in [mcp.github]"),
        "github_wait": ("no", "denied: deny rule, toolkit.policy.yaml:1"),
        "github_greet": ("yes", ""),
    }

    async def use():
        async with client_of(project) as client:
            listed = await names(client)
            refused = []
            for name in ("github_secret", "github_waits"):
                with pytest.raises(MCPError) as error:
                    await client.call_tool(name, {})
                refused.append(error.value.message)
            return listed, "".join(refused), await said(client, "github_wait")

    listed, refused, denied = asyncio.run(use())
    assert {"github_secret", "github_wait"}.isdisjoint(listed)
    assert refused.count("github_secret") == refused.count("github_wait") == 1
    assert denied.startswith("Denied by deny rule, toolkit.policy.yaml:1")


@pytest.mark.proof
def test_consent_that_was_given_once_is_not_asked_for_again(project):
    """Serve with the answer `o` of a terminal: a changed list is read again without a question."""
    terminal = pexpect.spawn(
        PROGRAM[0],
        [*PROGRAM[1:], "github", "shop.py", "--http", "0", "--approve", "github_grow"],
        cwd=str(project),
        env=environment(GITHUB_KEY=KEY),
        encoding="utf-8",
        timeout=60,
    )
    try:
        terminal.expect("Start the MCP server 'github'")
        terminal.expect(">\x1b")
        terminal.send("o\r")
        terminal.expect(r"http://127\.0\.0\.1:\d+/mcp")
        client = RawHttp("127.0.0.1", int(re.sub(r".*:(\d+)/mcp", r"\1", str(terminal.after))))
        client.shake_hands()
        client.ask(message("tools/call", 1, name="github_grow", arguments={}))
        ends = monotonic() + 20
        while "github_grown" not in str(client.ask(message("tools/list", 2))):
            assert monotonic() < ends
    finally:
        terminal.close(force=True)
