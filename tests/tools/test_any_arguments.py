"""Whatever is sent as arguments, a call is either valid or refused in words; it never raises and never runs halfway."""

import json
from dataclasses import dataclass
from enum import Enum
from functools import cache
from math import isfinite
from typing import Any, Literal

import pytest
from hypothesis import given, settings, strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, Field

from tests.volumes import examples
from toolkit import Tool, ToolArgumentsError, ToolContext, TypedTool, from_function
from toolkit.approvals import Allowance, Allowances, AutoReviewer


class Color(Enum):
    RED = "red"


class Node(BaseModel):
    name: str
    size: int = Field(1, ge=0)
    children: list["Node"] = []


@dataclass
class Place:
    street: str
    zip: int | None = None


def receive(
    number: int,
    text: str,
    color: Color,
    node: Node | None = None,
    choice: Literal["a", 1] = "a",
    anything: Any = None,
    places: dict[str, Place] = {},  # noqa: B006
    either: int | list[bool] | Place = 1,
):
    """Receives all kinds of things."""
    assert type(number) is int
    assert type(text) is str
    assert isinstance(color, Color)
    assert node is None or isinstance(node, Node)
    assert (choice, type(choice)) in (("a", str), (1, int))
    assert all(isinstance(place, Place) for place in places.values())
    return "received"


FUNCTION = from_function(receive)
TYPED = TypedTool(name="typed", description="Is typed.", input_type=Node, function=lambda node: node.name)
BY_HAND = Tool.create(
    "by_hand",
    "Is made by hand.",
    {
        "type": "object",
        "properties": {
            "number": {"type": "integer", "minimum": 0},
            "text": {"type": ["string", "null"], "maxLength": 3},
            "list": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "required": ["number"],
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "next": {"$ref": "#/$defs/node"}},
                "required": ["name"],
            }
        },
    },
    lambda **given: json.dumps(given),
)
TOOLS = [FUNCTION, TYPED, BY_HAND]

names = st.sampled_from(
    [
        "number",
        "text",
        "color",
        "node",
        "choice",
        "anything",
        "places",
        "either",
        "name",
        "size",
        "children",
        "list",
        "x",
    ]
)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["red", "5", "5.0", " 7 ", "1e5", "a", "Infinity", "-0", "9" * 50]),
)
data = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)


def filled(values):
    """Return arguments that are right, with values for parameters that need none."""
    return st.fixed_dictionaries(
        {"number": st.integers(), "text": st.text(max_size=5), "color": st.just("red"), "name": st.text(max_size=5)},
        optional=dict.fromkeys(("node", "choice", "anything", "places", "either", "size", "children", "list"), values),
    )


valid = filled(data)
mappings = valid | st.dictionaries(names, data, max_size=6)


def judged(tool, arguments):
    """Return the result of a call, which is either a success or arguments refused in words."""
    result = tool.run(arguments)
    if not result.succeeded:
        assert result.error_code == "invalid_arguments", result
        assert result.error
        with pytest.raises(ToolArgumentsError):
            tool.parse(arguments)
    return result


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(arguments=mappings)
def test_any_mapping_is_valid_or_refused_in_words(tool, arguments):
    judged(tool, arguments)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(arguments=mappings | data)
def test_any_json_is_valid_or_refused_in_words_and_judged_as_the_same_mapping(tool, arguments):
    as_text = judged(tool, json.dumps(arguments))
    if isinstance(arguments, dict):
        assert as_text.succeeded == judged(tool, arguments).succeeded


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(text=st.text() | st.text('{}[]",:0123456789.eE+-truefalsn\\ \n'))
def test_any_text_is_valid_or_refused_in_words(tool, text):
    judged(tool, text)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(arguments=st.dictionaries(st.text() | st.integers() | st.tuples(st.integers()), st.builds(object) | scalars))
def test_a_mapping_of_anything_at_all_is_refused_in_words(tool, arguments):
    judged(tool, arguments)


@given(arguments=mappings)
@settings(max_examples=examples(50))
def test_whatever_may_run_can_be_shown_frozen_and_run_again(arguments):
    for tool in TOOLS:
        if judged(tool, arguments).succeeded:
            context = ToolContext(reviewer=AutoReviewer(), policy=Allowances([Allowance.parse("none(x=y)")]))
            asked = tool.run(arguments, context.replace(chosen_by="model"))
            assert asked.succeeded


