"""Whatever the schema: an export never fails, and a strict one obeys the rules and means what was meant."""

import copy
import json

import jsonschema
import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.volumes import examples
from toolkit import ToolSpec
from toolkit.dialects import DIALECTS, PROVIDERS, export, objections, request_objections, request_tools
from toolkit.dialects.conformance import schema_of  # private

OPENAI_KEYWORDS = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "items", "maxItems", "maximum", "minItems", "minimum", "multipleOf", "pattern",
    "properties", "required", "type",
}  # fmt: skip
ANTHROPIC_KEYWORDS = {
    "$defs", "$ref", "additionalProperties", "anyOf", "const", "description", "enum", "format", "items", "minItems",
    "properties", "required", "type",
}  # fmt: skip
GEMINI_KEYWORDS = {
    "anyOf", "description", "enum", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "nullable", "pattern", "properties", "propertyOrdering", "required",
    "type",
}  # fmt: skip

unhurried = settings(max_examples=examples(100, everyday=5), deadline=None)

names = st.sampled_from(["a", "b", "c", "a/b", "~", "$ref", "type"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["", "x", "y", "object", "#", "#/$defs/a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)
keywords = st.sampled_from(
    [
        *sorted(OPENAI_KEYWORDS | GEMINI_KEYWORDS),
        "allOf",
        "oneOf",
        "not",
        "if",
        "then",
        "prefixItems",
        "patternProperties",
        "definitions",
        "title",
        "default",
        "$anchor",
        "$dynamicRef",
        "$recursiveRef",
        "uniqueItems",
        "x-unknown",
        "contains",
        "examples",
        "$id",
        "$schema",
    ]
)


def _wild(inner):
    by_name = st.dictionaries(names, inner, max_size=3)
    listed = st.lists(inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(
                ["string", "integer", "array", "object", "null", ["string", "null"], "STRING", "x"]
            ),
            "properties": by_name,
            "$defs": by_name,
            "definitions": by_name,
            "required": st.lists(names, max_size=2),
            "items": inner | listed,
            "additionalProperties": inner,
            "anyOf": listed,
            "oneOf": listed,
            "allOf": listed,
            "prefixItems": listed,
            "$ref": st.sampled_from(
                ["#", "#/$defs/a", "#/definitions/b", "#/properties/c", "#a", "https://x.org/y", "%"]
            ),
            "enum": st.lists(json_values, max_size=3),
            "const": json_values,
            "default": json_values,
            "pattern": st.sampled_from(["^a", "(?=a)b", "["]),
            "minItems": st.integers(0, 3),
            "minimum": st.integers(0, 3),
        },
    ) | st.dictionaries(keywords, json_values | inner, max_size=4)


wild_schemas = st.recursive(st.booleans() | st.just({}), _wild, max_leaves=6)
wild_roots = _wild(wild_schemas).map(lambda schema: {**schema, "type": "object"})


def wild_spec(schema):
    return ToolSpec("tool", "A tool.", schema)


@unhurried
@given(wild_roots, st.sampled_from(DIALECTS), st.sampled_from([None, True, False]))
def test_no_schema_breaks_an_export(schema, dialect, strict):
    before = json.dumps(schema)
    spec = ToolSpec("tool", "A tool.", schema, strict=strict)
    made = export(spec, dialect)
    json.dumps(made.definition)
    assert json.dumps(schema) == before, "the specification is not touched"
    assert all(
        change.pointer.startswith("/") and change.what and change.limit.source.checked for change in made.changes
    )
    assert made == export(spec, dialect), "the same again"


@unhurried
@given(wild_roots, st.sampled_from(PROVIDERS))
def test_no_schema_breaks_the_checks(schema, provider):
    spec = wild_spec(schema)
    assert all(one.message and one.code for one in [*objections(spec, provider), *request_objections([spec], provider)])


@unhurried
@given(
    json_values | wild_roots, st.sampled_from(DIALECTS), st.sampled_from(["input_schema", "inputSchema", "parameters"])
)
def test_no_definition_of_others_breaks_the_checks(schema, dialect, key):
    objections({"name": "tool", key: schema}, dialect)


def schemas_in(schema):
    """Yield every schema in a schema, found in another way than the library finds them."""
    yield schema
    for key in ("properties", "$defs"):
        for inner in schema.get(key, {}).values():
            yield from schemas_in(inner)
    for inner in schema.get("anyOf", ()):
        yield from schemas_in(inner)
    if isinstance(schema.get("items"), dict):
        yield from schemas_in(schema["items"])


def resolves(reference, root):
    return reference == "#" or reference.removeprefix("#/$defs/").replace("~1", "/").replace("~0", "~") in root.get(
        "$defs", {}
    )


def check_strict(root, allowed, *, all_required):
    """Say what strict mode demands, in other words than the library does."""
    assert root["type"] == "object"
    assert not {"anyOf", "$ref"} & root.keys()
    for schema in schemas_in(root):
        assert schema.keys() <= allowed
        assert "type" in schema or "anyOf" in schema or "$ref" in schema
        types = schema.get("type", [])
        if "object" in types:
            assert schema["additionalProperties"] is False
            assert set(schema.get("required", ())) <= schema["properties"].keys()
            if all_required:
                assert schema["required"] == list(schema["properties"])
        if "array" in types:
            assert schema["items"]
        if "$ref" in schema:
            assert len(schema) == 1
            assert resolves(schema["$ref"], root)


@unhurried
@given(wild_roots)
def test_strict_export_for_openai_obeys_strict_mode(schema):
    root = schema_of(export(wild_spec(schema), "openai-strict").definition)
    check_strict(root, OPENAI_KEYWORDS, all_required=True)


@unhurried
@given(wild_roots)
def test_strict_export_for_anthropic_obeys_strict_mode(schema):
    root = schema_of(export(wild_spec(schema), "anthropic-strict").definition)
    check_strict(root, ANTHROPIC_KEYWORDS, all_required=False)
    for part in schemas_in(root):
        assert isinstance(part.get("type", ""), str)
        assert part.get("minItems", 0) in (0, 1)
        assert not any(isinstance(value, dict | list) for value in [*part.get("enum", ()), part.get("const")])


@unhurried
@given(wild_roots)
def test_gemini_parameters_are_a_part_of_openapi(schema):
    definition = export(wild_spec(schema), "gemini").definition
    assert not {"parameters", "parametersJsonSchema"} <= definition.keys()
    for part in schemas_in(definition.get("parameters", {"type": "object", "properties": {}})):
        assert part.keys() <= GEMINI_KEYWORDS
        assert part.get("type", "object") in ("string", "integer", "number", "boolean", "array", "object")
        assert all(isinstance(value, str) and value for value in part.get("enum", ()))


@unhurried
@given(wild_roots)
def test_ollama_parameters_keep_what_arrives(schema):
    parameters = schema_of(export(wild_spec(schema), "ollama").definition)
    for part in parameters.get("properties", {}).values():
        assert part.keys() <= {"type", "items", "description", "enum"}


# Schemas that strict mode can say in full: every value that it lets pass must be one that the tool takes.

plain_schemas = st.one_of(
    st.just({"type": "string"}),
    st.just({"type": "integer", "minimum": 1, "maximum": 3}),
    st.just({"type": "number"}),
    st.just({"type": "boolean"}),
    st.just({"type": ["string", "null"]}),
    st.just({"type": ["integer", "null"], "enum": [1, 2, None]}),
    st.sampled_from(
        [{"enum": ["x", "y"]}, {"const": "x"}, {"type": "string", "enum": ["x"]}, {"enum": [1, "x", None]}]
    ),
    st.just({"$ref": "#/$defs/node"}),
    st.just({"allOf": [{"$ref": "#/$defs/leaf"}], "description": "a leaf"}),
)


@st.composite
def objects(draw, inner, members_named="abc"):
    members = draw(st.dictionaries(st.sampled_from(members_named), inner, max_size=2))
    required = [name for name in members if draw(st.booleans())]
    closed = draw(st.sampled_from([{}, {"additionalProperties": False}]))
    return {"type": "object", "properties": members, "required": required, **closed}


def open_again(schema):
    """Open an object: closed ones within an allOf forbid one another's members."""
    return {key: value for key, value in schema.items() if key != "additionalProperties"}


mild_schemas = st.recursive(
    plain_schemas,
    lambda inner: st.one_of(
        objects(inner),
        inner.map(lambda item: {"type": "array", "items": item}),
        st.lists(inner, min_size=1, max_size=2).map(lambda parts: {"anyOf": parts}),
        st.tuples(objects(inner), objects(inner, "de")).map(
            lambda parts: {"allOf": [open_again(part) for part in parts]}
        ),
        st.tuples(inner, inner).map(
            lambda parts: {"type": "array", "prefixItems": list(parts), "minItems": 2, "items": False}
        ),
    ),
    max_leaves=4,
)
DEFINITIONS = {
    "leaf": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    "node": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"$ref": "#/$defs/node"}},
        "required": ["a"],
    },
}
mild_roots = objects(mild_schemas).map(lambda schema: schema | {"$defs": DEFINITIONS})


