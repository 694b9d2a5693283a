"""Drifts: what has changed in a definition, and whom that hurts."""

import pytest
from hypothesis import example, given, strategies as st

from toolkit.pins import Change, changes_between, drifts_between


def taking(properties, required=(), **more):
    return {"parameters": {"type": "object", "properties": properties, "required": list(required), **more}}


def returning(schema):
    return {"output_schema": schema}


def changes_of(before, now):
    return [f"{change.kind}: {change.what}" for change in changes_between(before, now)]


TEXT, WHOLE, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}
BOTH = {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]}


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (
            taking({}),
            taking({"a": TEXT}, ["a"]),
            ['breaking: parameter \'a\' is new, and required: {"type": "string"}'],
        ),
        (taking({}), taking({"a": TEXT}), ['compatible: parameter \'a\' is new, optional: {"type": "string"}']),
        (taking({"a": TEXT}), taking({}), ["breaking: parameter 'a' was removed"]),
        (taking({"a": TEXT}), taking({"a": TEXT}, ["a"]), ["breaking: parameter 'a' is now required"]),
        (taking({"a": TEXT}, ["a"]), taking({"a": TEXT}), ["compatible: parameter 'a' is now optional"]),
        (taking({"a": TEXT}), taking({"a": WHOLE}), ["breaking: the type of parameter 'a' was string, and is integer"]),
        (
            taking({"a": WHOLE}),
            taking({"a": NUMBER}),
            ["compatible: the type of parameter 'a' was integer, and is number"],
        ),
        (
            taking({"a": NUMBER}),
            taking({"a": WHOLE}),
            ["breaking: the type of parameter 'a' was number, and is integer"],
        ),
        (taking({"a": TEXT}), taking({"a": {}}), ["compatible: the type of parameter 'a' was string, and is anything"]),
        (
            taking({"a": {"enum": ["x", "y"]}}),
            taking({"a": {"enum": ["x", "z"]}}),
            ["breaking: parameter 'a' can no longer be \"y\"", "compatible: parameter 'a' can be \"z\""],
        ),
        (taking({"a": {"enum": ["x"]}}), taking({"a": {}}), ["compatible: parameter 'a' may be any value"]),
        (taking({"a": {}}), taking({"a": {"const": 1}}), ["breaking: parameter 'a' may only be 1"]),
        (
            taking({"a": {"minimum": 1, "maximum": 9}}),
            taking({"a": {"minimum": 2, "maximum": 10}}),
            [
                "breaking: 'minimum' of parameter 'a' was 1, and is 2",
                "compatible: 'maximum' of parameter 'a' was 9, and is 10",
            ],
        ),
        (
            taking({"a": {"maxLength": 5}}),
            taking({"a": {}}),
            ["compatible: 'maxLength' of parameter 'a' was 5, and is not set"],
        ),
        (
            taking({"a": TEXT}),
            taking({"a": {**TEXT, "pattern": "x"}}),
            ["breaking: 'pattern' of parameter 'a' was not set, and is \"x\""],
        ),
        (
            taking({"a": TEXT}),
            taking({"a": {"anyOf": [TEXT, {"type": "null"}]}}),
            [
                (
                    "compatible: the types of parameter 'a' were "
                    '{"type": "string"}, and are {"anyOf": [{"type": "string"}, {"type": "null"}]}'
                )
            ],
        ),
        (
            taking({"a": {"anyOf": [TEXT, {"type": "null"}]}}),
            taking({"a": TEXT}),
            [
                (
                    "breaking: the types of parameter 'a' were "
                    '{"anyOf": [{"type": "string"}, {"type": "null"}]}, and are {"type": "string"}'
                )
            ],
        ),
        (
            taking({"a": {"anyOf": [TEXT, WHOLE]}}),
            taking({"a": {"anyOf": [TEXT, NUMBER]}}),
            [
                (
                    "breaking: the types of parameter 'a' were "
                    '{"anyOf": [{"type": "string"}, {"type": "integer"}]}, and are '
                    '{"anyOf": [{"type": "string"}, {"type": "number"}]}'
                )
            ],
        ),
        (
            taking({"a": {"type": "array", "items": TEXT}}),
            taking({"a": {"type": "array", "items": WHOLE}}),
            ["breaking: the type of parameter 'a[]' was string, and is integer"],
        ),
        (
            taking({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": BOTH}}),
            taking({"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": {**BOTH, "required": ["a"]}}}),
            ["compatible: parameter 'a.b' is now optional"],
        ),
        (
            taking({}),
            taking({}, additionalProperties=False),
            ["breaking: the other members of the parameters were true, and are false"],
        ),
        (
            taking({"a": {"additionalProperties": TEXT}}),
            taking({"a": {"additionalProperties": WHOLE}}),
            ["breaking: the type of parameter 'a.*' was string, and is integer"],
        ),
        (
            taking({"a": {"items": [TEXT, {"not": WHOLE}]}}),
            taking({"a": {"items": [TEXT, {"not": {**WHOLE, "examples": [1]}}]}}),
            [
                (
                    "text: the text of 'items' of parameter 'a' was "
                    '[{"type": "string"}, {"not": {"type": "integer"}}], and is '
                    '[{"type": "string"}, {"not": {"examples": [1], "type": "integer"}}]'
                )
            ],
        ),
        (
            taking({"a": {"anyOf": [TEXT, {**WHOLE, "description": "x"}]}}),
            taking({"a": {"anyOf": [TEXT, {**WHOLE, "description": "y"}]}}),
            ['text: the description of parameter \'a\' was "x", and is "y"'],
        ),
        (
            taking({"a": {"default": 1}}),
            taking({"a": {"default": 2}}),
            ["compatible: the default of parameter 'a' was 1, and is 2"],
        ),
        (
            taking({"a": {"description": "x"}}),
            taking({"a": {"description": "y"}}),
            ['text: the description of parameter \'a\' was "x", and is "y"'],
        ),
        ({"description": "x"}, {"description": "y"}, ['text: the description was "x", and is "y"']),
        ({}, {"hints": {"destructive": True}}, ["breaking: 'destructive' was not set, and is true"]),
        (
            {"hints": {"destructive": True}},
            {"hints": {"destructive": False}},
            ["breaking: 'destructive' was true, and is false"],
        ),
        ({"hints": {"destructive": True}}, {}, ["breaking: 'destructive' was true, and is not set"]),
        ({}, {"hints": {"read_only": True}}, ["breaking: 'read_only' was false, and is true"]),
        ({}, {"hints": {"idempotent": True}}, ["breaking: 'idempotent' was false, and is true"]),
        ({"hints": {"open_world": True}}, {}, ["breaking: 'open_world' was true, and is not set"]),
        ({"hints": {"read_only": True}}, {}, ["breaking: 'read_only' was true, and is false"]),
        ({"hints": {"requires_approval": True}}, {}, ["breaking: 'requires_approval' was true, and is false"]),
        (returning(BOTH), {}, ["breaking: the result schema was removed"]),
        (
            {},
            returning(BOTH),
            [
                (
                    'compatible: a result schema was added: {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, '
                    '"required": ["a", "b"], "type": "object"}'
                )
            ],
        ),
        (returning(BOTH), returning({**BOTH, "required": ["a"]}), ["breaking: 'b' in the result is now optional"]),
        (
            returning(BOTH),
            returning({**BOTH, "properties": {"a": TEXT, "b": TEXT, "c": TEXT}}),
            ['compatible: \'c\' in the result is new: {"type": "string"}'],
        ),
        (returning(WHOLE), returning(NUMBER), ["breaking: the type of the result was integer, and is number"]),
    ],
)
def test_change_is_classed_by_whom_it_hurts(before, now, expected):
    assert changes_of(before, now) == expected


