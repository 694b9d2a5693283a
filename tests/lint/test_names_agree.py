"""Lint, compatibility, schema and export say the same of every tool, for every provider."""

import json
import re

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from typer.testing import CliRunner

from tests.volumes import examples
from toolkit import ToolSpec, dialects, load_tools
from toolkit.lint import EVERYBODY, PROVIDERS, LintSettings, check, compatibility_of, find_tools
from toolkit.settings import Configuration
from toolkit_cli.main import application

ODD = ["9lives", "_x", "-x", "a.b", "a:b", "a-b", "find order", "é", "n" * 65, "n" * 129]
NAMES = st.sampled_from(ODD) | st.text("aZ9_-.: é", min_size=1, max_size=6).filter(str.strip)
LOCAL_NAMES = st.sampled_from(["9lives", "_x", "a-b", "n" * 65, "n" * 129]) | st.from_regex(
    r"[aZ9_][aZ9_-]{0,5}", fullmatch=True
)
KEYS = st.sampled_from([*ODD, ""]) | st.text("aZ9_-.: é$/~", max_size=6)
NAME_RULES = {"TK101", "TK102", "TK107"}
OF_PROVIDERS = NAME_RULES | {"TK302", "TK304", "TK305", "TK306", "TK307", "TK309", "TK310", "TK316", "TK317", "TK319"}
PLAIN = st.sampled_from(
    [{"type": "string"}, {"type": "integer", "minimum": 0}, {"enum": ["a", "b"]}, {"type": "array"}]
)
LISTS_OF_TEXTS = st.just({"type": "array", "items": {"type": "string", "pattern": "^a"}})


def objects(inner):
    """Return a strategy for schemas of objects, with names of any kind, all or none of which are required."""
    members = st.dictionaries(KEYS, inner, max_size=3)
    return st.builds(
        lambda properties, is_closed, are_required: {
            "type": "object",
            "properties": properties,
            **({"additionalProperties": False} if is_closed else {}),
            **({"required": list(properties)} if are_required else {}),
        },
        members,
        st.booleans(),
        st.booleans(),
    )


SCHEMAS = objects(st.recursive(PLAIN | LISTS_OF_TEXTS, objects, max_leaves=4))
unhurried = settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def refusals(problems):
    """Return the codes of the errors that are there because of a provider."""
    return {problem.code for problem in problems if problem.severity == "error"} & OF_PROVIDERS


def linted(file, provider):
    """Return the codes of what lint says against each line of a file, which is a tool."""
    problems = check([str(file)], Configuration(), settings=LintSettings(providers=(provider,)))
    lines = range(1, len(file.read_text("utf-8").splitlines()) + 1)
    return [refusals(one for one in problems if one.location.line == line) for line in lines]


def compared(file, provider):
    """Return the codes of what the comparison of providers says against each tool of a file."""
    tools = find_tools([str(file)], Configuration(), LintSettings())
    rows = compatibility_of(tools, [provider]).rows
    return [refusals(row.verdicts[0].reasons) for row in rows]


@given(st.lists(st.tuples(NAMES, SCHEMAS), min_size=1, max_size=5), st.sampled_from(PROVIDERS))
@unhurried
def test_definitions_in_json_are_judged_alike_everywhere(tmp_path_factory, drawn, provider):
    file = tmp_path_factory.mktemp("names") / "tools.json"
    definitions = [{"name": name, "description": "Find it.", "input_schema": schema} for name, schema in drawn]
    file.write_text("[" + ",\n".join(map(json.dumps, definitions)) + "]", "utf-8")
    found = linted(file, provider)
    said = [refusals(dialects.objections(definition, provider)) & NAME_RULES for definition in definitions]
    assert [codes & NAME_RULES for codes in found] == said
    if provider in EVERYBODY:
        assert found == compared(file, provider)


@given(st.dictionaries(LOCAL_NAMES, SCHEMAS, min_size=1, max_size=5), st.sampled_from(EVERYBODY))
@settings(unhurried, max_examples=examples(100) // 5)  # each opens its file in two new processes
def test_tools_are_judged_alike_everywhere(tmp_path_factory, drawn, provider):
    file = tmp_path_factory.mktemp("names") / "made.py"
    each = "t{} = Tool.create({!r}, 'Find it.', {!r}, lambda **given: 'used')"
    made = [each.format(position, name, drawn[name]) for position, name in enumerate(drawn)]
    file.write_text("\n".join(["from toolkit import Tool", *made]), "utf-8")
    tools = load_tools(str(file))
    objected = [refusals(dialects.objections(tools[name].spec, provider)) for name in drawn]
    assert linted(file, provider)[1:] == objected
    assert compared(file, provider) == objected
    if provider in dialects.DIALECTS:
        shown = CliRunner().invoke(application(), ["schema", str(file), "--dialect", provider])
        told = set(re.findall(r"^error\[(TK[0-9]+)\]", shown.stderr, re.MULTILINE))
        assert (told, shown.exit_code) == (set().union(*objected), 1 if any(objected) else 0)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", ["9lives", "nine_lives", "_lives", "N9"])
def test_a_name_in_python_is_judged_as_in_json(tmp_path, name, provider):
    file = tmp_path / "tools.py"
    file.write_text(
        f'from toolkit import tool\n\n\n@tool(name="{name}")\ndef lives() -> str:\n    """Count lives."""\n', "utf-8"
    )
    found = check([str(file)], Configuration(), settings=LintSettings(providers=(provider,), is_static=True))
    assert refusals(found) == refusals(dialects.objections(ToolSpec(name), provider))
    assert {problem.hint for problem in found if problem.code == "TK101"} <= {"call it 'tool_9lives'"}
