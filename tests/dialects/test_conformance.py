"""What a provider will refuse, and that no export can mend: of specifications, of others' definitions, of requests."""

from typing import Any

import pytest

from toolkit import ToolSpec
from toolkit.dialects import DIALECTS, LIMITS, PROVIDERS, definitions_in, objections, recognize, request_objections


def reported(found):
    return [(one.code, one.pointer, one.message, one.severity) for one in found]


def spec_of(properties, **options):
    return ToolSpec("t", "", {"type": "object", "properties": properties}, **options)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize("provider", PROVIDERS)
def test_plain_tool_is_taken_by_all(provider, forecast):
    assert objections(forecast, provider) == []
    assert request_objections([forecast], provider) == []


LONG = "a" * 70


@pytest.mark.parametrize(
    ("name", "provider", "expected"),
    [
        ("get.it", "openai", [("TK101", "/name", "OpenAI refuses the name 'get.it'", "error")]),
        ("get.it", "gemini", []),
        ("get.it", "mcp", []),
        ("1st", "gemini", [("TK101", "/name", "Gemini refuses the name '1st'", "error")]),
        ("1st", "anthropic", []),
        ("1st", "portable", [("TK101", "/name", "Portable refuses the name '1st'", "error")]),
        ("gets it", "ollama", []),
        (
            LONG,
            "bedrock",
            [("TK102", "/name", f"the name {LONG!r} has 70 characters, 6 more than Bedrock accepts", "error")],
        ),
        (
            LONG,
            "anthropic",
            [
                (
                    "TK102",
                    "/name",
                    f"the name {LONG!r} has 70 characters, more than older versions of Anthropic accept",
                    "warning",
                )
            ],
        ),
        (LONG, "mcp", []),
    ],
)
def test_names_are_judged_by_each_provider(name, provider, expected):
    assert reported(objections(ToolSpec(name), provider)) == expected


def test_names_of_parameters_are_judged_where_they_stand():
    spec = spec_of({"a-b": {"type": "object", "properties": {"ok": {}, "c/d": {}}}})
    assert reported(objections(spec, "gemini")) == [
        ("TK107", "/parameters/properties/a-b", "Gemini refuses the parameter name 'a-b'", "error"),
        ("TK107", "/parameters/properties/a-b/properties/c~1d", "Gemini refuses the parameter name 'c/d'", "error"),
    ]
    assert objections(spec, "openai") == []


TREE = {"t": {"type": "object", "properties": {"next": {"$ref": "#/properties/t"}}, "required": ["next"]}}


def test_schema_that_refers_to_itself_is_judged_by_each_provider():
    refused = {name: reported(objections(spec_of(TREE), name)) for name in DIALECTS}
    assert {name for name, found in refused.items() if found} == {"anthropic-strict", "gemini", "ollama"}
    assert refused["anthropic-strict"] == [
        ("TK307", "/parameters/$defs/t", "the definition 't' refers to itself", "error")
    ]
    assert refused["gemini"] == [("TK307", "/parameters/$defs/t", "the definition 't' requires itself", "error")]


def test_open_object_cannot_be_sent_in_strict_mode():
    spec = spec_of({"sizes": {"type": "object", "additionalProperties": {"type": "integer"}}})
    [found] = objections(spec, "openai-strict")
    assert reported([found]) == [
        (
            "TK304",
            "/parameters/properties/sizes",
            "'sizes' has arbitrary members, but it can only be sent empty",
            "error",
        )
    ]
    assert found.hint == "use a list of objects with named fields instead"
    assert found.limit.source.place.startswith("https://developers.openai.com/")


def test_parameter_that_may_be_anything_loses_something_in_strict_mode():
    [found] = objections(spec_of({"x": {}}), "anthropic-strict")
    assert (found.code, found.severity) == ("TK304", "warning")


def nested(depth):
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"x": schema}}
    return ToolSpec("t", "", schema)


@pytest.mark.proof
def test_size_is_judged_for_strict_mode():
    many = spec_of({"x": {"enum": [f"{n:060}" for n in range(1001)]}})
    wide = spec_of({f"p{n}": {"type": "string"} for n in range(5001)})
    assert objections(nested(10), "openai-strict") == []
    assert [one.message for one in objections(nested(11), "openai-strict")] == [
        "it has 11 levels of nested objects, and OpenAI, strict accepts at most 10"
    ]
    assert [one.code for one in objections(many, "openai-strict")] == ["TK310", "TK310"]
    assert [one.code for one in objections(wide, "openai-strict")] == ["TK308"]
    assert objections(nested(11), "openai") == objections(many, "openai") == objections(wide, "openai") == []


def test_pattern_inside_items_breaks_llama_cpp():
    spec = spec_of({"x": {"type": "array", "items": {"type": "string", "pattern": "^a"}}, "y": {"pattern": "^b"}})
    assert reported(objections(spec, "llama-cpp")) == [
        (
            "TK316",
            "/parameters/properties/x/items/pattern",
            "llama.cpp fails on the pattern '^a' inside the items of an array",
            "error",
        )
    ]