def test_schema_that_refers_to_itself_is_compared_once():
    def tree(leaf):
        node = {
            "type": "object",
            "properties": {"value": leaf, "left": {"$ref": "#/$defs/N"}, "right": {"$ref": "#/$defs/N"}},
        }
        return taking({"root": {"$ref": "#/$defs/N"}}, **{"$defs": {"N": node}})

    assert changes_of(tree(TEXT), tree(TEXT)) == []
    assert changes_of(tree(TEXT), tree(WHOLE)) == [
        "breaking: the type of parameter 'root.value' was string, and is integer"
    ]


def _unions(leaf, levels=6, width=8):
    """Return a union whose definitions refer to one another, each several times to the next."""
    definitions = {
        f"D{level}": {"properties": {f"p{one}": {"$ref": f"#/$defs/D{level + 1}"} for one in range(width)}}
        for level in range(levels)
    }
    return taking({"x": {"anyOf": [{"$ref": "#/$defs/D0"}, WHOLE]}}, **{"$defs": {**definitions, f"D{levels}": leaf}})


@pytest.mark.proof
def test_branches_are_told_apart_however_deep_they_differ_and_in_linear_time():
    assert changes_of(_unions(TEXT), _unions(TEXT)) == []
    assert "breaking: the types of parameter 'x' have changed" in changes_of(_unions(TEXT), _unions(NUMBER))
    assert "breaking: the types of parameter 'x' have changed" in changes_of(
        _unions(TEXT, 90, 40), _unions(NUMBER, 90, 40)
    )


