"""Every walker of schemas sees every part of every schema, of whatever draft."""

import json

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from tests.schemas.metaschemas import HOLDING
from tests.volumes import examples
from toolkit import Tool, ToolSpec
from toolkit.approvals.matchers import fault_of  # private
from toolkit.codes import UNTYPED_PARAMETER
from toolkit.dialects import objections
from toolkit.dialects.provider_limits import Notes  # private
from toolkit.dialects.schema_parts import read_schema, walk  # private
from toolkit.lint import ToolDefinition
from toolkit.lint.definitions.tool_definitions import ParameterDefinition  # private
from toolkit.lint.rules.untyped_parameter import UntypedParameter  # private
from toolkit.pins import changes_between
from toolkit.redactors.redactor import MASK  # private
from toolkit.schemas import DRAFTS, Schema
from toolkit.schemas.schema import tidied  # private
from toolkit.schemas.validation import Validator  # private
from toolkit.tools.argument_repairs import as_meant  # private
from toolkit.tools.secret_arguments import Veil, secrets_of_schema  # private
from toolkit.tools.shapes.argument_schemas import unknown_members  # private

SOME_NAMES = st.lists(
    st.sampled_from(["a", "b", "items", "properties", "definitions", "$ref", "x/y", "~"]), unique=True, max_size=2
)
SOME_KEYWORDS = {draft: st.lists(st.sampled_from(sorted(HOLDING[draft])), unique=True, max_size=3) for draft in HOLDING}
ONE_OR_TWO, FORMS, DRAFT_NAMES = st.integers(1, 2), st.sampled_from(["one", "list"]), st.sampled_from(sorted(HOLDING))
BEYOND = 3  # levels of schemas inside one another


@st.composite
def wholes(draw):
    """Return a schema of some draft, each part of which has a description of its own, and those descriptions."""
    draft, parts = draw(DRAFT_NAMES), []
    return schema_of(draw, draft, parts, BEYOND) | {"type": "object"}, parts


def schema_of(draw, draft, parts, level):
    parts.append(f"part {len(parts)}")
    schema = {"description": parts[-1]}
    for keyword in draw(SOME_KEYWORDS[draft]) if level else ():
        schema[keyword] = held(draw, draft, parts, level - 1, HOLDING[draft][keyword])
    return schema


def held(draw, draft, parts, level, form):
    match draw(FORMS) if form == "one or list" else form:
        case "one":
            return schema_of(draw, draft, parts, level)
        case "list":
            return [schema_of(draw, draft, parts, level) for _ in range(draw(ONE_OR_TWO))]
    return {name: schema_of(draw, draft, parts, level) for name in draw(SOME_NAMES)}


def parts_seen_by_the_value(schema):
    return [part.keywords.get("description") for part in Schema.of(schema).parts()]


def parts_seen_by_texts(schema):
    return [text.value for text in Schema.of(schema).texts() if text.pointer[-1] == "description"]


def parts_seen_by_rules(schema):
    return [part.get("description") for _, part in ToolDefinition("tool", "", schema=schema).schemas()]


def parts_seen_by_exports(schema):
    return [part.get("description") for part in walk(read_schema(schema, "", Notes()))]


def parts_seen_by_conformance(schema):
    named = _changed(
        schema,
        lambda part: {**part, "properties": part.get("properties", {}) | {f"no name: {part['description']}": True}},
    )
    found = objections(ToolSpec("tool", "A tool.", named), "portable")
    told = {one.message.partition("no name: ")[2].rstrip("'") for one in found if one.code == "TK107"}
    return [said for said in parts_seen_by_texts(schema) if said in told]


def parts_seen_by_hiding(schema):
    given = _changed(schema, lambda part: {**part, "writeOnly": True, "default": part["description"]})
    hidden = secrets_of_schema(given)
    return [said for said in parts_seen_by_texts(schema) if said in hidden]


def parts_seen_by_pins(schema):
    return _differing(schema, lambda part: {**part, "minimum": 3})


def parts_whose_texts_are_seen_by_pins(schema):
    return _differing(schema, lambda part: {**part, "title": "T"}, kind="text")


def _differing(schema, change, kind=None):
    def differs(said):
        other = _changed(schema, lambda part: change(part) if part["description"] == said else part)
        changes = changes_between({"parameters": schema}, {"parameters": other})
        return bool(changes) and (kind is None or {one.kind for one in changes} == {kind})

    return [said for said in parts_seen_by_texts(schema) if differs(said)]


def parts_seen_by_policies(schema):
    def is_refused(said):
        named = _changed(schema, lambda part: {**part, "minimum": said} if part["description"] == said else part)
        return repr(said).replace("'", '"') in str(fault_of(named))

    return [said for said in parts_seen_by_texts(schema) if is_refused(said)]


def parts_seen_by_tidying(schema):
    titled = _changed(schema, lambda part: {**part, "title": "T"})
    return [part.keywords["description"] for part in Schema.of(tidied(titled)).parts() if "title" not in part.keywords]


WALKERS = [
    parts_seen_by_the_value,
    parts_seen_by_texts,
    parts_seen_by_rules,
    parts_seen_by_exports,
    parts_seen_by_conformance,
    parts_seen_by_hiding,
    parts_seen_by_pins,
    parts_whose_texts_are_seen_by_pins,
    parts_seen_by_policies,
    parts_seen_by_tidying,
]