def nested(depth, opening, closing):
    return opening * depth + "1" + closing * depth


@pytest.mark.proof(everyday=9)
@pytest.mark.parametrize("depth", [100, 1_000, 100_000])
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"children": [', "]}"), ('{"list": [{"next": ', "}]}")])
def test_deeply_nested_text_is_refused_in_words(tool, depth, opening, closing):
    assert not judged(tool, nested(depth, opening, closing)).succeeded


@cache
def deep_data(depth, make):
    value: Any = 1
    for _ in range(depth):
        value = make(value)
    return value


@pytest.mark.proof(everyday=6)
@pytest.mark.parametrize("depth", [100, 1_000, 100_000])
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize(
    "make",
    [
        lambda inner: [inner],
        lambda inner: {"name": "a", "children": [inner]},
        lambda inner: {"name": "a", "next": inner},
    ],
)
@pytest.mark.parametrize(
    "name", ["children", "anything", *(pytest.param(name, marks=pytest.mark.proof) for name in ("list", "node"))]
)
def test_deeply_nested_data_never_ends_the_program(tool, depth, make, name):
    judged(tool, {"number": 1, "text": "a", "color": "red", "name": "a", name: deep_data(depth, make)})


def test_deeply_nested_data_that_must_be_shown_is_refused_in_words():
    arguments = {"number": 1, "text": "a", "color": "red", "anything": deep_data(100_000, lambda inner: [inner])}
    context = ToolContext(reviewer=AutoReviewer(), chosen_by="model")
    assert FUNCTION.run(arguments, context).error_code == "invalid_arguments"
    ruled = ToolContext(policy=Allowances([Allowance.parse("receive(number=1)")]), reviewer=AutoReviewer())
    assert FUNCTION.run(arguments, ruled).error_code == "invalid_arguments"


def test_data_that_contains_itself_is_refused_in_words():
    endless: dict[str, Any] = {"name": "a"}
    endless["children"] = [endless]
    assert not judged(TYPED, endless).succeeded


@pytest.mark.proof
def test_a_long_list_of_faults_is_told_in_time_that_grows_with_its_length():
    class Left(BaseModel):
        left: int

    class Right(BaseModel):
        right: int

    tool = TypedTool(name="long", description="Is long.", input_type=dict[str, list[Left | Right]], function=len)
    error = tool.run({"a": [{"right": None}] * 5_000}).error
    assert error is not None
    assert error.count("left") == error.count("right") == 5_000


plain = st.recursive(
    # JSON has no float that is not finite. One beyond these is exact for nobody: JSON Schema calls it whole, pydantic does not.
    scalars.filter(lambda value: not isinstance(value, float) or (isfinite(value) and abs(value) < 2**53)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@given(
    arguments=filled(plain).flatmap(
        lambda some: st.dictionaries(names, plain, max_size=3).map(lambda more: more | some)
    )
)
def test_whatever_the_schema_allows_is_accepted(tool, arguments):
    if Draft202012Validator(dict(tool.spec.parameters)).is_valid(arguments):
        assert tool.run(arguments).succeeded


@pytest.mark.parametrize("name", ["number", "anything", "either", "text"])
@pytest.mark.parametrize("chosen_by", ["person", "model"])
def test_a_number_too_long_to_be_written_is_valid_or_refused_in_words(name, chosen_by):
    arguments = {"number": 1, "text": "a", "color": "red", name: 10**5_000}
    context = ToolContext(reviewer=AutoReviewer(), chosen_by=chosen_by)
    result = FUNCTION.run(arguments, context)
    assert result.output == "received" or result.error_code == "invalid_arguments"
    digits = f'{{"number": {"9" * 5_000}}}'
    assert FUNCTION.run(digits, context).error == "Invalid JSON: number out of range at line 1 column 4313"


def test_what_has_no_form_in_json_is_told_by_its_kind():
    assert FUNCTION.run({"number": {1}, "text": object(), "color": 10**5_000}).error == (
        "Invalid parameter 'number': must be a whole number, not set; "
        "Invalid parameter 'text': should be a valid string, not a value of type 'object'; "
        "Invalid parameter 'color': should be 'red', not a value of type 'int'"
    )
