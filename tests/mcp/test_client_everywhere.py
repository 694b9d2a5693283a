"""Remote tools in every place where tools are named: pipelines, groups, agents, the library, facades."""

import asyncio
import json
import sys

import pytest

from tests.mcp.conftest import SERVER
from toolkit import Continue, InvalidTools, ToolCall, ToolContext, load_pipeline, load_tools
from toolkit.agents import ScriptedModel, run_agent
from toolkit.approvals import ScriptedReviewer
from toolkit.mcp import McpTools, StdioServer

PIPELINE = """
toolkit: 1
name: breakfast
description: Feed an animal, then weigh it.
inputs:
  animal: {type: string}
steps:
  - id: fed
    use: zoo.feed
    with: {animal: "${{ inputs.animal }}"}
  - id: weight
    use: zoo.weigh-it
    with: {animal: "${{ inputs.animal }}"}
output: "${{ steps.fed.text }}: ${{ steps.weight.output.kilograms }} kg"
"""


def server(zoo, name="zoo", behaviour="plain", **options):
    return StdioServer(name, sys.executable, (str(SERVER), behaviour), cwd=zoo.folder, **{"trusted": True, **options})


def test_pipeline_calls_remote_tools_by_their_addresses_in_one_session(zoo):
    zoo.server()
    zoo.write("breakfast.yaml", PIPELINE)
    done = zoo.run("run", "--start", "zoo", "--yes", "-q", "breakfast.yaml", "animal=lion")
    assert (done.stdout, done.exit_code) == ("lion is fed: 190.5 kg\n", 0)
    assert len(zoo.starts) == 1


def test_pipeline_asks_about_each_remote_step_before_any_work(zoo):
    zoo.server()
    zoo.write("breakfast.yaml", PIPELINE)
    done = zoo.run("run", "--start", "zoo", "breakfast.yaml", "animal=lion")
    assert done.exit_code == 3
    assert done.stderr.count("needs approval") == 2
    assert zoo.sent("tools/call") == []


def test_library_opens_servers_that_are_allowed(zoo, monkeypatch):
    zoo.server()
    zoo.write("breakfast.yaml", PIPELINE)
    with pytest.raises(InvalidTools, match="needs your consent before it is started"):
        load_tools("zoo")
    monkeypatch.setenv("TOOLKIT_MCP_START", "zoo")
    reviewer = ScriptedReviewer([Continue(), Continue()])
    assert (
        load_tools("zoo.feed")["zoo_feed"].run({"animal": "cat"}, ToolContext(reviewer=reviewer)).output == "cat is fed"
    )
    breakfast = load_pipeline("breakfast.yaml")
    assert [step.tool.name for step in breakfast.plan.steps] == ["zoo_feed", "zoo_weigh_it"]


def test_settings_narrow_what_is_offered_and_say_what_is_required(zoo):
    zoo.server(
        "plain", "tools = ['feed', '/^w/', 'bury']", "exclude = ['b*']", "required = ['feed', 'fly']", "prefix = 'z_'"
    )
    done = zoo.run("list", "--start", "zoo", "zoo")
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["NAME", "zoo.feed", "zoo.weigh-it"]
    assert "error[TK008]: MCP server 'zoo' lacks its required tool 'fly'" in done.stderr
    assert "hint: it has ask, borrow, bury, change, count" in done.stderr
    assert done.exit_code == 2
    assert zoo.run("schema", "--start", "zoo", "z_feed").exit_code == 0


@pytest.mark.proof
def test_group_chooses_among_the_tools_of_a_server(zoo):
    zoo.server(
        head="[groups.keepers]\nsources = ['zoo']\ntools = ['zoo_feed', 'zoo_w*']\n\n[groups.one]\ntools = ['zoo.bury']\n"
    )
    assert zoo.run("run", "-q", "calculator", "1+1").exit_code == 0
    assert zoo.starts == []
    keepers = zoo.run("list", "--start", "zoo", "--format", "json", "keepers")
    assert [one["name"] for one in json.loads(keepers.stdout)] == ["zoo_feed", "zoo_weigh_it"]
    done = zoo.run("run", "--start", "zoo", "--yes", "-q", "one.zoo_bury", "animal=mouse")
    assert done.exit_code in {0, 1}
    assert zoo.sent("tools/call")[0]["params"]["name"] == "bury"


@pytest.mark.proof
def test_tools_are_found_by_name_by_pattern_and_by_condition(zoo):
    tools = McpTools(server(zoo), server(zoo, "dead", "failing"))
    assert tools.tool("feed").address == "zoo.feed"
    assert tools.tool("zoo_weigh_it").wire_name == tools.tool("zoo.weigh-it").wire_name == "weigh-it"
    assert tools.tool("nothing") is None
    assert [one.wire_name for one in tools.tools(names={"bury", "zoo.feed"})] == ["feed", "bury"]
    assert [one.wire_name for one in tools.tools(matching=["c*", "/^s.y$/"])] == ["say", "count", "change"]
    assert [one.wire_name for one in tools.tools(where=lambda one: one.spec.destructive)] == ["bury"]
    with pytest.raises(InvalidTools, match=r"there is no remote tool 'fly' .there are ask, borrow, bury, change, "):
        tools.required_tool("fly")
    with pytest.raises(InvalidTools, match="did you mean 'feed'"):
        tools.required_tool("fed")


@pytest.mark.proof
def test_required_tool_of_servers_that_are_down_is_told_with_the_reason(zoo):
    with pytest.raises(InvalidTools, match="MCP server 'dead' ended before it had answered"):
        McpTools(server(zoo, "dead", "failing")).required_tool("feed")


def test_two_servers_of_one_name_are_refused(zoo):
    with pytest.raises(InvalidTools, match="two MCP servers are called 'zoo'"):
        McpTools(server(zoo), server(zoo))


def test_facade_contacts_nobody_until_it_is_called_and_follows_changes(zoo):
    facade = McpTools(server(zoo)).facade("zoo", "Care for animals.", matching=["feed", "new", "change"])
    assert zoo.starts == []
    revealed = facade.run()
    assert revealed.output == "Tools now available: zoo_feed, zoo_change. Call the one that you need."
    revealed.artifact.tools[1].run({})
    revealed.artifact.tools[0].run({"animal": "lion"})
    assert facade.run().output == "Tools now available: zoo_new, zoo_feed, zoo_change. Call the one that you need."


@pytest.mark.proof
def test_facade_of_servers_that_are_down_is_a_failed_call(zoo):
    result = McpTools(server(zoo, "dead", "failing")).facade("zoo", "Care for animals.").run()
    assert (result.error_code, result.succeeded) == ("network", False)
    assert "MCP server 'dead' ended before it had answered" in result.error


@pytest.mark.proof
def test_agent_unfolds_a_facade_and_calls_what_is_behind_it(zoo):
    turns: list[ToolCall | str] = [ToolCall("zoo"), ToolCall("zoo_feed", '{"animal": "lion"}'), "done"]
    facade = McpTools(server(zoo)).facade("zoo", "Care for animals.", names=["feed"])
    result = asyncio.run(
        run_agent(ScriptedModel(turns), "Feed the lion.", [facade], context=ToolContext(reviewer=ScriptedReviewer([])))
    )
    assert result.text == "done"
    assert len(zoo.sent("tools/call")) == 1
