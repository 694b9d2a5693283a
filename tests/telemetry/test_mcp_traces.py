"""One trace over MCP: from the client that calls a tool to the server that runs it, each of which is observed."""

import json
import sys
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("mcp")

SERVER = """
[mcp.ours]
command = {command}
args = ["-m", "toolkit_cli", "serve", "tools.py"]
cwd = {folder}
env = {{OTEL_EXPORTER_OTLP_ENDPOINT = {url}, OTEL_SERVICE_NAME = "server"}}
"""


def use_server(project, receiver):
    """Configure a server that serves the tools, and is observed itself."""
    text = SERVER.format(
        command=json.dumps(sys.executable), folder=json.dumps(str(project)), url=json.dumps(receiver.url)
    )
    (project / "toolkit.toml").write_text(text, "utf-8")


@pytest.mark.proof
def test_server_continues_the_trace_of_its_client(observed, project, receiver):
    use_server(project, receiver)
    ended = observed("run", "ours.greet", "name=Ada", "--start", "ours", "--yes", OTEL_SERVICE_NAME="client")
    assert (ended.returncode, ended.stdout) == (0, "hello Ada\n")
    called = receiver.named("execute_tool ours_greet")
    sent, answered = sorted(
        (span for span in receiver.spans if span["name"] == "tools/call greet"), key=lambda span: span["kind"]
    )
    worked = receiver.named("execute_tool greet")
    assert [span["parent"] for span in (sent, answered, worked)] == [called["id"], sent["id"], answered["id"]]
    assert receiver.traces() == {called["trace"]}
    assert (sent["kind"], answered["kind"]) == ("client", "server")
    expected = {"mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "greet"}
    assert expected.items() <= sent["attributes"].items()
    assert expected.items() <= answered["attributes"].items()
    assert {"mcp.client.operation.duration", "mcp.server.operation.duration"} <= set(receiver.metrics)


@pytest.mark.proof
def test_server_that_is_started_is_given_the_trace(observed, project, receiver):
    use_server(project, receiver)
    ended = observed("run", "ours.parent", "--start", "ours", "--yes")
    assert ended.stdout.split("-")[:2] == ["00", receiver.named("execute_tool ours_parent")["trace"]]


@pytest.mark.parametrize("is_traced", [False, True])
def test_server_that_records_no_spans_passes_on_the_one_of_its_client(is_traced):
    import anyio
    from mcp.client.client import Client
    from opentelemetry.trace import get_current_span

    from toolkit import Tool
    from toolkit.mcp import ToolServer

    def span() -> str:
        return f"{get_current_span().get_span_context().trace_id:x}"

    async def talk():
        tool = Tool.create("span", "Name the trace.", {"type": "object"}, span, read_only=True)
        async with Client(ToolServer({"span": tool}).protocol) as client:
            meta: Any = {"traceparent": f"00-{'ab' * 16}-{'cd' * 8}-01"} if is_traced else {"who": "me"}
            return (await client.call_tool("span", {}, meta=meta)).content[0].text

    assert anyio.run(talk) == ("ab" * 16 if is_traced else "0")


@pytest.mark.proof
def test_trace_that_is_withheld_from_a_server_does_not_reach_it(observed, project, receiver):
    use_server(project, receiver)
    own = project / "own" / "toolkit" / "config.toml"
    own.parent.mkdir(parents=True)
    text = (project / "toolkit.toml").read_text("utf-8")
    own.write_text(text.replace("args =", 'meta = {deny = ["traceparent"]}\nargs ='), "utf-8")
    (project / "toolkit.toml").unlink()
    ended = observed("run", "ours.greet", "name=Ada", "--yes", XDG_CONFIG_HOME=str(project / "own"))
    assert ended.stdout == "hello Ada\n"
    called, worked = receiver.named("execute_tool ours_greet"), receiver.named("execute_tool greet")
    assert called["trace"] != worked["trace"]
