"""The tool `json_parser` picks what a path leads to, loses no digit, and takes no malformed path for a good one."""

import json
import re
from math import isfinite

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.builtin import JsonParser

PARSER = JsonParser()
ORDER = """
{
  "id": 9007199254740993, "huge": 123456789012345678901234567890, "zero": -0,
  "rate": 0.1234567890123456789, "round": 3.0, "power": 1e3, "beyond": 1e400, "tiny": 1e-99999999999999999999,
  "paid": true, "note": null, "Å ø": "Æ", "line break": "a\\nb",
  "items": [{"name": "pen", "price": 2.50}, {"name": "日本", "tags": [["a"], []]}]
}
"""


def picked(path, document=ORDER):
    """Return what a model is sent."""
    return PARSER.run({"jsonPath": path, "json": document}).text


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("items[0].name", "pen"),
        ("  items[0].name  ", "pen"),
        ("items[1].tags[0][0]", "a"),
        ("items[1].name", "日本"),
        ("items[1]", '{"name":"日本","tags":[["a"],[]]}'),
        ("items[0]", '{"name":"pen","price":2.5}'),
        ("items.[0].name", "pen"),
        ("id", "9007199254740993"),
        ("huge", "123456789012345678901234567890"),
        ("zero", "0"),
        ("rate", "0.1234567890123456789"),
        ("round", "3.0"),
        ("power", "1000.0"),
        ("beyond", "1e400"),
        ("tiny", "1e-99999999999999999999"),
        ("paid", "true"),
        ("note", "null"),
        ("Å ø", "Æ"),
        ("line break", "a\nb"),
        ("..paid..", "true"),
    ],
)
def test_picks_the_value(path, answer):
    assert picked(path) == answer


@pytest.mark.parametrize(
    ("document", "answer"),
    [("[1, 2.0]", "[1,2.0]"), ('"x"', "x"), (" 7 ", "7"), ("null", "null"), ('{"a":1,"a":2}', '{"a":2}')],
)
def test_a_dot_picks_the_whole(document, answer):
    assert picked(".", document) == answer


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "Path expression must not be blank"),
        ("  ", "Path expression must not be blank"),
        ("item", "Path not found: 'item'"),
        ("items[0].size", "Path not found: 'size'"),
        ("paid.more", "Path not found: 'paid.more'"),
        ("note.more", "Path not found: 'note.more'"),
        ("id.more", "Path not found: 'id.more'"),
        ("paid[0]", "Path not found: 'paid[0]'"),
        ("id[0]", "Path not found: 'id[0]'"),
        ("[0]", "Path not found: '[0]'"),
        ("items.0", "Path not found: '0'"),
        ("items[2]", "Array index out of bounds: index 2 is out of bounds for array of size 2"),
        ("items[" + "9" * 30 + "]", "Invalid path: the index 999999999999999999… is too large"),
    ],
)
def test_says_why_there_is_no_value(path, message):
    assert picked(path) == f"Error: {message}"


@pytest.mark.parametrize(
    "part",
    ["a[-1]", "a[*]", "a[]", "a[b]", "a['b']", 'a["b"]', "a[0", "a]0[", "a[0]b", "[[0]]", "a[1:2]", "'a'", "a[٣]"],
)
def test_a_malformed_part_is_an_error(part):
    message = f"Error: Invalid path: 'items.{part}'. The part '{part}' is not of the form name, name[0] or [0]"
    assert picked(f"items.{part}") == message


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "JSON content must not be blank"),
        (" \n", "JSON content must not be blank"),
        ("{", "Invalid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("{'a':1}", "Invalid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("NaN", "Invalid JSON: NaN is not a JSON value"),
        ("[-Infinity]", "Invalid JSON: -Infinity is not a JSON value"),
        ("{} {}", "Invalid JSON: Extra data: line 1 column 4 (char 3)"),
        ('["\\ud800"]', "Invalid JSON: a string contains a lone surrogate"),
        ("[" * 100_000, "Invalid JSON: nested too deeply"),
    ],
)
def test_malformed_json_is_an_error(document, message):
    assert picked(".", document) == f"Error: {message}"


def test_a_trailing_comma_is_an_error():
    assert picked(".", "[1,]").startswith("Error: Invalid JSON: ")


def test_all_missing_arguments_are_named():
    assert PARSER.run({}).error == "Missing required parameter(s): jsonPath, json"


def test_json_that_is_no_text_is_refused():
    result = PARSER.run({"jsonPath": "a", "json": {"a": 1}})
    assert (result.error_code, result.output) == ("invalid_arguments", "")


def test_programs_get_the_value_itself():
    result = PARSER.run({"jsonPath": "items", "json": ORDER})
    assert result.structured == [{"name": "pen", "price": 2.5}, {"name": "日本", "tags": [["a"], []]}]
    assert PARSER.run({"jsonPath": "beyond", "json": ORDER}).structured == "1e400"


documents = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats().filter(isfinite)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc é-", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


def paths_into(value, path=""):
    """Yield every path into a document, with the value it leads to."""
    yield path or ".", value
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from paths_into(inner, f"{path}[{index}]")
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from paths_into(inner, f"{path}.{name}")


@settings(max_examples=examples(300), deadline=None)
@given(documents)
def test_every_path_leads_to_its_value(document):
    text = json.dumps(document)
    for path, value in paths_into(document):
        if path != path.strip():
            continue  # the blanks round a path are not part of it
        result = PARSER.run({"jsonPath": path, "json": text})
        assert result.succeeded
        assert result.structured == value
        assert (result.output if isinstance(value, str) else json.loads(result.output)) == value


@settings(max_examples=examples(500), deadline=None)
@given(st.text(st.sampled_from("ab.[]0123'\"$* -"), max_size=12))
def test_only_well_formed_paths_are_followed(path):
    result = PARSER.run({"jsonPath": path, "json": '{"a": [[1, 2], {"b": 3}], "b": {"a": 4}}'})
    well_formed = all(re.fullmatch(r"[^\[\]'\"]*(\[\d+\])*", part) for part in path.strip().split("."))
    assert well_formed or not result.succeeded


def test_hints_and_schema():
    spec = PARSER.spec
    assert (spec.name, spec.read_only, spec.destructive, spec.open_world) == ("json_parser", True, False, False)
    assert spec.required == ("jsonPath", "json")
    assert {name: schema["type"] for name, schema in spec.properties.items()} == {
        "jsonPath": "string",
        "json": "string",
    }
