"""A specification written as JSON and read again is the same; what is wrong with JSON is said by its key."""

import json

import pytest
from hypothesis import given, strategies as st

from toolkit import InvalidTools, ToolSpec
from toolkit.problems import Location

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
json_objects = st.dictionaries(st.text(max_size=4), json_values, max_size=3)
flags = st.none() | st.booleans()
counts = st.none() | st.integers(1, 999)
specs = st.builds(
    ToolSpec,
    st.text(min_size=1).filter(str.strip),
    st.text(),
    json_objects.map(lambda schema: {**schema, "type": "object"}),
    output_schema=st.none() | json_objects,
    return_behavior=st.sampled_from(["to_model", "immediate", "immediate_if_last"]),
    category=st.none() | st.text(),
    requires_approval=st.booleans(),
    read_only=flags,
    destructive=st.just(None),
    idempotent=flags,
    open_world=flags,
    strict=flags,
    metadata=json_objects,
    examples=st.lists(json_objects, max_size=2).map(tuple),
    source=st.none() | st.text(),
    location=st.none() | st.builds(Location, st.text(), counts, counts, counts, counts),
)


@given(specs)
def test_what_is_written_is_read_again(spec):
    again = ToolSpec.from_json(spec.to_json())
    assert (again, again.location) == (spec, spec.location)
    assert ToolSpec.from_json(json.loads(spec.to_json())) == spec


def test_what_says_nothing_is_left_out():
    assert ToolSpec("now", "Tell the time.").to_json() == (
        '{"name": "now", "description": "Tell the time.", "parameters": {"type": "object", "properties": {}}}'
    )


def test_name_alone_is_enough_and_null_means_left_out():
    record = {"name": "now", "description": None, "parameters": None, "strict": None, "examples": None, "later": 1}
    assert ToolSpec.from_json(record) == ToolSpec("now")


def problems_of(data):
    with pytest.raises(InvalidTools) as caught:
        ToolSpec.from_json(data)
    return [(problem.code, problem.message) for problem in caught.value.problems]


def test_everything_that_is_wrong_is_named_by_its_key():
    record = {
        "description": 5,
        "parameters": [],
        "output_schema": "text",
        "return_behavior": "never",
        "read_only": "yes",
        "metadata": [],
        "examples": [1],
        "source": 7,
        "location": {"line": 3},
    }
    assert problems_of(record) == [
        ("TK101", "the specification has no 'name'"),
        ("TK323", "description must be text, not 5"),
        ("TK323", "unknown return_behavior 'never'"),
        ("TK323", "read_only must be True or False, not 'yes'"),
        ("TK323", "metadata must be a mapping of text keys, not []"),
        ("TK323", "examples must be a list of mappings, not [1]"),
        ("TK302", "parameters must be a JSON object, not []"),
        ("TK302", "output_schema must be a JSON object, not 'text'"),
        ("TK323", "source must be text, not 7"),
        ("TK323", "location must be an object with 'file' and 'line', not {'line': 3}"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "the specification is not JSON: Expecting property name enclosed in double quotes"),
        ("[]", "a specification must be a JSON object, not []"),
        ('{"name": "now", "metadata": {"x": NaN}}', "the specification is not JSON: NaN is not a number in JSON"),
        ('{"name": " "}', "the name of a tool must not be blank"),
        ('{"name": "now", "parameters": {}}', "the parameters of 'now' must be a JSON Schema of type 'object'"),
    ],
)
def test_text_that_describes_no_tool_is_refused(text, message):
    [(_, said)] = problems_of(text)
    assert said.startswith(message)


def test_what_json_cannot_hold_is_named_with_its_place():
    with pytest.raises(InvalidTools) as caught:
        ToolSpec("now", metadata={"openai": {"tags": {1}}}, examples=({"x": float("inf")},))
    assert [problem.message for problem in caught.value.problems] == [
        "metadata must be JSON data, but metadata.openai.tags is an object of type 'set'",
        "examples must be JSON data, but examples.0.x is inf, which is not a number in JSON",
    ]
