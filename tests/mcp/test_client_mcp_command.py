"""`toolkit mcp` tells how each configured server is, and starts none that was not allowed."""

import json
import sys
from typing import Any

import pytest

from tests.mcp.conftest import SERVER
from toolkit_cli.completion import complete_server  # private

CONTEXT: Any = None


def several(zoo):
    """Name a server that answers, one that fails, and one that nobody has allowed."""
    tables = [
        f"[mcp.{name}]\ncommand = '{sys.executable}'\nargs = ['{SERVER}', '{behaviour}']\ncwd = '.'\n"
        for name, behaviour in (("zoo", "plain"), ("dead", "failing"), ("other", "plain"))
    ]
    zoo.write("toolkit.toml", "\n".join(tables))
    return ("--start", "zoo", "--start", "dead")


def test_list_tells_how_each_server_is_and_starts_only_what_is_allowed(zoo):
    allowed = several(zoo)
    done = zoo.run("mcp", "list", *allowed)
    rows = [line.split("  ") for line in done.stdout.splitlines()]
    assert done.exit_code == 4
    assert [[cell.strip() for cell in row if cell.strip()][:2] for row in rows] == [
        ["SERVER", "STATE"],
        ["zoo", "answers"],
        ["dead", "unreachable"],
        ["other", "not allowed"],
    ]
    assert "2025-11-25  zoo 1.2  feed, weigh-it, bury, picture" in done.stdout
    assert r"ended before it had answered; its last output: cannot open the zoo: \x1b[31mno key" in done.stdout
    assert "(allow it: --start other)" in done.stdout
    assert len(zoo.starts) == 3  # the one that fails is met again the old way


@pytest.mark.proof
def test_list_as_json_has_the_same_keys_for_every_server(zoo):
    allowed = several(zoo)
    records = json.loads(zoo.run("mcp", "list", "--format", "json", *allowed).stdout)
    assert [(one["name"], one["state"], one["protocol"], len(one["tools"])) for one in records] == [
        ("zoo", "answers", "2025-11-25", 13),
        ("dead", "unreachable", None, 0),
        ("other", "not allowed", None, 0),
    ]
    assert len({tuple(one) for one in records}) == 1


@pytest.mark.proof
def test_list_tells_of_tools_that_break_the_protocol_and_lists_the_others(zoo):
    zoo.server("wrong")
    done = zoo.run("mcp", "list", "--start", "zoo")
    assert (done.exit_code, "feed, weigh-it" in done.stdout) == (0, True)
    assert done.stderr.splitlines()[0] == (
        "warning[TK003]: tool 'text' of MCP server 'zoo' violates the protocol: inputSchema.type: Input should be 'object'"
    )
    [record] = json.loads(zoo.run("mcp", "list", "--start", "zoo", "--format", "json").stdout)
    assert [one["name"] for one in record["unreadable"]] == ["text", "tool 15", "tool 16"]


def test_ping_has_a_server_answer(zoo):
    zoo.server()
    done = zoo.run("mcp", "ping", "zoo", "--start", "zoo", "--format", "json")
    answer = json.loads(done.stdout)
    assert (answer["name"], answer["protocol"], answer["title"]) == ("zoo", "2025-11-25", "zoo 1.2")
    assert answer["milliseconds"] > 0
    assert len(zoo.sent("ping")) == 1


@pytest.mark.proof
def test_ping_of_what_does_not_answer_or_is_not_allowed(zoo):
    allowed = several(zoo)
    assert zoo.run("mcp", "ping", "dead", *allowed).exit_code == 4
    assert zoo.run("mcp", "ping", "other", *allowed).exit_code == 3
    unknown = zoo.run("mcp", "ping", "zo", *allowed)
    assert (unknown.exit_code, unknown.stderr) == (
        4,
        "error[TK001]: there is no MCP server 'zo'\nhint: did you mean 'zoo'?\n",
    )


def test_start_of_a_server_that_there_is_not_is_told(zoo):
    zoo.server()
    done = zoo.run("mcp", "list", "--start", "zo")
    assert (done.exit_code, done.stderr) == (
        2,
        "error: --start: there is no MCP server 'zo'\nhint: did you mean 'zoo'?\n",
    )


def test_names_of_servers_are_completed(zoo):
    several(zoo)
    assert complete_server(CONTEXT, [], "z") == ["zoo"]
    assert complete_server(CONTEXT, [], "") == ["zoo", "dead", "other"]
    assert zoo.starts == []


def test_without_servers_there_is_nothing_to_list(zoo):
    done = zoo.run("mcp", "list")
    assert (done.stdout, done.exit_code) == ("", 0)
    assert done.stderr == "no MCP server is configured; add one to toolkit.toml under [mcp.NAME]\n"
