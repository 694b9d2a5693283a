"""`toolkit schema`."""

import json
from typing import get_args

import jsonschema
import pytest
import yaml

from toolkit.dialects import DIALECTS
from toolkit_cli.commands.schema import Dialect  # private

TOOLS = '''
from typing import Annotated

from toolkit import tool


@tool
def forecast(city: Annotated[str, "The city, such as 'Oslo'"], days: int = 3) -> str:
    """Tell the weather to come, in °C."""
    return city


@tool
def now() -> str:
    """Tell the time."""
    return ""
'''
FORECAST = {
    "name": "forecast",
    "description": "Tell the weather to come, in °C.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city, such as 'Oslo'"},
            "days": {"type": "integer", "default": 3},
        },
        "required": ["city"],
    },
}
NOW = {"name": "now", "description": "Tell the time.", "parameters": {"type": "object", "properties": {}}}


@pytest.fixture
def weather(project):
    (project / "weather.py").write_text(TOOLS, "utf-8")
    return project


def test_one_tool_is_an_object(invoke, weather):
    result = invoke("schema", "weather.py:forecast")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == f"{json.dumps(FORECAST, indent=2, ensure_ascii=False)}\n"


def test_several_tools_are_an_array(invoke, weather):
    assert json.loads(invoke("schema", "weather.py").stdout) == [FORECAST, NOW]
    assert json.loads(invoke("schema", "weather.py:now", "weather.py:forecast").stdout) == [NOW, FORECAST]


def test_without_a_target_there_is_always_an_array(invoke, weather):
    (weather / "toolkit.toml").write_text('sources = ["weather.py"]\n', "utf-8")
    names = [definition["name"] for definition in json.loads(invoke("schema").stdout)]
    assert names[:3] == ["forecast", "now", "calculator"]


def test_yaml_says_the_same(invoke, weather):
    result = invoke("schema", "weather.py:forecast", "--format", "yaml")
    assert yaml.safe_load(result.stdout) == FORECAST
    assert result.stdout == (
        "name: forecast\n"
        "description: Tell the weather to come, in °C.\n"
        "parameters:\n"
        "  type: object\n"
        "  properties:\n"
        "    city:\n"
        "      type: string\n"
        "      description: The city, such as 'Oslo'\n"
        "    days:\n"
        "      type: integer\n"
        "      default: 3\n"
        "  required:\n"
        "    - city\n"
    )


def test_one_bad_file_prints_nothing_and_tells_all_that_is_wrong(invoke, weather):
    (weather / "broken.py").write_text("x = (\n", "utf-8")
    (weather / "broken.yaml").write_text("steps: [nothing_of_this_name]\n", "utf-8")
    result = invoke("schema", "broken.py", "weather.py", "broken.yaml")
    assert (result.exit_code, result.stdout) == (2, "")
    assert [line for line in result.stderr.splitlines() if "error" in line or "-->" in line] == [
        "error[TK002]: 'broken.py' cannot be imported: SyntaxError: '(' was never closed",
        " --> broken.py:1:5",
        "error[TK604]: unknown tool 'nothing_of_this_name'",
        " --> broken.yaml:1:9",
    ]


def test_unknown_name_is_exit_code_4(invoke, weather):
    result = invoke("schema", "weather.py:forcast")
    assert (result.exit_code, result.stdout) == (4, "")
    assert result.stderr == (
        "error[TK001]: nothing is named 'forcast' in 'weather.py'\nhint: did you mean 'forecast'?\n"
    )


def test_format_of_pipelines_is_a_schema_that_editors_read(invoke, weather):
    result = invoke("schema", "--of", "pipeline")
    assert (result.exit_code, result.stderr) == (0, "")
    schema = json.loads(result.stdout)
    assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    assert validator.is_valid({"toolkit": 1, "steps": ["calculator", {"use": "datetime", "timeout": "3s"}]})
    assert not validator.is_valid({"stepz": []})


