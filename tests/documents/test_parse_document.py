"""Text becomes nodes: values by the core rules of YAML 1.2, each with its place."""

import json
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.documents import Scalar, Sequence, as_yaml, parse_document, plain
from toolkit.problems import Location, Problem, errors_among


def parsed(text: str) -> tuple[Any, list[Problem]]:
    return parse_document(text, "file.yaml")


def data_of(text: str) -> Any:
    node, problems = parsed(text)
    assert problems == []
    return plain(node)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Null", None),
        ("true", True),
        ("False", False),
        ("tRUE", "tRUE"),
        ("on", "on"),
        ("No", "No"),
        ("yes", "yes"),
        ("y", "y"),
        ("0", 0),
        ("-12", -12),
        ("+12", 12),
        ("007", 7),
        ("0x1F", 31),
        ("0o17", 15),
        ("0b11", "0b11"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("1.5", 1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1e3", -1000.0),
        ("1.10", 1.1),
        ("1.2.3", "1.2.3"),
        ("1e", "1e"),
        ("=", "="),
        ("<<", "<<"),
        ('"12"', "12"),
        ("'true'", "true"),
        ('""', ""),
        ("'it''s'", "it's"),
        (r'"a\tb\u00e9\U0001F600"', "a\tbé😀"),
        ("!!str 12", "12"),
        ('!!int "12"', 12),
        ("!!float 1", 1.0),
        ("!!null ''", None),
        ("!!bool 'true'", True),
    ],
)
def test_a_scalar_has_the_value_that_yaml_1_2_gives_it(written, value):
    found = data_of(f"- {written}")[0]
    assert (found, type(found)) == (value, type(value))


def test_keys_stay_text():
    assert data_of("on: 1\nno: 2\n12: 3\n1.10: 4\nnull: 5\n") == {"on": 1, "no": 2, "12": 3, "1.10": 4, "null": 5}


def test_the_text_of_a_scalar_is_as_it_was_written():
    node, _ = parsed("version: 1.10\nname: '1.10'\n")
    version, name = node.get("version"), node.get("name")
    assert isinstance(version, Scalar)
    assert isinstance(name, Scalar)
    assert (version.value, version.text, version.plain) == (1.1, "1.10", True)
    assert (name.value, name.text, name.plain) == ("1.10", "1.10", False)


def test_an_empty_document_is_a_null_at_the_start_of_the_file():
    for text in ("", "# only a comment\n", "---\n"):
        node, problems = parsed(text)
        assert (plain(node), problems) == (None, [])
        assert node.location.file == "file.yaml"


def test_every_node_knows_its_place():
    node, _ = parsed("steps:\n  - use: a\n    with: {x: 12}\n")
    steps = node.get("steps")
    assert isinstance(steps, Sequence)
    step: Any = steps.items[0]
    assert node.entries["steps"].key.location == Location("file.yaml", 1, 1, 1, 6)
    assert step.location[:3] == ("file.yaml", 2, 5)
    assert step.entries["with"].key.location == Location("file.yaml", 3, 5, 3, 9)
    assert step.get("with").location == Location("file.yaml", 3, 11, 3, 18)
    assert step.get("with").get("x").location == Location("file.yaml", 3, 15, 3, 17)
    assert step.get("when") is None


def test_columns_count_characters_and_lines_end_as_on_any_system():
    node, _ = parsed("é😀: 1\r\nb: {ü: 2}\rc: 3\n")
    assert node.get("é😀").location == Location("file.yaml", 1, 5, 1, 6)
    assert node.get("b").get("ü").location == Location("file.yaml", 2, 8, 2, 9)
    assert node.get("c").location == Location("file.yaml", 3, 4, 3, 5)


def test_a_byte_order_mark_moves_no_column():
    node, problems = parsed("\ufeffa: 1\n")
    assert problems == []
    assert node.get("a").location == Location("file.yaml", 1, 4, 1, 5)


def test_an_alias_stands_for_what_was_anchored():
    assert data_of("a: &x [1, {b: 2}]\nc: *x\nd: &x 3\ne: *x\n") == {
        "a": [1, {"b": 2}],
        "c": [1, {"b": 2}],
        "d": 3,
        "e": 3,
    }


def test_what_is_refused_is_left_out_and_the_rest_can_be_looked_at():
    node, problems = parsed("a: 1\na: 2\nb:\n  <<: {c: 3}\n  d: !x 4\n? [e]\n: 5\n")
    assert plain(node) == {"a": 1, "b": {"d": 4}}
    assert [problem.code for problem in problems] == ["TK603", "TK601", "TK601", "TK601"]


def test_a_duplicate_key_names_both_places():
    _, problems = parsed("a: 1\r\nb: 2\r\na: 3\r\n")
    first, second = Location("file.yaml", 1, 1, 1, 2), Location("file.yaml", 3, 1, 3, 2)
    related = ((first, "first defined here"),)
    assert problems == [Problem("TK603", "duplicate key 'a'", second, hint="remove one of the two", related=related)]


def test_a_document_that_is_too_large_is_refused_before_it_is_read():
    _, problems = parsed("a: [" + "x, " * 400_000 + "]")
    assert [str(problem) for problem in problems] == [
        (
            "file.yaml: error[TK601]: the document is larger than 1,048,576 bytes"
            " (move the data to a separate file and let a tool read it)"
        )
    ]


@pytest.mark.proof
def test_a_list_of_too_many_values_is_refused():
    node, problems = parsed("[" + "1," * 100_001 + "]")
    assert node is None
    assert [problem.message for problem in problems] == [
        "more than 100,000 values, including those that aliases repeat"
    ]


# ------------------------------------------------------------------------------------------------------ whatever comes

JSON_TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\u2028\u2029\ufeff\ufffe\uffff"))
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)


def json_data(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | NUMBERS | texts
    return st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(texts, inner), max_leaves=20)


@given(st.text() | st.text("abc:-,[]{}&*!|>'\"%@`#?~<.0x1eT \t\r\n$\\"))
@settings(max_examples=examples(600), deadline=None)
def test_any_text_becomes_a_node_or_a_problem(text):
    node, problems = parsed(text)
    if node is None:
        assert errors_among(problems)
    else:
        json.dumps(plain(node), allow_nan=False)
    for problem in problems:
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        place: Any = problem.location
        assert 1 <= place.line <= len(lines)
        assert 1 <= place.column <= len(lines[place.line - 1]) + 1
        assert (place.end_line, place.end_column) >= (place.line, place.column)


@given(json_data(JSON_TEXT))
@settings(max_examples=examples(300), deadline=None)
def test_json_is_read_as_what_it_is(data):
    assert data_of(json.dumps(data, ensure_ascii=False)) == data


@given(json_data(ANY_TEXT))
@settings(max_examples=examples(300), deadline=None)
def test_data_that_was_dumped_is_read_back(data):
    assert data_of(as_yaml(data)) == data


@given(json_data(ANY_TEXT))
@settings(max_examples=examples(200), deadline=None)
def test_data_that_another_program_dumped_with_tags_and_quotes_is_read_back(data):
    assert data_of(yaml.safe_dump(data, default_style='"', sort_keys=False)) == data
