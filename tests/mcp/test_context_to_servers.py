"""What a caller hands in comes to a remote tool through whatever stands before it, and what it gives comes back."""

import json
import sys
from pathlib import Path

import pytest

from toolkit import Continue, Pipeline, ToolCall, ToolContext
from toolkit.agents import AgentTool, ScriptedModel, Subagent, Turn
from toolkit.approvals import ScriptedReviewer
from toolkit.disclosure import UnfoldingTool
from toolkit.mcp import StdioServer, allow_keys, connection_to, tools_from, wait_for
from toolkit.runs import Run
from toolkit.tools import RecordingMetrics
from toolkit.wrappers import limited

SERVER = str(Path(__file__).with_name("odd_server.py"))


def agent(*calls, tools):
    turns: list[Turn] = [ToolCall(name, json.dumps(arguments)) for name, arguments in calls]
    turns.append(f"{{{calls[-1][0]}}}")
    return AgentTool("clerk", "Speaks.", ScriptedModel(turns), tools, read_only=True)


AROUND = {
    "nothing": lambda say: say,
    "wrappers": lambda say: limited(say.with_note("Softly."), seconds=30.0, characters=1000, calls=2),
    "pipeline": lambda say: Pipeline.of(limited(say, calls=2), name="chain", description="Speaks."),
    "agent": lambda say: agent(("zoo_say", {}), tools=[say]),
    "facade": lambda say: agent(("zoo", {}), ("zoo_say", {}), tools=[UnfoldingTool.of("zoo", "The zoo.", [say])]),
    "subagent in an agent": lambda say: agent(
        ("clerk", {"task": "x"}), tools=[Subagent.of(agent(("zoo_say", {}), tools=[say]))]
    ),
}


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_named_values_cross_the_call_is_asked_about_and_kept(zoo, around):
    server = StdioServer("zoo", sys.executable, (SERVER, "plain"), cwd=zoo.folder, converter=allow_keys("tenant"))
    [say] = [
        tool for tool in tools_from(server, wait_for(connection_to(server).listing()))[0] if tool.wire_name == "say"
    ]
    reviewer, metrics, events, run = ScriptedReviewer([Continue()]), RecordingMetrics(), [], Run(id="outer")
    context = ToolContext({"tenant": "acme", "password": "hunter2"}, reviewer=reviewer, metrics=metrics,
                          listener=events.append, run=run)  # fmt: skip
    whole = around(say)
    result = whole.run({"task": "speak"} if "task" in whole.spec.properties else {}, context)
    assert json.loads(result.output)["tenant"] == "acme", result
    [sent] = zoo.sent("tools/call")
    assert sent["params"]["_meta"]["tenant"] == "acme"
    assert "hunter2" not in (zoo.folder / "sent.jsonl").read_text("utf-8")
    assert [request.risk.tool for request in reviewer.requests] == ["zoo_say"]
    assert run.counts["zoo_say"] == 1
    assert ("success", "zoo_say") in metrics.operations()
    assert [event.tool for event in events if event.kind == "tool_finished"].count("zoo_say") == 1