def test_format_of_configurations_is_a_schema_that_editors_read(invoke, weather):
    result = invoke("schema", "--of", "config")
    assert (result.exit_code, result.stderr) == (0, "")
    schema = json.loads(result.stdout)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid(
        {"sources": ["tools.py"], "builtin": {"file_read": {"base": "docs"}}, "lint": {"max-depth": 4}}
    )
    assert not validator.is_valid({"lint": {"ignroe": []}})


def test_format_of_cases_is_a_schema_that_editors_read(invoke, weather):
    result = invoke("schema", "--of", "cases")
    assert (result.exit_code, result.stderr) == (0, "")
    schema = json.loads(result.stdout)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    case = {
        "name": "a", "run": "shop.py:refund", "with": {"order": "A-17"}, "model": "scripted:a.yaml", "files": {"a": "b"},
        "answers": [{"refund": "approve"}, {"refund": {"reject": "no"}}], "stub": {"mail": "sent"}, "snapshot": True,
        "expect": {
            "output": [1], "subset": {}, "schema": {}, "matches": "a", "that": ["${{ result }}"], "error": True, "code": "a",
            "exit": 1, "calls": ["mail", {"refund": {"order": "A-17"}}], "not": ["mail"], "asked": [{"refund": "text"}],
            "files": {"a": None}, "events": ["tool_started"], "within": {"time": "3s", "tokens": 1, "cost": 0.5},
        },
    }  # fmt: skip
    assert validator.is_valid({"toolkit": 1, "cases": [case]})
    assert [validator.is_valid({"cases": [case | one]}) for one in ({"wth": {}}, {"expect": {"outptu": 1}})] == [
        False,
        False,
    ]
    assert not validator.is_valid({"cases": [{"name": "a"}]})


def test_a_format_and_targets_exclude_each_other(invoke, weather):
    result = invoke("schema", "weather.py", "--of", "pipeline")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: '--of' prints the schema of a file format, and takes no targets\n"


# In the dialects of providers.

OPEN_TOOL = '''
from toolkit import tool


@tool
def resize(sizes: dict[str, int], quality: int = 80) -> str:
    """Resize pictures."""
    return ""
'''


def test_one_tool_is_an_element_of_the_provider_s_list(invoke, weather):
    result = invoke("schema", "weather.py:now", "--dialect", "anthropic")
    assert (result.exit_code, result.stderr) == (0, "")
    assert json.loads(result.stdout) == {
        "name": "now",
        "description": "Tell the time.",
        "input_schema": {"type": "object", "properties": {}},
    }


def test_several_tools_are_the_provider_s_list(invoke, weather):
    openai = json.loads(invoke("schema", "weather.py", "--dialect", "openai").stdout)
    assert [one["function"]["name"] for one in openai] == ["forecast", "now"]
    [gemini] = json.loads(invoke("schema", "weather.py", "--dialect", "gemini").stdout)
    assert [one["name"] for one in gemini["functionDeclarations"]] == ["forecast", "now"]


def test_explanation_says_what_was_changed_why_and_who_says_so(invoke, weather):
    result = invoke("schema", "weather.py:forecast", "--dialect", "openai-strict", "--explain")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["function"]["strict"] is True
    source = "https://developers.openai.com/api/docs/guides/structured-outputs, checked 2026-11-22"
    assert result.stderr == (
        "forecast: changed for openai-strict\n"
        "\n"
        "  every object must have additionalProperties: false\n"
        f"  {source}\n"
        "    WHERE        CHANGE\n"
        "    /parameters  closed: only its properties can be sent\n"
        "\n"
        "  every property must be required\n"
        f"  {source}\n"
        "    WHERE                        CHANGE\n"
        "    /parameters/properties/days  required; null means left out\n"
        "\n"
        "  strict mode supports a subset of JSON Schema\n"
        f"  {source}\n"
        "    WHERE                                CHANGE\n"
        "    /parameters/properties/days/default  moved to the description: default: 3\n"
    )


