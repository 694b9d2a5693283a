"""Each dialect: the whole of what the provider is sent, and the rules of what goes where."""

import json
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from toolkit import InvalidTools, ToolSpec, from_function
from toolkit.dialects import DIALECTS, export, request_tools

CASES = Path(__file__).parent / "cases"
NO_PARAMETERS = {"type": "object", "properties": {}}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_forecast_is_exported_as_reviewed(forecast, dialect):
    made = export(forecast, dialect)
    assert made.definition == json.loads((CASES / f"{dialect}.json").read_text("utf-8"))
    assert made.losses == ()


def parameters(schema, dialect, **options):
    """Return the parameters that are sent for one that is called `x`."""
    spec = ToolSpec("t", "", {"type": "object", "properties": {"x": schema}, "required": ["x"]}, **options)
    definition = export(spec, dialect).definition
    definition = definition.get("function", definition)
    sent = next(definition[key] for key in ("parameters", "parametersJsonSchema", "input_schema") if key in definition)
    return sent["properties"]["x"]


def test_tool_without_parameters_is_sent_as_each_provider_wants_it():
    spec = ToolSpec("now", "Tell the time.")
    openai = {
        "type": "function",
        "function": {"name": "now", "description": "Tell the time.", "parameters": NO_PARAMETERS},
    }
    assert {name: export(spec, name).definition for name in DIALECTS} == {
        "openai": openai,
        "openai-strict": {
            "type": "function",
            "function": {
                "name": "now",
                "description": "Tell the time.",
                "parameters": {**NO_PARAMETERS, "required": [], "additionalProperties": False},
                "strict": True,
            },
        },
        "anthropic": {"name": "now", "description": "Tell the time.", "input_schema": NO_PARAMETERS},
        "anthropic-strict": {
            "name": "now",
            "description": "Tell the time.",
            "input_schema": {**NO_PARAMETERS, "additionalProperties": False},
            "strict": True,
        },
        "gemini": {"name": "now", "description": "Tell the time."},
        "bedrock": {
            "toolSpec": {"name": "now", "description": "Tell the time.", "inputSchema": {"json": NO_PARAMETERS}}
        },
        "mistral": openai,
        "ollama": openai,
        "mcp": {
            "name": "now",
            "description": "Tell the time.",
            "inputSchema": {**NO_PARAMETERS, "additionalProperties": False},
        },
        "json-schema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "now",
            "description": "Tell the time.",
            **NO_PARAMETERS,
        },
    }


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "json-schema"])
def test_empty_description_is_not_sent(dialect):
    assert "description" not in json.dumps(export(ToolSpec("now"), dialect).definition)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_empty_description_of_a_part_is_not_sent(dialect):
    text = {"type": "string", "description": ""}
    inner = {
        "type": "object",
        "description": "",
        "properties": {"description": text, "list": {"type": "array", "items": text}},
    }
    spec = ToolSpec("t", "Do it.", {"type": "object", "description": "", "properties": {"x": inner}, "required": ["x"]})
    assert '"description": ""' not in json.dumps(export(spec, dialect).definition)


def test_empty_description_in_python_is_none():
    def look(city: Annotated[str, Field(description="")]) -> str:
        """Look at the weather."""
        return city

    assert from_function(look).spec.parameters["properties"] == {"city": {"type": "string"}}


def test_unknown_dialect_names_the_nearest():
    with pytest.raises(ValueError, match=r"unknown dialect 'antropic': did you mean 'anthropic'"):
        export(ToolSpec("now"), "antropic")


def test_tool_says_itself_whether_it_is_strict():
    strict, loose = ToolSpec("now", strict=True), ToolSpec("now", strict=False)
    assert export(strict, "openai").definition == export(ToolSpec("now"), "openai-strict").definition
    assert export(loose, "openai-strict").definition["function"] == {
        "name": "now",
        "parameters": NO_PARAMETERS,
        "strict": False,
    }
    assert [(one.pointer, one.what) for one in export(loose, "anthropic-strict").changes] == [
        ("/strict", "sent without strict mode, as the tool says")
    ]
    assert export(strict, "bedrock").definition["toolSpec"]["strict"] is True
    assert export(strict, "mistral").definition["function"]["parameters"]["additionalProperties"] is False
    assert "strict" not in json.dumps(export(strict, "gemini").definition)


