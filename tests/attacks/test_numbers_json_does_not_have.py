"""Numbers that JSON does not have.

NaN and infinity compare with nothing and pass every bound. No tool receives them unless its type allows them, and no
output says them in JSON, where no reader would take them.
"""

import json
import math
import subprocess
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import pytest
from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model
from typer.testing import CliRunner
from typing_extensions import TypedDict

from tests.mcp.served import PROGRAM, environment
from toolkit import Tool, ToolContext, from_function
from toolkit_cli.main import application


@dataclass
class Data:
    value: float


class Typed(TypedDict):
    value: float


class Named(NamedTuple):
    value: float


class Model(BaseModel):
    value: float


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    value: float


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")


class Allowing(BaseModel):
    model_config = ConfigDict(allow_inf_nan=True)
    value: float


PLACES: dict[str, tuple[Any, Any]] = {
    "float": (float, lambda number: number),
    "optional": (float | None, lambda number: number),
    "union": (int | float, lambda number: number),
    "bounded": (Annotated[float, Field(ge=0)], lambda number: number),
    "strict": (Annotated[float, Field(strict=True)], lambda number: number),
    "complex": (complex, lambda number: number),
    "whole number": (int, lambda number: number),
    "list": (list[float], lambda number: [1, number]),
    "tuple": (tuple[int, float], lambda number: [1, number]),
    "mapping": (dict[str, float], lambda number: {"a": number}),
    "dataclass": (Data, lambda number: {"value": number}),
    "typed dict": (Typed, lambda number: {"value": number}),
    "named tuple": (Named, lambda number: [number]),
    "model": (Model, lambda number: {"value": number}),
    "strict model": (Strict, lambda number: {"value": number}),
    "models": (list[Model], lambda number: [{"value": number}]),
    "extras of a model": (Open, lambda number: {"more": number}),
    "anything": (Any, lambda number: number),
    "anything inside": (Any, lambda number: {"a": [1, number]}),
    "a list of anything": (list, lambda number: [number]),
    "a mapping to anything": (dict, lambda number: {"a": {"b": number}}),
    "a set of anything": (set, lambda number: [number]),
    "JSON": (JsonValue, lambda number: {"a": [number]}),
}
NUMBERS = [math.nan, math.inf, -math.inf]
SPELLINGS = ["NaN", "Infinity", "-Infinity", "1e400", "-1e400"]
QUOTED = ['"NaN"', '"nan"', '"inf"', '" Infinity "', '"-inf"', '"1e400"']


def _probing(annotation: Any) -> Tool:
    def probe(x: Any) -> str:
        """Probe."""
        return f"ran with {x!r}"

    probe.__annotations__["x"] = annotation
    return from_function(probe)


@pytest.mark.proof(everyday=6)
@pytest.mark.parametrize("place", PLACES)
def test_no_tool_receives_one(place, attacks):
    annotation, inside = PLACES[place]
    probe = _probing(annotation)
    for number in NUMBERS:
        result = probe.run({"x": inside(number)})
        attacks.count(f"{place}: {number}", held=result.error_code == "invalid_arguments")
    texts = SPELLINGS if annotation in (Any, list, dict, set, JsonValue, Open) else [*SPELLINGS, *QUOTED]
    for text in texts:
        sent = json.dumps({"x": inside("@")}).replace('"@"', text)
        result = probe.run(sent, ToolContext(chosen_by="model"))
        attacks.count(f"{place}: {sent}", held=result.error_code == "invalid_arguments")


@pytest.mark.parametrize("name", ["type", "config", "default", "metadata", "expected", "members", "cls", "fields"])
def test_no_name_of_a_parameter_opens_a_way(name, attacks):
    for annotation in (float, Any, list[float]):
        probe = Tool.create(
            "probe", "Probe.", {"type": "object", "properties": {name: {"type": "number"}}}, lambda **given: str(given)
        )
        fields: Any = {name: (annotation, ...)}
        made: list[Tool] = [probe, _probing(create_model("Named", **fields))]
        inside: Any = [math.nan] if annotation == list[float] else math.nan
        calls: list[dict[str, Any]] = [{name: math.nan}, {"x": {name: inside}}]
        for tool, sent in zip(made, calls, strict=True):
            attacks.count(f"{name}: {annotation} in {tool}", held=not tool.run(sent).succeeded)


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        (Annotated[float, Field(allow_inf_nan=True)], math.inf),
        (list[Annotated[float, Field(allow_inf_nan=True)]], [math.inf]),
        (Allowing, {"value": math.inf}),
    ],
)
def test_a_type_may_allow_them(annotation, value):
    assert "inf" in _probing(annotation).run({"x": value}).output
    assert "inf" in _probing(annotation).run(json.dumps({"x": value})).output


def test_the_message_says_what_is_wrong():
    assert _probing(float).run('{"x": NaN}').error == "Invalid parameter 'x': should be a finite number, not NaN"
    assert _probing(dict).run('{"x": {"a": 1e400}}').error == (
        "Invalid parameter 'x.a': must contain only finite numbers, not Infinity"
    )


