"""Tools over stdio and HTTP, to clients of both eras: the real program, and the SDK's own client."""

import asyncio
import json
import subprocess
from types import SimpleNamespace

import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError

from tests.mcp.served import PROGRAM, over_http, over_stdio

TOOLS = '''
import asyncio, os, subprocess, sys, time
from typing import TypedDict

from toolkit import ToolContext, tool

sys.stdout.write("printed while it is imported\\n")

class Weather(TypedDict):
    city: str
    degrees: float

@tool(read_only=True, idempotent=True, open_world=False)
def forecast(city: str) -> Weather:
    """Tell the weather of a city."""
    return {"city": city, "degrees": 21.5}

@tool(read_only=True)
def count(to: int) -> list[int]:
    """Count."""
    return list(range(to))

@tool(read_only=True)
def talk() -> str:
    """Write wherever there is to write."""
    print("printed")
    os.write(1, b"written to the descriptor\\n")
    subprocess.run([sys.executable, "-c", "print('printed by a child')"], check=True)
    return f"read {sys.stdin.read()!r} and {os.read(0, 10)!r}"

@tool(read_only=True)
def leave() -> str:
    """Leave the program."""
    sys.exit(3)

class Odd(BaseException):
    pass

@tool(read_only=True)
async def odd() -> str:
    """Raise what nobody expects."""
    raise Odd("strange")

@tool(read_only=True)
async def give_up() -> str:
    """Raise what only a cancelled call raises."""
    raise asyncio.CancelledError

@tool(read_only=True)
async def orphan() -> str:
    """Start a task that leaves the program."""
    async def exit_now():
        raise KeyboardInterrupt
    task = asyncio.ensure_future(exit_now())
    await asyncio.wait([task])
    return f"survived {type(task.exception()).__name__}"

@tool(read_only=True)
async def values(context: ToolContext) -> str:
    """Tell what came with the call."""
    return " ".join(f"{name}={context.get(name)}" for name in ("tenant", "role", "colour", "traceparent"))

@tool
def write(path: str) -> str:
    """Write a file."""
    return f"wrote {path}"
'''
PIPELINE = """
toolkit: 1
name: report
description: Report the weather of a city.
tools: [./tools.py]
inputs:
  city: {type: string, description: The city}
steps:
  - use: forecast
    with: {city: "${{ inputs.city }}"}
  - use: count
    with: {to: 2}
"""
TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
OPTIONS = ["tools.py", "report.yaml", "--meta", "tenant", "--context", "colour=red"]


async def scenario(client):
    """Do everything that one session is asked about, and return what came back."""
    seen = SimpleNamespace(version=client.protocol_version, told=[])
    seen.offered = (await client.list_tools()).tools
    seen.again = (await client.list_tools()).tools

    async def tell(value, of, message):
        seen.told.append((value, of, message))

    for name in ("talk", "leave", "odd", "give_up", "orphan"):
        setattr(seen, name, await client.call_tool(name, {}))
    seen.forecast = await client.call_tool("forecast", {"city": "Oslo"})
    seen.count = await client.call_tool("count", {"to": 3})
    seen.faulty = await client.call_tool("forecast", {"town": "Oslo"})
    seen.write = await client.call_tool("write", {"path": "a.txt"})
    meta = {"tenant": "acme", "role": "admin", "traceparent": TRACE}
    seen.values = await client.call_tool("values", {}, meta=meta)
    seen.report = await client.call_tool("report", {"city": "Oslo"}, progress_callback=tell)
    try:
        await client.call_tool("forcast", {})
    except MCPError as error:
        seen.unknown = error.error
    return seen


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    (folder / "tools.py").write_text(TOOLS, "utf-8")
    (folder / "report.yaml").write_text(PIPELINE, "utf-8")
    return folder


@pytest.fixture(scope="module", params=["stdio, handshake", "stdio, stateless", "http, handshake", "http, stateless"])
def seen(request, project):
    carrier, _, era = request.param.partition(", ")
    mode = {"handshake": "legacy", "stateless": "auto"}[era]

    async def talk():
        if carrier == "stdio":
            async with over_stdio(project, *OPTIONS, mode=mode) as client:
                return await scenario(client)
        with over_http(project, *OPTIONS) as (_, url):
            async with Client(url, mode=mode) as client:
                return await scenario(client)

    observed = asyncio.run(talk())
    observed.is_stateless = era == "stateless"
    return observed


def text(result):
    [part] = result.content
    return part.text


@pytest.mark.proof(everyday=2)
def test_both_eras_are_spoken(seen):
    assert seen.version == ("2026-07-28" if seen.is_stateless else "2025-11-25")


@pytest.mark.proof(everyday=1)
def test_tools_stand_in_the_order_of_their_definition_every_time(seen):
    names = ["forecast", "count", "talk", "leave", "odd", "give_up", "orphan", "values", "write", "report"]
    assert [tool.name for tool in seen.offered] == names
    assert seen.again == seen.offered


def test_list_may_neither_be_kept_nor_shared(project):
    async def talk():
        async with over_stdio(project, "tools.py") as client:
            listed = await client.list_tools()
            declared = client.server_capabilities.model_dump(exclude_none=True, exclude={"tools"})
            return listed.ttl_ms, listed.cache_scope, declared

    assert asyncio.run(talk()) == (0, "private", {})


