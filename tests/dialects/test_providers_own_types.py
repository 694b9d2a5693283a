"""What is exported fits the types of the providers' own libraries, to the last key, and nothing is lost on the way."""

import pytest
from pydantic import TypeAdapter

from toolkit import ToolSpec, load_tools
from toolkit.dialects import export, request_tools

TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node", "description": "the root"}},
    "required": ["root"],
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
            "required": ["name"],
        }
    },
}
MANY = {
    "type": "object",
    "properties": {
        "text": {"type": ["string", "null"], "minLength": 1, "format": "uri", "title": "A text"},
        "number": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5, "default": 1},
        "choice": {"enum": ["a", 1, None]},
        "sure": {"const": True},
        "point": {"type": "array", "prefixItems": [{"type": "number"}, {"type": "number"}], "items": False},
        "sizes": {"type": "object", "additionalProperties": {"type": "integer"}},
        "either": {"oneOf": [{"type": "object", "properties": {"a": {"type": "string"}}}, {"type": "boolean"}]},
        "both": {"allOf": [{"properties": {"a": {"type": "string"}}}, {"required": ["a"]}]},
        "words": {"type": "array", "items": {"type": "string", "pattern": "^a"}, "minItems": 2, "uniqueItems": True},
        "any": {},
    },
    "required": ["text"],
    "anyOf": [{"required": ["number"]}, {"required": ["choice"]}],
}
SPECS = [
    ToolSpec("now"),
    ToolSpec("many", "Take many things.", MANY),
    ToolSpec("walk", "Walk a tree.", TREE),
    *(tool.spec for tool in load_tools("builtin").values()),
]
each_spec = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)


def taken_as(kind, definition):
    """Return what a typed dictionary makes of a definition; keys that it does not have are lost."""
    return TypeAdapter(kind).validate_python(definition)


@pytest.mark.proof
@each_spec
@pytest.mark.parametrize("dialect", ["openai", "openai-strict", "mistral", "ollama"])
def test_openai_s_types_take_it(spec, dialect, forecast):
    from openai.types.chat import ChatCompletionFunctionToolParam

    for one in (spec, forecast):
        definition = export(one, dialect).definition
        assert taken_as(ChatCompletionFunctionToolParam, definition) == definition


@pytest.mark.proof
@each_spec
@pytest.mark.parametrize("dialect", ["anthropic", "anthropic-strict"])
def test_anthropic_s_types_take_it(spec, dialect, forecast):
    from anthropic.types import ToolParam

    for one in (spec, forecast):
        definition = export(one, dialect).definition
        taken = taken_as(ToolParam, definition)
        assert {**taken, "input_examples": list(taken.get("input_examples", []))} == {
            "input_examples": [],
            **definition,
        }


@pytest.mark.proof
@each_spec
def test_anthropic_s_own_way_to_strictness_has_nothing_left_to_do(spec, forecast):
    from anthropic.lib._parse._transform import transform_schema

    for one in (spec, forecast):
        schema = export(one, "anthropic-strict").definition["input_schema"]
        assert transform_schema(schema) == untyped(schema)


def untyped(schema):
    """Return a schema as Anthropic's library writes it: an enumeration needs no type beside it."""
    if isinstance(schema, list):
        return [untyped(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    redundant = {"type"} if {"enum", "const"} & schema.keys() and isinstance(schema.get("type"), str) else set()
    return {key: untyped(value) for key, value in schema.items() if key not in redundant}


@pytest.mark.proof
@each_spec
def test_google_s_types_take_it(spec, forecast):
    from google.genai.types import Tool

    for one in (spec, forecast):
        [tool] = request_tools([export(one, "gemini")], "gemini")
        taken = Tool.model_validate(tool).model_dump(by_alias=True, exclude_none=True, mode="json")
        assert lowered(taken) == tool


def lowered(data):
    """Return data with the names of types as JSON Schema writes them: both ways are read."""
    if isinstance(data, list):
        return [lowered(one) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        key: value.lower() if key == "type" and isinstance(value, str) else lowered(value)
        for key, value in data.items()
    }


@each_spec
def test_mcp_s_types_take_it(spec, forecast):
    from mcp.types import Tool

    for one in (spec, forecast):
        definition = export(one, "mcp").definition
        assert Tool.model_validate(definition).model_dump(by_alias=True, exclude_none=True) == definition


@pytest.mark.proof(everyday=4)
@each_spec
def test_nothing_is_lost_in_ollama_s_client(spec, forecast):
    from ollama import Tool

    for one in (spec, forecast):
        definition = export(one, "ollama").definition
        taken = Tool.model_validate(definition).model_dump(by_alias=True, exclude_none=True)
        described = definition["function"]["parameters"].pop("description", None)
        assert taken == definition, described


@each_spec
def test_bedrock_s_own_model_takes_it(spec, forecast):
    pytest.importorskip("botocore", reason="botocore is not installed: nothing was checked against Bedrock's own model")
    from botocore.loaders import Loader
    from botocore.model import ServiceModel
    from botocore.validate import ParamValidator

    model = ServiceModel(Loader().load_service_model("bedrock-runtime", "service-2"))
    tools = [export(one, "bedrock").definition for one in (spec, forecast)]
    report = ParamValidator().validate({"tools": tools}, model.shape_for("ToolConfiguration"))
    assert report.generate_report() == ""
