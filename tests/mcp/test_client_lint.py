"""Definitions of MCP servers are looked at like any others, pinned, and held against what was pinned."""

import pytest

from tests.mcp.conftest import BREAKFAST

ALLOWED = ("--start", "zoo", "--no-cache")


def codes(done):
    """Return the place and the code of each finding."""
    return [tuple(line.split(" ")[:2]) for line in done.stdout.splitlines() if line and not line.startswith(" ")]


def test_hidden_instructions_in_the_description_of_a_remote_tool_are_errors(zoo):
    zoo.server("lying")
    done = zoo.run("lint", *ALLOWED, "--format", "concise", "--select", "TK501,TK502", "zoo")
    assert done.exit_code == 1
    assert "mcp://zoo/feed" in done.stdout
    assert {code for code in ("TK501", "TK502") if code in done.stdout} == {"TK501", "TK502"}
    assert "\u200b" not in done.stdout
    assert "\x1b" not in done.stdout


def test_tool_that_breaks_the_protocol_is_a_finding_and_hides_no_other(zoo):
    zoo.server("wrong")
    done = zoo.run("lint", *ALLOWED, "--format", "concise", "--select", "TK003,TK204", "zoo")
    assert "mcp://zoo/text: warning[TK003] tool 'text' of MCP server 'zoo' violates the protocol" in done.stdout
    assert "mcp://zoo/bury" in done.stdout


@pytest.mark.proof
def test_one_tool_of_a_server_can_be_looked_at_alone(zoo):
    zoo.server()
    done = zoo.run("lint", *ALLOWED, "--format", "concise", "--select", "TK204", "zoo.feed")
    assert "mcp://zoo/feed" in done.stdout
    assert "mcp://zoo/bury" not in done.stdout


def test_server_that_may_not_be_started_is_a_finding_and_hides_nothing(zoo):
    zoo.server(head="sources = ['zoo', 'tools.py']")
    zoo.write("tools.py", "from toolkit import tool\n\n\n@tool\ndef nothing_said(x): ...\n")
    done = zoo.run("lint", "--no-cache", "--format", "concise")
    assert "TK011" in done.stdout
    assert "TK201" in done.stdout
    assert zoo.starts == []


def test_summary_counts_tools_files_and_servers(zoo):
    zoo.server()
    for name in ("one", "two"):
        source = f'from toolkit import tool\n\n\n@tool\ndef {name}() -> str:\n    """Count to {name}."""\n    return "{name}"\n'
        zoo.write(f"{name}.py", source)
    done = zoo.run("lint", *ALLOWED, "--select", "TK101", "--format", "concise", "zoo", "one.py", "two.py")
    assert done.stdout == "All checks passed! (15 tools in 2 files, 1 server; 2 Python files run)\n"


@pytest.mark.proof
def test_nothing_is_contacted_that_no_target_and_no_pipeline_speaks_of(zoo):
    zoo.server()
    zoo.write("one.yaml", BREAKFAST.replace("zoo.feed", "calculator").replace("animal: lion", "input: 1+1"))
    assert zoo.run("lint", *ALLOWED, "one.yaml").exit_code == 0
    assert zoo.run("lint", *ALLOWED, "--static", "zoo").exit_code == 0
    assert zoo.starts == []


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("tool", "finding"), [("zoo.feed", ""), ("zoo.fed", "TK604"), ("zoo_feed", "")])
def test_pipeline_that_uses_a_remote_tool_is_checked_against_its_definition(zoo, tool, finding):
    zoo.server()
    zoo.write("breakfast.yaml", BREAKFAST.replace("zoo.feed", tool))
    done = zoo.run("lint", *ALLOWED, "--format", "concise", "--select", "TK6", "breakfast.yaml")
    assert (finding in done.stdout, done.exit_code) == (True, 1 if finding else 0)
    assert len(zoo.starts) == 1


def test_arguments_of_a_remote_tool_are_checked_in_a_pipeline(zoo):
    zoo.server()
    zoo.write("breakfast.yaml", BREAKFAST.replace("animal", "animl"))
    done = zoo.run("lint", *ALLOWED, "--format", "concise", "breakfast.yaml")
    assert done.exit_code == 1
    assert "animl" in done.stdout


@pytest.mark.proof
def test_changed_definition_is_a_drift_whether_or_not_the_server_is_trusted(zoo):
    file = zoo.server()
    assert zoo.run("lock", "--update", "--start", "zoo", "zoo").exit_code == 0
    assert zoo.run("lock", "--start", "zoo", "zoo").stdout == "all tools match toolkit.lock\n"
    zoo.own(file.read_text("utf-8").replace("cwd = '.'", f"cwd = '{zoo.folder}'\ntrusted = true"))
    assert zoo.run("lock", "zoo").exit_code == 0
    assert "TK514" not in zoo.run("lint", "--no-cache", "zoo").stdout
    file.write_text(file.read_text("utf-8").replace("'plain'", "'lying'"), "utf-8")
    done = zoo.run("lock", "--start", "zoo", "zoo")
    assert (done.exit_code, "zoo_feed: text only" in done.stdout) == (1, True)
    found = zoo.run("lint", *ALLOWED, "--format", "concise", "--select", "TK514", "zoo")
    assert found.stdout.startswith("mcp://zoo/feed: error[TK514]")
    assert found.exit_code == 1


@pytest.mark.proof
def test_findings_are_kept_only_as_long_as_the_server_says_the_same(zoo):
    file = zoo.server()
    zoo.write("breakfast.yaml", BREAKFAST.replace("zoo.feed", "zoo.weigh-it"))
    arguments = ("lint", "--start", "zoo", "--select", "TK6", "breakfast.yaml")
    assert [zoo.run(*arguments).exit_code for _ in range(2)] == [0, 0]
    file.write_text(file.read_text("utf-8").replace("'plain'", "'lying'"), "utf-8")
    assert zoo.run(*arguments).exit_code == 1