def test_metadata_stands_only_in_its_own_provider_s_export(forecast):
    cached = {"cache_control": {"type": "ephemeral"}}
    found = {name for name in DIALECTS if "cache_control" in json.dumps(export(forecast, name).definition)}
    assert found == {"anthropic", "anthropic-strict"}
    assert export(forecast, "anthropic").definition.items() >= cached.items()


def test_metadata_adds_inside_and_replaces_nothing():
    spec = ToolSpec("now", read_only=True, metadata={"mcp": {"name": "other", "annotations": {"title": "Now"}}})
    made = export(spec, "mcp")
    assert made.definition["name"] == "now"
    assert made.definition["annotations"] == {"readOnlyHint": True, "title": "Now"}
    assert [(one.pointer, one.what) for one in made.changes] == [
        ("/parameters", "closed: it has no parameters"),
        ("/metadata/mcp/name", "left out: 'name' is already given"),
    ]


def test_metadata_that_is_no_object_is_left_out():
    made = export(ToolSpec("now", metadata={"openai": "x"}), "openai")
    assert [(one.pointer, one.what) for one in made.changes] == [("/metadata/openai", "left out: it is not an object")]


def test_gemini_takes_all_declarations_in_one_tool(forecast):
    exports = [export(forecast, "gemini"), export(ToolSpec("now"), "gemini")]
    assert request_tools(exports, "gemini") == [{"functionDeclarations": [one.definition for one in exports]}]
    assert request_tools([], "gemini") == []
    assert request_tools([export(forecast, "mcp")], "mcp") == [export(forecast, "mcp").definition]


# What happens to single keywords.


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"type": "string", "minLength": 3}, {"type": "string", "description": "at least 3 characters"}),
        ({"type": "string", "format": "uri"}, {"type": "string", "description": "format: uri"}),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        ({"type": "string", "pattern": "^a$"}, {"type": "string", "pattern": "^a$"}),
        ({"type": "string", "pattern": "(?!a)"}, {"type": "string", "description": "matching (?!a)"}),
        ({"type": "string", "pattern": r"\(?=a"}, {"type": "string", "pattern": r"\(?=a"}),
        ({"enum": ["a", 1]}, {"type": ["string", "integer"], "enum": ["a", 1]}),
        ({"type": "string", "title": "X", "description": "d"}, {"type": "string", "description": "d"}),
        ({"type": "string", "title": "How far"}, {"type": "string", "description": "How far"}),
        ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"anyOf": [{"type": "string"}, {"type": "integer"}]}),
        (
            {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 1, "deprecated": True},
            {"type": "array", "items": {"type": "string"}, "maxItems": 1, "description": "unique items; deprecated"},
        ),
        (
            {"type": "integer", "not": {"const": 5}, "description": "A number."},
            {"type": "integer", "description": 'A number. (not: {"const": 5})'},
        ),
    ],
)
def test_strict_mode_of_openai_says_in_words_what_it_has_no_keyword_for(schema, sent):
    assert parameters(schema, "openai-strict") == sent


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"type": "integer", "minimum": 1}, {"type": "integer", "description": "at least 1"}),
        ({"type": ["string", "null"]}, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 2},
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "description": "at least 2 items"},
        ),
        (
            {"enum": [{"a": 1}]},
            {"type": "object", "properties": {}, "additionalProperties": False, "description": 'one of {"a": 1}'},
        ),
    ],
)
def test_strict_mode_of_anthropic_says_in_words_what_it_has_no_keyword_for(schema, sent):
    assert parameters(schema, "anthropic-strict") == sent


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        ({"enum": [1, 2]}, {"type": "integer", "description": "one of 1, 2"}),
        ({"enum": ["", "a"]}, {"type": "string", "description": 'one of "", "a"'}),
        ({"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}),
        ({"type": "string", "format": "date"}, {"type": "string", "description": "format: date"}),
        ({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 9}, {"type": "integer", "minimum": 1, "maximum": 8}),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "description": "more than 0"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}], "description": "d"}, {"type": "string", "nullable": True, "description": "d"}),
        (
            {"type": ["string", "integer", "null"]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}], "nullable": True},
        ),
        ({"type": "null"}, {"type": "string", "nullable": True, "description": "always null"}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"type": "object", "additionalProperties": {"type": "integer"}}),
        (
            {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 2, "items": False},
            {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}, {"type": "number"}]},
                "minItems": 2,
                "maxItems": 2,
                "description": "in this order: string, number",
            },
        ),
    ],
)  # fmt: skip
def test_gemini_is_sent_openapi(schema, sent):
    assert parameters(schema, "gemini") == sent


