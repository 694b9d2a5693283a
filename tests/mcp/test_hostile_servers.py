"""A server that means no good: whatever it says, every call ends, and nothing but that call is harmed."""

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from toolkit import ToolResult
from toolkit.mcp import StdioServer, close_sessions, connection_to, tools_from, wait_for

SERVER = Path(__file__).with_name("hostile_server.py")
SCALE = int(os.environ.get("TOOLKIT_MCP_SCALE", "1"))


@pytest.mark.proof
def test_every_call_ends_whatever_a_server_says_before_its_answer_or_in_its_place(figure):
    calls = 60 * SCALE
    server = StdioServer(
        "hostile",
        sys.executable,
        (str(SERVER), str(calls), "20261125"),
        env={"PYTHONPATH": str(SERVER.parents[2])},
        trusted=True,
        timeout=0.5,
    )
    try:
        listed = wait_for(connection_to(server).listing())
        [count], _ = tools_from(server, listed)
        results = [count.run({}) for _ in range(calls)]
        [patient], _ = tools_from(replace(server, timeout=60), listed)
        last = patient.run({})
    finally:
        close_sessions()
    assert all(isinstance(result, ToolResult) for result in results)
    assert last.output == f"call {calls + 1}"
    answered = sum(result.succeeded for result in results)
    assert answered >= calls // 2
    figure(
        f"{calls} calls of a hostile server all ended ({answered} answered, the rest failed), and the next one was answered"
    )