def test_branch_that_refers_to_a_definition_of_another_name_is_the_same():
    def union(name):
        return taking({"x": {"anyOf": [{"$ref": f"#/$defs/{name}"}, WHOLE]}}, **{"$defs": {name: BOTH}})

    def inlined():
        return taking({"x": {"anyOf": [BOTH, WHOLE]}})

    assert [one for one in changes_of(union("A"), inlined()) if not one.startswith("text: ")] == []
    assert not [one for one in changes_of(union("A"), union("B")) if "types of" in one]


@pytest.mark.parametrize("keyword", ["anyOf", "oneOf", "allOf"])
def test_order_of_branches_changes_nothing_but_what_they_accept_does(keyword):
    def union(*branches):
        return taking({"x": {keyword: [*branches]}})

    described = {**TEXT, "description": "A name."}
    assert changes_of(union(TEXT, WHOLE), union(WHOLE, TEXT)) == []
    assert [one.partition(":")[0] for one in changes_of(union(TEXT, WHOLE), union(WHOLE, described))] == ["text"]
    assert [one.partition(":")[0] for one in changes_of(union(TEXT, WHOLE), union(NUMBER, TEXT))] == ["breaking"]


def test_property_called_default_is_compared_in_branches_too():
    def union(kind):
        return taking({"x": {"anyOf": [{"type": "object", "properties": {"default": kind}}, WHOLE]}})

    assert changes_of(union(TEXT), union(NUMBER)) == [
        (
            "breaking: the types of parameter 'x' have changed: "
            '{"anyOf": [{"properties": {"default": {"type": [-"string"}},-] {+"number"}},+} "type": "object"}, {"type": "integer"}]}'
        )
    ]


def test_tools_come_and_go():
    drifts = drifts_between(
        {"a": {}, "b": {"description": "x"}, "c": {}},
        {"b": {"description": "y"}, "c": {}, "d": {}, "e": {"description": "z"}},
    )
    assert [(drift.name, drift.kind, drift.changes) for drift in drifts] == [
        ("a", "breaking", (Change("breaking", "the tool was removed"),)),
        ("b", "text", (Change("text", 'the description was "x", and is "y"'),)),
        ("d", "compatible", (Change("compatible", "the tool is new"),)),
        ("e", "compatible", (Change("compatible", 'the tool is new: "z"'),)),
    ]


SCHEMAS = st.recursive(
    st.sampled_from(
        [{}, True, TEXT, WHOLE, {"enum": [1, "a"]}, {"$ref": "#/$defs/A"}, {"type": ["string", "null"]}, {"minimum": 1}]
    ),
    lambda inner: st.one_of(
        st.builds(lambda one: {"type": "array", "items": one}, inner),
        st.builds(lambda one: {"anyOf": one}, st.lists(inner, max_size=3)),
        st.builds(
            lambda members, needed: {"type": "object", "properties": members, "required": needed},
            st.dictionaries(st.sampled_from("abc"), inner),
            st.lists(st.sampled_from("abc")),
        ),
    ),
    max_leaves=8,
)


@given(SCHEMAS, SCHEMAS, SCHEMAS)
@example({}, {"anyOf": [{"$ref": "#/$defs/A"}]}, {})
def test_any_two_schemas_can_be_compared_and_equal_ones_do_not_differ(before, now, shared):
    old, new = taking({"x": before}, **{"$defs": {"A": shared}}), taking({"x": now}, **{"$defs": {"A": shared}})
    changes = changes_between(old, new)
    assert changes_between(old, old) == []
    meant = [written_out(schema, shared) for schema in (before, now)]
    assert bool(changes) or before == now or changes_of({"parameters": meant[0]}, {"parameters": meant[1]}) == []


def written_out(schema, shared):
    """Return a schema with what it refers to in place of each reference; what that refers to stays."""
    match schema:
        case {"$ref": _}:
            return shared
        case dict():
            return {key: written_out(value, shared) for key, value in schema.items()}
        case list():
            return [written_out(value, shared) for value in schema]
    return schema