@pytest.mark.parametrize(
    ("schema", "sent"),
    [
        ({"type": "string", "minLength": 3}, {"type": "string", "description": "at least 3 characters"}),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": ["string", "null"]}),
        ({"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}, {"type": ["string", "null"], "enum": ["a"]}),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "description": 'an object with {"properties": {"a": {"type": "string"}}, "required": ["a"]}',
            },
        ),
    ],
)
def test_ollama_is_told_in_words_what_would_be_lost(schema, sent):
    assert parameters(schema, "ollama") == sent


def test_array_of_anything_gets_items_for_openai():
    assert parameters({"type": "array"}, "openai") == {"type": "array", "items": {}}


def test_schema_that_is_only_true_is_written_as_an_object():
    spec = ToolSpec("t", "", {"type": "object", "properties": {"x": True}})
    made = export(spec, "mcp")
    assert made.definition["inputSchema"]["properties"] == {"x": {}}
    assert [one.code for one in made.changes] == ["TK315"]


# Roots that are unions.

UNION = {
    "type": "object",
    "oneOf": [
        {"properties": {"kind": {"const": "file"}, "path": {"type": "string"}}, "required": ["kind", "path"]},
        {"$ref": "#/$defs/Web"},
    ],
    "$defs": {
        "Web": {
            "type": "object",
            "properties": {"kind": {"const": "web"}, "url": {"type": "string"}, "wait": {"type": "integer"}},
            "required": ["kind", "url"],
        }
    },
}


@pytest.mark.parametrize(("dialect", "key"), [("openai", "parameters"), ("anthropic", "input_schema")])
def test_root_that_is_a_union_becomes_one_object(dialect, key):
    definition = export(ToolSpec("load", "", UNION), dialect).definition
    assert definition.get("function", definition)[key] == {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": ["file", "web"]},
            "path": {"type": "string"},
            "url": {"type": "string"},
            "wait": {"type": "integer"},
        },
        "required": ["kind"],
        "description": 'give one of: kind = "file", path | kind = "web", url, wait?',
    }


def test_root_that_demands_one_of_several_says_so():
    schema = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "anyOf": [{"required": ["id"]}, {"required": ["name"]}],
    }
    made = export(ToolSpec("find", "", schema), "anthropic")
    assert made.definition["input_schema"] == {
        "type": "object",
        "properties": {"id": {"type": "string"}, "name": {"type": "string"}},
        "description": "give at least one of: id | name",
    }
    assert [(one.pointer, one.what, one.limit.source.place) for one in made.changes] == [
        (
            "/parameters",
            "its anyOf is written as one object, and the description says what belongs together",
            "https://github.com/anthropics/claude-code/issues/44788",
        )
    ]


def test_other_providers_take_the_union_as_it_is():
    assert export(ToolSpec("load", "", UNION), "mcp").definition["inputSchema"]["oneOf"] == UNION["oneOf"]


# References.

TREE = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node", "description": "the root"}},
    "required": ["root"],
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/Node"}},
            "required": ["name"],
        },
        "Unused": {"type": "string"},
    },
}


def test_strict_mode_of_openai_lets_a_schema_refer_to_itself():
    made = export(ToolSpec("walk", "", TREE), "openai-strict")
    assert made.losses == ()
    assert made.definition["function"]["parameters"] == {
        "type": "object",
        "properties": {"root": {"description": "the root", "anyOf": [{"$ref": "#/$defs/Node"}]}},
        "required": ["root"],
        "additionalProperties": False,
        "$defs": {
            "Node": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "next": {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}]},
                },
                "required": ["name", "next"],
                "additionalProperties": False,
            }
        },
    }


