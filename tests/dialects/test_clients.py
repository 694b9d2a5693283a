"""Clients: each fact that is known of one is a finding in a tool that does not respect it, and in no other."""

import json

import pytest

from toolkit import ToolSpec
from toolkit.dialects import CLIENTS, objections, request_objections
from toolkit.lint import LintSettings, check
from toolkit.settings import Configuration

GOOD = ToolSpec(
    "find_order",
    "Find an order.",
    {
        "type": "object",
        "properties": {
            "number": {"type": "string"},
            "fields": {"type": "array", "items": {"type": "string"}},
            "since": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        },
    },
    source="shop.py",
)


def spec(name="find_order", source="shop.py", **parameters):
    return ToolSpec(name, "Find an order.", {"type": "object", "properties": {}} | parameters, source=source)


def objections_of(tool, client):
    return [f"{one.code} {one.severity} {one.pointer}: {one.message}" for one in objections(tool, client)]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_plain_tool_is_taken_by_every_client(client):
    assert objections_of(GOOD, client) == []


@pytest.mark.parametrize("client", ["claude-code", "claude-desktop", "copilot-cli"])
def test_names_with_dots_are_refused(client):
    title = CLIENTS[client].title
    assert objections_of(spec("orders.find"), client) == [f"TK101 error /name: {title} refuses the name 'orders.find'"]


@pytest.mark.parametrize("client", ["cursor", "vscode", "windsurf", "cline", "gemini-cli", "opencode"])
def test_what_is_not_known_of_a_client_is_not_reported(client):
    assert objections_of(spec("orders.find"), client) == []


@pytest.mark.parametrize(
    ("client", "room"),
    [("claude-code", 56), ("claude-desktop", 64), ("cursor", 58), ("cline", 58), ("copilot-cli", 62)],
)
def test_a_name_that_fits_behind_no_server_is_an_error(client, room):
    too_long = [one for one in objections(spec("n" * (room + 1), source=None), client) if one.severity == "error"]
    assert [(one.code, one.pointer) for one in too_long] == [("TK102", "/name")]
    assert objections(spec("n" * room, source=None), client) == []


@pytest.mark.parametrize(
    ("client", "prefix", "most"),
    [
        ("claude-code", "mcp__weather__", 64),
        ("cursor", "weather", 59),
        ("vscode", "mcp_weather_", 64),
        ("copilot-cli", "weather-", 64),
    ],
)
def test_the_prefix_of_its_server_counts_towards_a_name(client, prefix, most):
    [found] = objections(spec("n" * (most - len(prefix) + 1), source="weather.py"), client)
    assert (found.code, found.severity, found.limit.value) == ("TK102", "warning", most)
    assert f"has {most + 1} characters with {prefix!r} before it" in found.message
    assert objections(spec("n" * (most - len(prefix)), source="weather.py"), client) == []


def test_vscode_keeps_eighteen_characters_of_a_prefix():
    long = "a_server_with_a_very_long_name.py"
    assert objections(spec("n" * 46, source=long), "vscode") == []
    assert [one.severity for one in objections(spec("n" * 47, source=long), "vscode")] == ["warning"]


def test_gemini_cli_replaces_the_middle_of_a_long_name():
    assert objections_of(spec("n" * 64), "gemini-cli") == [
        f"TK102 warning /name: the name '{'n' * 64}' has 64 characters, more than Gemini CLI keeps unchanged"
    ]
    assert objections_of(spec("n" * 63), "gemini-cli") == []


@pytest.mark.parametrize(
    ("client", "code", "most", "severity"),
    [("cursor", "TK319", 80, "warning"), ("vscode", "TK319", 128, "error"), ("windsurf", "TK319", 100, "error")],
)
def test_too_many_tools(client, code, most, severity):
    many = [spec(f"tool_{number}") for number in range(most + 1)]
    assert [(one.code, one.severity) for one in request_objections(many, client)] == [(code, severity)]
    assert request_objections(many[:-1], client) == []


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf", "allOf"])
def test_unions_at_the_root_are_dropped_or_removed(keyword):
    tool = spec(**{keyword: [{"required": ["a"]}]})
    for client in ("claude-code", "vscode"):
        [found] = objections(tool, client)
        assert (found.code, found.severity, found.pointer) == ("TK304", "error", f"/parameters/{keyword}")


def test_conditions_at_the_root_drop_the_tool_in_claude_code():
    assert [one.pointer for one in objections(spec(**{"if": {}, "then": {}}), "claude-code")] == ["/parameters/if"]


def test_root_that_is_no_object_drops_all_tools_in_claude_code():
    tool = {"name": "find", "description": "Find.", "inputSchema": {"anyOf": [{"type": "object"}]}}
    assert {one.code for one in objections(tool, "claude-code")} >= {"TK302"}


def test_parameters_that_claude_code_drops_a_tool_for():
    assert objections_of(spec(properties={"uids[]": {}}), "claude-code") == [
        (
            "TK107 error /parameters/properties/uids[]: the parameter 'uids[]' does not fit: in Claude Code, "
            "a parameter's name has only letters, digits, and _ . -, at most 64; any other drops the tool"
        )
    ]
    inside = spec(properties={"filter": {"type": "object", "properties": {"uids[]": {}}}})
    assert objections_of(inside, "claude-code") == []


@pytest.mark.parametrize("client", ["claude-code", "opencode"])
def test_property_that_is_only_true_or_false(client):
    [found] = objections(spec(properties={"payload": True}), client)
    assert (found.code, found.pointer) == ("TK315", "/parameters/properties/payload")


def test_array_without_items_fails_every_request_in_vscode():
    inside = {"filter": {"type": "object", "properties": {"ids": {"type": "array"}}}}
    [found] = objections(spec(properties=inside), "vscode")
    assert (found.code, found.pointer) == ("TK304", "/parameters/properties/filter/properties/ids")


def test_list_of_types_is_refused_when_cursor_calls_the_tool():
    [found] = objections(spec(properties={"note": {"type": ["null", "string"]}}), "cursor")
    assert (found.code, found.pointer) == ("TK304", "/parameters/properties/note/type")


def test_lint_reports_what_a_client_refuses_at_its_place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parameters = {"type": "object", "properties": {"note": {"type": ["null", "string"], "description": "A note."}}}
    tools = [{"name": "set_status", "description": "Set the status of an order.", "inputSchema": parameters}]
    (tmp_path / "tools.json").write_text(json.dumps(tools))
    found = check(["tools.json"], Configuration(), settings=LintSettings(providers=("cursor",)))
    assert [(one.code, one.severity, one.location.line) for one in found if one.code == "TK304"] == [
        ("TK304", "error", 1)
    ]


def test_lint_reports_a_long_name_of_a_python_tool(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "find_all_customers_that_have_ordered_more_than_once_before"
    (tmp_path / "customers.py").write_text(
        f'from toolkit import tool\n\n\n@tool\ndef {name}(city: str) -> str:\n    """Find them."""\n    return city\n'
    )
    settings = LintSettings(providers=("claude-code",), is_static=True)
    found = [one for one in check(["customers.py"], Configuration(), settings=settings) if one.code == "TK102"]
    assert [(one.location.line, one.severity) for one in found] == [(5, "error")]