def test_explanation_says_too_that_nothing_was_changed(invoke, weather):
    result = invoke("schema", "weather.py:now", "--dialect", "anthropic", "--explain")
    assert (result.exit_code, result.stderr) == (0, "now: nothing is changed for anthropic\n")


def test_plain_form_has_nothing_to_explain(invoke, weather):
    result = invoke("schema", "weather.py:now", "--explain")
    assert (result.exit_code, result.stderr) == (0, "now: nothing is changed for plain\n")


def test_what_no_export_can_mend_is_told_with_its_place(invoke, weather):
    (weather / "pictures.py").write_text(OPEN_TOOL, "utf-8")
    result = invoke("schema", "pictures.py", "--dialect", "anthropic-strict")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["strict"] is True
    assert result.stderr == (
        "error[TK304]: tool 'resize': 'sizes' has arbitrary members, but it can only be sent empty\n"
        " --> pictures.py:6:5\n"
        "  |\n"
        "6 | def resize(sizes: dict[str, int], quality: int = 80) -> str:\n"
        "  |     ^^^^^^\n"
        "  |\n"
        "hint: use a list of objects with named fields instead; see anthropic 2.12.0, lib/_parse/_transform.py\n"
    )


def test_too_many_tools_for_one_request_are_told(invoke, project):
    many = "\n\n".join(f'@tool\ndef t{n}() -> str:\n    """Do it."""\n    return ""' for n in range(21))
    (project / "many.py").write_text(f"from toolkit import tool\n\n\n{many}\n", "utf-8")
    result = invoke("schema", "many.py", "--dialect", "openai")
    assert result.exit_code == 0
    assert result.stderr.startswith("warning[TK319]: there are 21 tools, and OpenAI recommends at most 20\n")
    assert invoke("schema", "many.py", "--dialect", "anthropic-strict").exit_code == 1


def test_dialect_may_be_configured_and_is_plain_otherwise(invoke, weather, monkeypatch):
    (weather / "toolkit.toml").write_text('[defaults]\ndialect = "mcp"\n', "utf-8")
    assert "inputSchema" in invoke("schema", "weather.py:now").stdout
    assert json.loads(invoke("schema", "weather.py:now", "--dialect", "plain").stdout) == NOW
    monkeypatch.setenv("TOOLKIT_DIALECT", "bedrock")
    assert "toolSpec" in invoke("schema", "weather.py:now").stdout


def test_configured_dialect_that_there_is_not_is_told_with_its_place(invoke, weather):
    (weather / "toolkit.toml").write_text('[defaults]\ndialect = "openai_strict"\n', "utf-8")
    result = invoke("schema", "weather.py:now")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        "error[TK005]: 'defaults.dialect' must be the name of a dialect\n"
        " --> toolkit.toml:2:1\n"
        "  |\n"
        '2 | dialect = "openai_strict"\n'
        "  | ^\n"
        "  |\n"
        "hint: did you mean 'openai-strict' or 'openai' or 'anthropic-strict'?\n"
    )


def test_every_dialect_of_the_library_can_be_chosen():
    assert get_args(Dialect) == ("plain", *DIALECTS)


def test_a_class_that_needs_arguments_shows_its_tools_without_an_object(invoke, project):
    code = "class Prefs:\n    def __init__(self, user: str) -> None:\n        raise SystemExit(user)\n\n"
    code += "    @tool\n    def theme(self, name: str) -> str:\n        'Set the theme.'\n        return name\n"
    project.joinpath("prefs_of_users.py").write_text(f"from toolkit import tool\n\n\n{code}")
    shown = invoke("schema", "prefs_of_users.py:Prefs")
    assert (shown.exit_code, json.loads(shown.stdout)["name"]) == (0, "theme")
    run = invoke("run", "prefs_of_users.py:Prefs", "name=x")
    assert run.exit_code == 2
    assert "cannot be created without 'user'" in run.stderr