def _changed(data, change):
    """Return a copy of data in which every part, which is known by its description, is changed."""
    if isinstance(data, list):
        return [_changed(one, change) for one in data]
    if not isinstance(data, dict):
        return data
    copy = {key: _changed(one, change) for key, one in data.items()}
    return change(copy) if isinstance(copy.get("description"), str) else copy


# How a schema comes to speak of a value inside another one, and the path that leads there.
WAYS = {
    "properties": lambda inner: ({"type": "object", "properties": {"a": inner}}, ["a"]),
    "additionalProperties": lambda inner: ({"type": "object", "additionalProperties": inner}, ["other"]),
    "items": lambda inner: ({"type": "array", "items": inner}, [1]),
    "prefixItems": lambda inner: ({"type": "array", "prefixItems": [{}, inner]}, [1]),
    "items after positions": lambda inner: ({"type": "array", "prefixItems": [{}], "items": inner}, [2]),
    "items of old drafts": lambda inner: ({"type": "array", "items": [{}, inner]}, [1]),
    "additionalItems": lambda inner: ({"type": "array", "items": [{}], "additionalItems": inner}, [1]),
    "anyOf": lambda inner: ({"anyOf": [inner, {"type": "null"}]}, []),
    "oneOf": lambda inner: ({"oneOf": [{"type": "number"}, inner]}, []),
    "allOf": lambda inner: ({"allOf": [inner]}, []),
    "$defs": lambda inner: ({"$ref": "#/$defs/d%DEPTH", "$defs": {"d%DEPTH": inner}}, []),
    "definitions": lambda inner: ({"$ref": "#/definitions/d%DEPTH", "definitions": {"d%DEPTH": inner}}, []),
    "$anchor": lambda inner: ({"$ref": "#at%DEPTH", "$defs": {"%DEPTH": {"$anchor": "at%DEPTH", **inner}}}, []),
}


def said_of_a_value(ways, leaf):
    """Return the schema of arguments that says something of a value far inside, and the path to that value."""
    schema, path = leaf, []
    for depth, way in enumerate(reversed(ways)):
        schema, steps = json.loads(json.dumps(WAYS[way](schema)).replace("%DEPTH", str(depth)))
        path = [*steps, *path]
    return {"type": "object", "properties": {"x": schema}, "required": ["x"]}, ["x", *path]


def value_at(path, value):
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [*[0] * step, value]
    return value


def found_at(path, value):
    for step in path:
        value = value[step]
    return value


def boolean_is_read(ways):
    schema, path = said_of_a_value(ways, {"type": "boolean"})
    read = as_meant(Tool.create("tool", "A tool.", schema, lambda x: x), value_at(path, "true")).arguments
    return found_at(path, read) is True


def unknown_member_is_found(ways):
    schema, path = said_of_a_value(ways, {"type": "object", "properties": {"limit": {}}})
    (found,) = unknown_members(schema, value_at(path, {"limt": 1}))
    return found.name == "limt"


def secret_is_hidden(ways):
    schema, path = said_of_a_value(ways, {"type": "string", "writeOnly": True})
    return found_at(path, Veil(schema).over(value_at(path, "plain"))) == MASK


def policy_checks_the_value(ways):
    schema, path = said_of_a_value(ways, {"type": "string", "const": "right"})
    fits, differs = (filled_at(path, value) for value in ("right", "wrong"))
    if NOT_IN_POLICIES & {*ways}:
        return fault_of(schema) is not None
    validator = Validator(schema)
    return validator.accepts(fits) and not validator.accepts(differs)


NOT_IN_POLICIES = {"prefixItems", "items after positions", "additionalItems", "$defs", "definitions", "$anchor"}


def filled_at(path, value):
    """Return data that has a value at a path, and in all other items of the lists on the way."""
    for step in reversed(path):
        value = {step: value} if isinstance(step, str) else [value] * (step + 1)
    return value


LEADS = [boolean_is_read, unknown_member_is_found, secret_is_hidden, policy_checks_the_value]


@pytest.mark.parametrize("is_seen", LEADS)
@given(ways=st.lists(st.sampled_from(sorted(WAYS)), max_size=6))
@example(ways=["$defs"] * 30)
@settings(max_examples=examples(1_000), deadline=None)
def test_what_is_said_of_a_value_is_found_wherever_it_stands(is_seen, ways):
    assert is_seen(ways)


@given(whole=wholes())
@settings(max_examples=examples(1_000), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_part_is_seen_by_every_walker(whole):
    schema, parts = whole
    seen = {walker.__name__: sorted(walker(json.loads(json.dumps(schema)))) for walker in WALKERS}
    assert seen == dict.fromkeys(seen, sorted(parts))


ABOUT = [
    (keyword, about, form)
    for table in DRAFTS.values()
    for keyword, (form, about) in table.items()
    if form.holds != "nothing"
]


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(("keyword", "about", "form"), dict.fromkeys(ABOUT))
def test_parameter_is_typed_by_every_keyword_that_describes_its_value(keyword, about, form):
    held = {"one": {}, "one or list": {}, "list": [{}], "map": {"a": {}}}[form.holds]
    described = {"itself": {}, "item": {"type": "array"}, "member": {"type": "object"}}
    schema = {**described.get(about, {}), keyword: held}
    assert is_untyped(schema) == (about not in described)
    assert is_untyped(described.get(about, {}))


def is_untyped(schema):
    parameter = ParameterDefinition("x", "What it is.", None, schema)
    tool = ToolDefinition("tool", "A tool.", (parameter,), "json")
    return [problem.code for problem in UntypedParameter().check_tool(tool)] == [UNTYPED_PARAMETER]
