"""JSON Schema in words."""

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit_cli.rendering.schemas import parameters_of, type_of  # private
from toolkit_cli.rendering.styles import (  # private
    one_line,
    paint_all,  # private
    table,  # private
    width_of,
)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "date-time"),
        ({"enum": ["a", 1, None]}, '"a" | 1 | null'),
        ({"const": "only"}, '"only"'),
        ({"type": ["string", "null"]}, "string | null"),
        ({"anyOf": [{"type": "integer"}, {"type": "integer"}, {"type": "null"}]}, "integer | null"),
        ({"type": "array"}, "list"),
        ({"type": "array", "items": {"type": "number"}}, "list of number"),
        ({"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}}, "list of (number | string)"),
        ({"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}, "(number, string)"),
        ({"type": "array", "items": [{"type": "number"}, {"type": "string"}]}, "(number, string)"),
        ({"type": "object"}, "object"),
        ({"type": "object", "additionalProperties": {"type": "boolean"}}, "object of boolean"),
        ({"type": "object", "additionalProperties": False}, "object"),
        ({"$ref": "#/$defs/Node"}, "Node"),
        ({"allOf": [{"$ref": "#/$defs/Node"}]}, "Node"),
        ({}, "anything"),
        (True, "anything"),
    ],
)
def test_type_is_said_in_a_few_words(schema, words):
    assert type_of(schema) == words


def test_choices_that_several_parameters_share_are_listed_at_each_of_them():
    level = {"$ref": "#/$defs/Level"}
    schema = {
        "type": "object",
        "properties": {"one": level, "many": {"type": "array", "items": level}, "record": {"$ref": "#/$defs/Record"}},
        "$defs": {"Level": {"enum": ["low", "high"]}, "Record": {"type": "object"}},
    }
    assert [(one.name, one.type) for one in parameters_of(schema)] == [
        ("one", '"low" | "high"'),
        ("many", 'list of ("low" | "high")'),
        ("record", "Record"),
    ]


def test_fields_of_objects_are_listed_with_their_address_and_a_recursive_type_ends():
    node = {
        "type": "object",
        "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
        "required": ["label"],
    }
    schema = {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": node}}
    assert [(one.name, one.type, one.required) for one in parameters_of(schema)] == [
        ("root", "Node", False),
        ("root.label", "string", True),
        ("root.children", "list of Node", False),
        ("root.children[].label", "string", True),
        ("root.children[].children", "list of Node", False),
        ("root.children[].children[].label", "string", True),
        ("root.children[].children[].children", "list of Node", False),
    ]


def test_constraints_are_said():
    schema = {
        "type": "object",
        "properties": {
            "age": {"type": "integer", "minimum": 0, "exclusiveMaximum": 150, "default": 18, "description": "In years"},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
            "code": {"anyOf": [{"type": "string", "pattern": "^[A-Z]+$"}, {"type": "null"}]},
        },
    }
    assert [(one.default, one.constraints) for one in parameters_of(schema)] == [
        ("18", ("at least 0", "less than 150")),
        ("", ("at least 1 item", "unique items")),
        ("", ("matching ^[A-Z]+$",)),
    ]


def test_columns_are_as_wide_as_their_cells_and_empty_ones_are_left_out():
    rows = [["日本", "", "x", "first second third"], ["a", "", "long", "日本語" * 12]]
    assert paint_all(table(["NAME", "NONE", "KIND", "TEXT"], rows, 38, indent=2), colour=False) == (
        "  NAME  KIND  TEXT\n"
        "  日本  x     first second third\n"
        "  a     long  日本語日本語日本語日本語\n"
        "              日本語日本語日本語日本語\n"
        "              日本語日本語日本語日本語\n"
    )


def test_long_name_stands_on_a_line_of_its_own_and_does_not_move_the_others():
    rows = [("short", "builtin", "Does this."), ("a_name_" * 5, "tools.py", "Does that, and then some more of it.")]
    assert paint_all(table(["NAME", "FROM", "DESCRIPTION"], rows, 50), colour=False) == (
        "NAME   FROM      DESCRIPTION\n"
        "short  builtin   Does this.\n"
        "a_name_a_name_a_name_a_name_a_name_\n"
        "       tools.py  Does that, and then some more of\n"
        "                 it.\n"
    )


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=90), st.text("ab", max_size=9), st.text("ab c", max_size=200)),
        max_size=5,
    )
)
@settings(max_examples=examples(200), deadline=None)
def test_nothing_but_a_long_name_is_wider_than_the_table(rows):
    shown = paint_all(table(["NAME", "KIND", "TEXT"], rows, 80), colour=False).splitlines()
    names = {one_line(name) for name, _, _ in rows}
    assert [line for line in shown if width_of(line) > 80 and line not in names] == []