def values_for(schema, root, depth=0):
    """Return a strategy for values that a strict schema lets pass."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        return values_for(root if name == "#" else root["$defs"][name], root, depth + 1)
    if "anyOf" in schema:
        branches = schema["anyOf"]
        if depth > 4:
            branches = [one for one in branches if one.get("type") == "null"] or branches
        return st.sampled_from(branches).flatmap(lambda branch: values_for(branch, root, depth + 1))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "const" in schema:
        return st.just(schema["const"])
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if depth > 4 and "null" in types:
        return st.none()
    return st.sampled_from(types).flatmap(lambda name: _values_of(name, schema, root, depth))


def _values_of(name, schema, root, depth):
    if name == "object":
        members = {key: values_for(inner, root, depth + 1) for key, inner in schema["properties"].items()}
        required = {key: value for key, value in members.items() if key in schema.get("required", ())}
        return st.fixed_dictionaries(required, optional={key: members[key] for key in members if key not in required})
    if name == "array":
        low = schema.get("minItems", 0)
        return st.lists(
            values_for(schema["items"], root, depth + 1), min_size=low, max_size=schema.get("maxItems", low + 2)
        )
    return {
        "string": st.sampled_from(["x", "y", "z"]),
        "integer": st.integers(schema.get("minimum", -2), schema.get("maximum", 4)),
        "number": st.sampled_from([0, 1, 1.5]),
        "boolean": st.booleans(),
        "null": st.none(),
    }[name]


@pytest.mark.parametrize("dialect", ["openai-strict", "anthropic-strict"])
@unhurried
@given(data=st.data())
def test_what_strict_mode_lets_pass_is_what_the_tool_takes(dialect, data):
    schema = data.draw(mild_roots)
    made = export(wild_spec(schema), dialect)
    said_only = [change for change in made.changes if change.what.startswith(("moved to", "a tuple", "left out"))]
    assume(not said_only)
    assume(not [loss for loss in made.losses if loss.code != "TK307"])
    root = schema_of(made.definition)
    value = data.draw(values_for(root, root))
    jsonschema.validate(value, root)
    assert accepts(schema, value), f"{value} is let pass by {root}"


def accepts(schema, value):
    """Tell whether the tool takes a value, once nulls where nothing may be null are left out."""
    validator = jsonschema.Draft202012Validator(schema)
    value = copy.deepcopy(value)
    while nulls := [path for path in wrong_nulls(validator.iter_errors(value)) if is_member(value, path)]:
        *outer, name = nulls[0]
        del within(value, outer)[name]
    return validator.is_valid(value)


def wrong_nulls(errors):
    for error in errors:
        if error.instance is None and error.absolute_path:
            yield list(error.absolute_path)
        yield from wrong_nulls(error.context)


def is_member(value, path):
    return isinstance(within(value, path[:-1]), dict)


def within(value, path):
    for step in path:
        value = value[step]
    return value


@unhurried
@given(st.lists(mild_roots.map(wild_spec), max_size=3), st.sampled_from(DIALECTS))
def test_request_carries_every_tool(specs, dialect):
    exports = [export(spec, dialect) for spec in specs]
    tools = request_tools(exports, dialect)
    listed = tools[0]["functionDeclarations"] if dialect == "gemini" and specs else tools
    assert listed == [one.definition for one in exports]