def test_unknown_provider_is_refused(forecast):
    with pytest.raises(ValueError, match="unknown provider 'acme': the providers are openai, "):
        objections(forecast, "acme")


# Definitions that others wrote.

SCHEMA: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "string", "minLength": 1}}}
FORMS: dict[str, dict[str, Any]] = {
    "openai": {"type": "function", "function": {"name": "t", "parameters": SCHEMA, "strict": True}},
    "openai-responses": {"type": "function", "name": "t", "parameters": SCHEMA, "strict": True},
    "anthropic": {"name": "t", "input_schema": SCHEMA},
    "mcp": {"name": "t", "inputSchema": SCHEMA},
    "bedrock": {"toolSpec": {"name": "t", "inputSchema": {"json": SCHEMA}}},
    "gemini": {"name": "t", "parametersJsonSchema": SCHEMA},
    "plain": {"name": "t", "parameters": SCHEMA},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_recognized(form):
    found = recognize(FORMS[form])
    assert (found.form, found.name, found.parameters) == (form, "t", SCHEMA)
    assert found.strict is (True if form.startswith("openai") else None)
    assert found.spec.properties == SCHEMA["properties"]


def test_what_is_in_no_form_is_refused():
    assert recognize({"x": 1}) is None
    with pytest.raises(ValueError, match="it is not a tool definition in any provider's format"):
        objections({"x": 1}, "openai")


def test_definitions_are_found_in_lists_and_under_their_usual_keys():
    document = [
        {"tools": [FORMS["mcp"]]},
        {"functionDeclarations": [FORMS["gemini"], FORMS["plain"]]},
        FORMS["anthropic"],
    ]
    assert list(definitions_in(document)) == [
        ("/0/tools/0", FORMS["mcp"]),
        ("/1/functionDeclarations/0", FORMS["gemini"]),
        ("/1/functionDeclarations/1", FORMS["plain"]),
        ("/2", FORMS["anthropic"]),
    ]


def test_definition_in_a_provider_s_own_form_is_judged_as_it_stands():
    found = objections(FORMS["openai"], "openai-strict")
    assert [(one.code, one.pointer, one.hint) for one in found] == [
        ("TK317", "/function/parameters", "as exported: closed: only its properties can be sent"),
        ("TK305", "/function/parameters/properties/x", "as exported: required; null means left out"),
        (
            "TK304",
            "/function/parameters/properties/x/minLength",
            "as exported: moved to the description: at least 1 character",
        ),
    ]
    assert objections(FORMS["anthropic"], "anthropic") == []


def test_definition_in_another_form_is_exported_first():
    assert objections(FORMS["mcp"], "openai-strict") == []
    assert [one.pointer for one in objections({"name": "a b", "inputSchema": SCHEMA}, "openai")] == ["/name"]


def test_definition_without_name_or_object_is_objected_to_where_it_stands():
    found = objections({"toolSpec": {"inputSchema": {"json": {"type": "string"}}}}, "bedrock")
    assert reported(found) == [
        ("TK101", "/toolSpec/name", "it has no name", "error"),
        ("TK302", "/toolSpec/inputSchema/json", "the root of its parameters is not of type 'object'", "error"),
    ]


# Whole requests.


def test_requests_have_limits_of_their_own():
    tools = [ToolSpec(f"t{n}") for n in range(130)]
    assert reported(request_objections(tools, "openai")) == [
        ("TK319", "", "there are 130 tools, and OpenAI accepts at most 128", "error"),
        ("TK319", "", "there are 130 tools, and OpenAI recommends at most 20", "warning"),
    ]
    assert request_objections(tools, "mcp") == []


def test_strict_tools_of_a_request_share_a_budget():
    optional = {f"p{n}": {"type": ["string", "null"]} for n in range(13)}
    assert reported(request_objections([spec_of(optional), spec_of(optional)], "anthropic-strict")) == [
        ("TK306", "", "there are 26 optional parameters, and Anthropic, strict accepts at most 24", "error"),
        ("TK306", "", "there are 26 parameters with several types, and Anthropic, strict accepts at most 16", "error"),
    ]
    loose = [spec_of(optional), spec_of(optional, strict=False)]
    assert request_objections(loose, "anthropic-strict") == []
    assert [one.code for one in request_objections([ToolSpec("t", strict=True)] * 21, "bedrock")] == ["TK306"]


def test_every_limit_has_its_source_and_its_day():
    for name, known in LIMITS.items():
        for limit in known.stated().values():
            assert limit.says, name
            assert limit.source.place, name
            assert limit.source.checked >= "2026-11-01", name
    assert {*PROVIDERS} <= LIMITS.keys()