def test_gemini_is_sent_json_schema_where_something_refers_to_itself():
    made = export(ToolSpec("walk", "", TREE), "gemini")
    assert made.definition["parametersJsonSchema"]["$defs"].keys() == {"Node"}
    assert made.changes[0].what == "sent as parametersJsonSchema: it refers to itself"
    assert made.losses == ()


def test_parameters_that_are_themselves_a_definition_are_written_out():
    schema = {"type": "object", "$ref": "#/$defs/Node", "$defs": TREE["$defs"]}
    sent = export(ToolSpec("walk", "", schema), "openai-strict").definition["function"]["parameters"]
    assert sent["required"] == ["name", "next"]
    assert sent["$defs"].keys() == {"Node"}


@pytest.mark.parametrize(
    "reference", ["#/definitions/a~1b", "#/definitions/a%20b", "#/$defs/here/properties/x", "#anchored"]
)
def test_references_of_every_kind_are_followed(reference):
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": reference}},
        "required": ["x"],
        "definitions": {"a/b": {"type": "string"}, "a b": {"type": "string"}},
        "$defs": {"here": {"properties": {"x": {"$anchor": "anchored", "type": "string"}}}},
    }
    sent = export(ToolSpec("t", "", schema), "gemini").definition["parameters"]
    assert sent == {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}


def test_reference_that_leads_nowhere_is_an_objection():
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/gone"}}}
    [loss] = export(ToolSpec("t", "", schema), "mistral").losses
    assert (loss.code, loss.pointer, loss.message) == (
        "TK324",
        "/parameters/properties/x/$ref",
        "the reference '#/$defs/gone' points to nothing in the schema",
    )


@pytest.mark.proof
def test_definitions_that_would_explode_stay_references():
    doubling = {f"d{n}": {"type": "array", "prefixItems": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": doubling | {"d40": {"type": "string"}},
    }
    [loss] = export(ToolSpec("t", "", schema), "mistral").losses
    assert loss.message == "written out, the definitions would make more than 20000 schemas"


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"x": schema}}
    return schema


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_deepest_schema_that_a_tool_may_have_breaks_no_export(dialect):
    assert {one.code for one in export(ToolSpec("t", "", nested(99)), dialect).losses} <= {"TK304"}


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_chain_of_definitions_breaks_no_export(dialect):
    definitions = {f"d{n}": {"type": "object", "properties": {"x": {"$ref": f"#/$defs/d{n + 1}"}}} for n in range(300)}
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": definitions | {"d300": {}}}
    exported = export(ToolSpec("t", "", schema), dialect)
    if dialect == "mistral":
        messages = [loss.message for loss in exported.losses]
        assert "written out, the definitions would be nested deeper than 100 levels" in messages


def test_schema_that_is_nested_without_end_is_refused():
    with pytest.raises(InvalidTools, match="parameters is nested deeper than 200 levels"):
        ToolSpec("t", "", nested(5000))


# Several demands in one.


def test_all_of_becomes_one_schema():
    schema = {
        "description": "both",
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}}, "required": ["a"]},
            {
                "type": "object",
                "properties": {"a": {"type": "number", "minimum": 3}, "b": {"type": "string"}},
                "required": ["b"],
            },
        ],
    }
    assert parameters(schema, "openai-strict") == {
        "type": "object",
        "description": "both",
        "properties": {"a": {"type": "integer", "minimum": 3}, "b": {"type": "string"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


def test_closed_member_of_all_of_forbids_what_it_does_not_know():
    schema = {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False},
            {"properties": {"a": {"enum": ["x", "y"]}, "b": {"type": "string"}}},
        ]
    }
    assert parameters(schema, "anthropic-strict")["properties"] == {"a": {"type": "string", "enum": ["x", "y"]}}


def test_what_cannot_be_joined_is_said():
    schema = {"type": "string", "pattern": "^a", "allOf": [{"pattern": "b$"}]}
    assert parameters(schema, "openai-strict") == {
        "type": "string",
        "pattern": "^a",
        "description": 'allOf: [{"pattern": "b$"}]',
    }


def test_what_stands_beside_a_union_is_written_into_its_branches():
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    branches = parameters(schema, "anthropic-strict")["anyOf"]
    assert [branch["required"] for branch in branches] == [["a"], ["b"]]
    assert all(branch["properties"].keys() == {"a", "b"} for branch in branches)
