"""Lint, compatibility and export say the same of every name, for every provider."""

import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.volumes import examples
from toolkit import ToolSpec, dialects
from toolkit.lint import EVERYBODY, PROVIDERS, LintSettings, check, compatibility_of, find_tools
from toolkit.sources import Configuration

NAMES = st.sampled_from(["9lives", "_x", "-x", "a.b", "a:b", "a-b", "find order", "é", "n" * 65, "n" * 129]) | st.text(
    "aZ9_-.: é", min_size=1, max_size=6
).filter(str.strip)
CODES = {"TK101", "TK102"}


def are_refused(problems):
    return any(problem.code in CODES and problem.severity == "error" for problem in problems)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(NAMES, st.sampled_from(PROVIDERS))
def test_a_name_in_json_is_judged_alike_everywhere(tmp_path_factory, name, provider):
    file = tmp_path_factory.mktemp("names") / "tools.json"
    schema = {"type": "object", "properties": {}}
    file.write_text(json.dumps([{"name": name, "description": "Find orders.", "input_schema": schema}]), "utf-8")
    asked = LintSettings(providers=(provider,))
    linted = are_refused(check([str(file)], Configuration(), settings=asked))
    objected = are_refused(dialects.objections(ToolSpec(name), provider))
    assert linted == objected
    if provider in EVERYBODY:
        (row,) = compatibility_of(find_tools([str(file)], Configuration(), asked), [provider]).rows
        assert linted == are_refused(row.verdicts[0].reasons)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", ["9lives", "nine_lives", "_lives", "N9"])
def test_a_name_in_python_is_judged_as_in_json(tmp_path, name, provider):
    file = tmp_path / "tools.py"
    file.write_text(
        f'from toolkit import tool\n\n\n@tool(name="{name}")\ndef lives() -> str:\n    """Count lives."""\n', "utf-8"
    )
    found = check([str(file)], Configuration(), settings=LintSettings(providers=(provider,), is_static=True))
    assert are_refused(found) == are_refused(dialects.objections(ToolSpec(name), provider))
    assert {problem.hint for problem in found if problem.code == "TK101"} <= {"call it 'tool_9lives'"}