SCHEMAS = [
    {"type": "number"},
    {"type": ["number", "null"]},
    {"type": "integer"},
    {"type": "array", "items": {"type": "number"}},
    {"type": "array"},
    {"type": "object"},
    {"type": "object", "properties": {"value": {"type": "number"}}},
    {"anyOf": [{"type": "number"}, {"type": "boolean"}]},
    {"$ref": "#/$defs/number"},
    {},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
def test_no_tool_made_by_hand_receives_one(schema, attacks):
    parameters = {"type": "object", "properties": {"x": schema}, "$defs": {"number": {"type": "number"}}}
    probe = Tool.create("probe", "Probe.", parameters, lambda x=None: f"ran with {x!r}")
    shapes = {"array": lambda number: [number], "object": lambda number: {"value": number}}
    inside = shapes.get(str(schema.get("type")), lambda number: number)
    for number in NUMBERS:
        attacks.count(f"{schema}: {number}", held=not probe.run({"x": inside(number)}).succeeded)
    for text in SPELLINGS:
        sent = json.dumps({"x": inside("@")}).replace('"@"', text)
        attacks.count(f"{schema}: {sent}", held=not probe.run(sent).succeeded)


TOOLS = '''\
from typing import Any

from toolkit import ToolResult, tool


@tool(read_only=True)
def half(x: float) -> str:
    """Halve a number."""
    return f"ran with {x / 2}"


@tool(read_only=True)
def look(x: Any) -> str:
    """Look at data."""
    return f"ran with {x}"


@tool(read_only=True)
def give() -> dict[str, Any]:
    """Give numbers that JSON does not have."""
    return {"a": float("nan"), "b": [float("inf"), float("-inf")]}


@tool(read_only=True)
def give_result() -> ToolResult:
    """Give the same as a result."""
    return ToolResult.success("given", structured={"a": float("nan"), "b": [float("inf"), float("-inf")]})
'''
STEP = """\
name: {name}
description: Halve.
tools: [./tools.py]
inputs: {{x: {{type: number, default: 1e308}}}}
steps:
  - use: {use}
    with: {{x: {value}}}
"""
PIPED = """\
name: {name}
description: Halve.
tools: [./tools.py]
steps:
  - use: {first}
  - use: {use}
    with: {{x: {value}}}
"""
WORDS = ["x=nan", "x=NaN", "x=inf", "x=-Infinity", "x=1e400", "x:=NaN", "x:=1e400"]
WHOLE = ['{"x": NaN}', '{"x": "inf"}', '{"x": 1e400}']
VALUES = [".nan", ".inf", "-.inf", "1e400", "[.nan]", '"${{ inputs.x * 10 }}"', '"${{ [inputs.x * 10] }}"']
MADE = ['"${{ previous.a }}"', '"${{ previous.b }}"', '"${{ previous }}"', '"${{ previous.b[0] }}"']


@pytest.fixture
def invoke(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    return lambda *words: CliRunner().invoke(application(), [*words])


def _refused(ended: Any) -> bool:
    return ended.exit_code in (1, 2) and "ran with" not in ended.stdout and "Traceback" not in ended.output


def test_no_command_passes_one(invoke, attacks):
    for words in WORDS:
        attacks.count(f"run half {words}", held=_refused(invoke("run", "tools.py:half", words)))
    for words in ("x:=NaN", 'x:={"a": [Infinity]}', "x:=1e400"):
        attacks.count(f"run look {words}", held=_refused(invoke("run", "tools.py:look", words)))
    for whole in WHOLE:
        attacks.count(f"run half --args {whole}", held=_refused(invoke("run", "tools.py:half", "--args", whole)))


def test_no_pipeline_passes_one(invoke, attacks, tmp_path):
    for number, value in enumerate(VALUES):
        for use in ("half", "look"):
            (tmp_path / "p.yaml").write_text(STEP.format(name=f"p{number}", use=use, value=value), "utf-8")
            attacks.count(f"{use}: {value}", held=_refused(invoke("run", "p.yaml")))


@pytest.mark.proof
def test_no_pipeline_passes_one_that_a_tool_made(invoke, attacks, tmp_path):
    for value in MADE:
        for first in ("give", "give_result"):
            (tmp_path / "p.yaml").write_text(PIPED.format(name="p", first=first, use="half", value=value), "utf-8")
            attacks.count(f"{first}: {value}", held=_refused(invoke("run", "p.yaml")))


def test_no_client_of_mcp_passes_one(invoke, attacks, tmp_path):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
    ]
    for number, text in enumerate([*SPELLINGS, *QUOTED], 1):
        call = {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": "half", "arguments": {"x": "@"}},
        }
        lines.append(json.dumps(call).replace('"@"', text))
    last = len(lines) - 1
    give = {"jsonrpc": "2.0", "id": last, "method": "tools/call", "params": {"name": "give", "arguments": {}}}
    with subprocess.Popen(
        [*PROGRAM, "tools.py"],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write("\n".join([*lines, json.dumps(give)]) + "\n")
        server.stdin.flush()
        for line in server.stdout:
            answer = json.loads(line)
            held = _is_json(line) and "ran with" not in line
            attacks.count(f"{lines[answer.get('id', 0)] if answer.get('id', 0) < last else give}: {line}", held=held)
            if attacks.attempts == last + 1:
                break
        server.stdin.close()


def _is_json(line: str) -> bool:
    def refuse(name: str) -> None:
        raise ValueError(name)

    try:
        json.loads(line, parse_constant=refuse)
    except ValueError:
        return False
    return True


def test_no_output_says_one_in_json(invoke, attacks):
    for name in ("give", "give_result"):
        ended = invoke("run", f"tools.py:{name}", "--format", "json")
        attacks.count(f"{name} as json: {ended.stdout}", held=ended.exit_code == 0 and _is_json(ended.stdout))
        assert json.loads(ended.stdout)["structured"] == {"a": "NaN", "b": ["Infinity", "-Infinity"]}
        ended = invoke("run", f"tools.py:{name}", "--format", "jsonl")
        held = all(_is_json(line) for line in ended.stdout.splitlines())
        attacks.count(f"{name} as jsonl: {ended.stdout}", held=ended.exit_code == 0 and held)
    assert invoke("run", "tools.py:give").stdout == '{"a":"NaN","b":["Infinity","-Infinity"]}\n'