def test_definition_has_schemas_and_hints(seen):
    assert seen.offered[0] == types.Tool(
        name="forecast",
        description="Tell the weather of a city.",
        input_schema={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        output_schema=seen.offered[0].output_schema,
        annotations=types.ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False),
    )
    assert seen.offered[0].output_schema["required"] == ["city", "degrees"]


def test_result_is_text_and_data(seen):
    assert text(seen.forecast) == '{"city":"Oslo","degrees":21.5}'
    assert seen.forecast.structured_content == {"city": "Oslo", "degrees": 21.5}
    assert not seen.forecast.is_error


def test_data_that_is_no_object_travels_as_the_era_allows(seen):
    items = {"type": "array", "items": {"type": "integer"}}
    wrapped = {"type": "object", "properties": {"result": items}, "required": ["result"]}
    assert text(seen.count) == "[0,1,2]"
    assert seen.count.structured_content == ([0, 1, 2] if seen.is_stateless else {"result": [0, 1, 2]})
    assert seen.offered[1].output_schema == (items if seen.is_stateless else wrapped)


@pytest.mark.proof(everyday=1)
def test_faulty_arguments_are_a_failed_call_in_our_words(seen):
    assert (seen.faulty.is_error, text(seen.faulty)) == (
        True,
        "Missing required parameter(s): city; Unknown parameter 'town'",
    )
    assert seen.faulty.meta["toolkit/error_code"] == "invalid_arguments"


def test_unknown_tool_is_an_error_of_the_protocol_with_the_nearest_name(seen):
    assert seen.unknown.code == types.INVALID_PARAMS
    assert seen.unknown.message == "Unknown tool: 'forcast'; did you mean 'forecast'?"


@pytest.mark.proof(everyday=1)
def test_what_tools_print_disturbs_no_message_and_stdin_is_empty(seen):
    assert text(seen.talk) == "read '' and b''"


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leave", "the tool called sys.exit(3)"),
        ("odd", "Odd: strange"),
        ("give_up", "the tool waited for something that was cancelled"),
    ],
)
def test_whatever_a_tool_raises_ends_its_call_alone(seen, name, words):
    assert (getattr(seen, name).is_error, text(getattr(seen, name))) == (True, words)


def test_the_class_of_what_a_tool_raised_is_there_for_programs(seen):
    assert seen.odd.meta["toolkit/exception"] == "Odd"
    assert "toolkit/exception" not in seen.faulty.meta


def test_task_of_a_tool_that_interrupts_ends_nothing(seen):
    assert text(seen.orphan) == "survived KeyboardInterrupt"


def test_pipeline_is_served_and_tells_its_steps(seen):
    assert text(seen.report) == "[0,1]"
    values = [value for value, _, _ in seen.told]
    assert values == sorted(set(values))
    assert [(of, message) for _, of, message in seen.told] == [
        (2.0, "report: 2 steps"),
        (2.0, "step 1/2 · forecast"),
        (2.0, "step 1/2 · forecast: ok"),
        (2.0, "step 2/2 · count"),
        (2.0, "step 2/2 · count: ok"),
    ]


def test_only_named_keys_and_the_trace_cross_from_meta(seen):
    assert text(seen.values) == f"tenant=acme role=None colour=red traceparent={TRACE}"


def test_client_that_cannot_ask_is_refused_and_told_the_flag(seen):
    assert seen.write.is_error
    assert text(seen.write) == (
        "Rejected by reviewer: this call needs approval (a model chose it), and this client cannot ask for it; to "
        "allow it, start the server with --approve 'write(path=a.txt)', or every call of the tool with --approve write"
    )
    assert seen.write.meta["toolkit/error_code"] == "rejected"


def test_flags_allow_calls_beforehand(project):
    async def talk():
        async with over_stdio(project, "tools.py", "--approve", "write(path=a*)") as client:
            return [text(await client.call_tool("write", {"path": path})) for path in ("a.txt", "b.txt")]

    allowed, refused = asyncio.run(talk())
    assert allowed == "wrote a.txt"
    assert refused.startswith("Rejected by reviewer")


def test_stdout_carries_messages_alone(project):
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO}),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"talk","arguments":{}}}',
    ]
    process = subprocess.Popen([*PROGRAM, "tools.py"], cwd=project, stdin=-1, stdout=-1, stderr=-1, encoding="utf-8")
    with process:
        answers = []
        for line in lines:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            if '"id"' in line:
                answers.append(process.stdout.readline())
        process.stdin.close()
        rest, talk = process.stdout.read(), process.stderr.read()
    assert [answer[:25] for answer in answers] == ['{"jsonrpc":"2.0","id":1,"', '{"jsonrpc":"2.0","id":2,"']
    assert rest == ""
    assert process.returncode == 0
    for words in ("printed while it is imported", "printed", "written to the descriptor", "printed by a child"):
        assert f"{words}\n" in talk


def test_requests_that_are_piped_in_are_answered_before_the_end(project):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "count", "arguments": {"to": 2}}},
    ]
    finished = subprocess.run(
        [*PROGRAM, "tools.py", "--quiet"],
        cwd=project,
        input="".join(f"{json.dumps(line)}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    _, answer = map(json.loads, finished.stdout.splitlines())
    assert answer["result"]["content"] == [{"type": "text", "text": "[0,1]"}]
