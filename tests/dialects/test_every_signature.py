"""Whatever the signature: each provider takes what is exported of it, and the tool takes what the export admits."""

import dataclasses
import inspect
import json
from typing import Annotated, Any, Literal

import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from pydantic import BaseModel, Field, create_model
from typing_extensions import TypedDict

from tests.volumes import examples
from toolkit import from_function
from toolkit.dialects import DIALECTS, export, objections
from toolkit.schemas import Schema

PLAIN = st.sampled_from([int, float, str, bool, Literal["a", "b"], Literal["only"]])
WORDS = ("moved to the description", "left out", "a tuple is written as a list")


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"
    name: str | None = None


class Wolf(BaseModel):
    kind: Literal["wolf", "coyote"] = "wolf"
    pack: list[str] = []


Pet = Annotated[Cat | Dog | Wolf, Field(discriminator="kind")]


@st.composite
def records(draw, inner):
    """Return a class with a few fields, some of which have defaults."""
    fields = [(name, draw(inner), draw(st.booleans())) for name in draw(st.sampled_from(["a", "ab", "abc"]))]
    kind = draw(st.sampled_from(["dataclass", "model", "typed dict"]))
    if kind == "typed dict":
        return TypedDict("Record", {name: type_ for name, type_, _ in fields})
    if kind == "model":
        described: dict[str, Any] = {
            name: (type_ | None, None) if default else (type_, ...) for name, type_, default in fields
        }
        return create_model("Record", **described)
    ordered = sorted(fields, key=lambda field: field[2])
    return dataclasses.make_dataclass(
        "Record", [(name, type_ | None, None) if default else (name, type_) for name, type_, default in ordered]
    )


def _composed(inner):
    return st.one_of(
        inner.map(list.__class_getitem__),
        inner.map(lambda one: one | None),
        inner.map(lambda one: dict.__class_getitem__((str, one))),
        st.tuples(inner, inner).map(tuple.__class_getitem__),
        inner.map(lambda one: tuple.__class_getitem__((one, ...))),
        st.tuples(inner, inner).map(lambda two: two[0] | two[1]),
        records(inner),
        st.just(Pet),
    )


types = st.recursive(PLAIN, _composed, max_leaves=4)


@st.composite
def tools(draw):
    parameters = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=draw(types), **draw(defaults))
        for name in draw(st.sampled_from(["x", "xy", "xyz"]))
    ]

    def use(**given: Any) -> str:
        """Use what it is given."""
        return json.dumps(sorted(given))

    vars(use)["__signature__"] = inspect.Signature(parameters, return_annotation=str)
    use.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": str}
    return from_function(use)


defaults = st.just({}) | st.just({"default": None})


def parameters_in(definition):
    """Return the schema of the parameters in an export, wherever its provider has it."""
    match definition:
        case {"function": inner} | {"toolSpec": inner}:
            return parameters_in(inner)
        case {"inputSchema": {"json": schema}} | {"inputSchema": schema} | {"input_schema": schema}:
            return schema
        case {"parameters": schema} | {"parametersJsonSchema": schema}:
            return schema
    return {"type": "object", "properties": {}} if "type" not in definition else definition


def values(schema, root):
    """Return a strategy for what a schema admits."""
    if "$ref" in schema:
        return st.deferred(lambda: values(Schema(root, schema).resolved().node, root))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        found = st.one_of(*(values(branch, root) for branch in branches))
    elif isinstance(schema.get("type"), list):
        found = st.one_of(*(values(schema | {"type": one}, root) for one in schema["type"]))
    else:
        found = values_of_type(schema, root)
    return found | st.none() if schema.get("nullable") else found


def values_of_type(schema, root):
    match schema.get("type"):
        case "string":
            return st.text(max_size=5)
        case "integer":
            return st.integers(-9, 9)
        case "number":
            return st.integers(-9, 9) | st.floats(-9, 9)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "array":
            return lists(schema, root)
        case "object":
            return objects(schema, root)
    return st.none() | st.booleans()


def lists(schema, root):
    if "prefixItems" in schema:
        return st.tuples(*(values(one, root) for one in schema["prefixItems"])).map(list)
    least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
    return st.lists(values(schema.get("items", {}), root), min_size=least, max_size=most)


def objects(schema, root):
    needed = set(schema.get("required", ()))
    members = {name: values(one, root) for name, one in schema.get("properties", {}).items()}
    known = st.fixed_dictionaries(
        {name: one for name, one in members.items() if name in needed},
        optional={name: one for name, one in members.items() if name not in needed},
    )
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and not members:
        return st.dictionaries(st.text(max_size=3), values(more, root), max_size=2)
    return known


unhurried = settings(
    max_examples=examples(300, everyday=4),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(tool=tools())
@unhurried
def test_provider_takes_what_is_exported(dialect, tool):
    made = export(tool.spec, dialect)
    if dialect != "json-schema":  # which is not a tool definition
        assert made.losses or objections(made.definition, dialect) == []
    if dialect in ("openai", "openai-strict", "gemini"):
        lists_without_items = [
            part.pointer
            for part in Schema.of(parameters_in(made.definition)).parts()
            if "array" in part.kinds() and part.keywords.get("type") == "array" and "items" not in part.keywords
        ]
        assert lists_without_items == []


IN_WORDS = "ollama"  # of a parameter, only its type, items, description and values arrive there


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != IN_WORDS])
@given(data=st.data(), tool=tools())
@unhurried
def test_tool_takes_what_the_export_admits(dialect, data, tool):
    made = export(tool.spec, dialect)
    told = [change.what for change in made.changes if change.pointer.startswith("/parameters")]
    assume(not made.losses and not any(words in what for what in told for words in WORDS))
    schema = parameters_in(made.definition)
    arguments = data.draw(values(schema, schema))
    result = tool.run(json.dumps(arguments))
    assert result.succeeded, (result.text, arguments, schema)
