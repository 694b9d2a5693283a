"""`toolkit schema`."""

import json

import jsonschema
import pytest
import yaml

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
        "error[TK001]: nothing is called 'forcast' in 'weather.py'\nhint: did you mean 'forecast'?\n"
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


def test_a_format_and_targets_exclude_each_other(invoke, weather):
    result = invoke("schema", "weather.py", "--of", "pipeline")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "error: '--of' stands alone: it describes a file format, not tools\n"
