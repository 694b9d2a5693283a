"""The functions of expressions: exactly those that are documented, each in ordinary and in hard cases."""

from functools import reduce
from operator import add
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.pipelines.expressions import ExpressionError, parse_expression  # private
from toolkit.pipelines.expressions.function_table import FUNCTIONS  # private

DOCUMENTED = (
    "len str int float bool round abs min max sum sorted any all join split lines lower upper strip replace get keys "
    "values first last unique json parse_json startswith endswith contains default now"
)

ROOT_DATA: dict[str, Any] = {
    "prev": " a, b ",
    "item": {"name": "x", "tags": ["b", "a"], "none": None},
    "inputs": {"rows": [{"n": 2, "t": "b"}, {"n": 1, "t": "ß"}, {"n": 2, "t": "a"}]},
}


def value_of(source: str) -> Any:
    return parse_expression(source).evaluate(ROOT_DATA)


def test_there_are_the_documented_functions_and_no_others():
    assert sorted(FUNCTIONS) == sorted(DOCUMENTED.split())


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("len(prev)", 6),
        ("len(item)", 3),
        ("len([])", 0),
        ("str('a')", "a"),
        ("str(1.0)", "1.0"),
        ("str(True)", "true"),
        ("str(None)", "null"),
        ("str(['ß', None])", '["ß",null]'),
        ("int(' -12 ')", -12),
        ("int(3.9)", 3),
        ("int(True)", 1),
        ("float('1e3')", 1000.0),
        ("float(2)", 2.0),
        ("bool('')", False),
        ("bool('no')", True),
        ("bool('False')", False),
        ("bool('true')", True),
        ("bool([])", False),
        ("bool(0.0)", False),
        ("round(2.5)", 2),
        ("round(2.675, 2)", 2.67),
        ("round(1234, -2)", 1200),
        ("abs(-3)", 3),
        ("min(3, 1, 2)", 1),
        ("min(['b', 'a'])", "a"),
        ("max([1, 2.5])", 2.5),
        ("sum([1, 2.5, True])", 4.5),
        ("sum([])", 0),
        ("sorted([3, 1, 2])", [1, 2, 3]),
        ("sorted(['b', 'a'], reverse=True)", ["b", "a"]),
        ("[row.t for row in sorted(inputs.rows, 'n')]", ["ß", "b", "a"]),
        ("[row.t for row in sorted(inputs.rows, key='n', reverse=True)]", ["b", "a", "ß"]),
        ("any([0, 'x'])", True),
        ("all([1, ''])", False),
        ("all([])", True),
        ("join(['a', 'b'], ', ')", "a, b"),
        ("join(['a', 'b'])", "ab"),
        ("join([], '-')", ""),
        ("split(prev)", ["a,", "b"]),
        ("split('a--b', '--')", ["a", "b"]),
        ("split('', ',')", [""]),
        ("lines('a\\r\\nb\\n\\nc\\n')", ["a", "b", "", "c"]),
        ("lines('')", []),
        ("lower('ÄB')", "äb"),
        ("upper('ß')", "SS"),
        ("strip(prev)", "a, b"),
        ("strip('--a-', '-')", "a"),
        ("replace('aaa', 'a', 'b')", "bbb"),
        ("replace('aba', 'a', '')", "b"),
        ("get(item, 'name')", "x"),
        ("get(item, 'nothing')", None),
        ("get(item, 'nothing', 5)", 5),
        ("get(item, 'none', 5)", None),
        ("get(item.tags, 1)", "a"),
        ("get(item.tags, -3, default='z')", "z"),
        ("get(get(item, 'nothing'), 'deeper', 'z')", "z"),
        ("keys(item)", ["name", "tags", "none"]),
        ("values({'a': 1, 'b': 2})", [1, 2]),
        ("first([1, 2])", 1),
        ("last([1, 2])", 2),
        ("first([], None)", None),
        ("last([], default=0)", 0),
        ("unique([2, 1, 2, 1])", [2, 1]),
        ("unique([1, True, '1', [1], [1], {'a': 1, 'b': 2}, {'b': 2, 'a': 1}])", [1, True, "1", [1], {"a": 1, "b": 2}]),
        ("json({'ä': [1, None, True, 1.5]})", '{"ä":[1,null,true,1.5]}'),
        ("parse_json('{\"a\": [1, null]}').a", [1, None]),
        ("startswith('abc', 'ab')", True),
        ("endswith('abc', 'ab')", False),
        ("contains('abc', 'bc')", True),
        ("contains(item.tags, 'z')", False),
        ("contains(item, 'name')", True),
        ("default(item.none, 'x')", "x"),
        ("default('', 'x')", ""),
    ],
)
def test_a_function_gives_its_value(source, value):
    found = value_of(source)
    assert (found, type(found)) == (value, type(value))


def test_now_is_a_time_in_utc():
    assert len(value_of("now()")) == len("2026-11-21T08:30:00Z")
    assert value_of("now()").endswith("Z")


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("len(1)", "a number has no length"),
        ("int('1.5')", "the text is not an integer (int(float(…)) drops the digits after the decimal point)"),
        ("int('1_000')", "the text is not an integer (int(float(…)) drops the digits after the decimal point)"),
        ("int(None)", "int takes a number, not null"),
        ("float('nan')", "the text is not a number"),
        ("float('1e999')", "the result is not a finite number"),
        ("round('1')", "round takes a number, not text"),
        ("round(1.5, 'a')", "round takes a number of digits up to 1000, not text"),
        ("abs(item)", "abs takes a number, not a mapping"),
        ("min([])", "min of an empty list (use a default, such as min(x) if x else 0)"),
        ("max(1, 'a')", "max cannot compare numbers with text (str(…) converts a number to text)"),
        ("max([None, 1])", "max compares only numbers or only text, but one item is null"),
        ("max('ab')", "max takes a list, not text (split(…) and lines(…) turn text into a list)"),
        ("sum(['a'])", "sum takes a number, not text"),
        ("sorted(inputs.rows)", "sorted compares only numbers or only text, but one item is a mapping"),
        (
            "sorted(inputs.rows, 'q')",
            "sorted by 'q' needs mappings with that key, but one item is a mapping without it",
        ),
        ("sorted([1], reverse=1)", "sorted takes true or false for 'reverse', not a number"),
        ("any(item)", "any takes a list, not a mapping (keys(…) and values(…) turn a mapping into a list)"),
        ("join([1])", "join takes text, not a number (str(…) converts it to text)"),
        ("split(1)", "split takes text, not a number (str(…) converts it to text)"),
        ("split('a', '')", "the separator of split is empty ([character for character in …] lists the characters)"),
        ("upper(1)", "upper takes text, not a number (str(…) converts it to text)"),
        ("get(prev, 'a')", "get takes a mapping or a list, not text"),
        ("get(item.tags, 'a')", "an index must be a whole number, not text"),
        ("get(item, 1)", "a key must be text, not a number (str(…) converts it to text)"),
        ("keys([])", "keys takes a mapping, not a list"),
        ("first([])", "first of an empty list (set a default: first(…, default))"),
        ("parse_json('[1,')", "the text is not JSON: expecting value at line 1, column 4"),
        ("parse_json('NaN')", "the text is not JSON: 'NaN' is not a number in JSON"),
        ("parse_json('1e999')", "the result is not a finite number"),
        ("parse_json(1)", "parse_json takes text, not a number (str(…) converts it to text)"),
    ],
)
def test_a_function_says_what_it_does_not_take(source, message):
    with pytest.raises(ExpressionError) as raised:
        value_of(source)
    assert str(raised.value) == message
    assert (raised.value.offset, raised.value.length) == (0, len(source))


TEXTS = st.text(max_size=8) | st.text("ab\r\n ,", max_size=8)


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=examples(300), deadline=None)
def test_functions_on_texts_do_what_pythons_methods_do(text, part, other):
    roots = {"prev": text, "item": part, "result": other}

    def found(source: str) -> Any:
        return parse_expression(source).evaluate(roots)

    assert found("replace(prev, item, result)") == text.replace(part, other)
    assert found("lower(prev) + upper(prev)") == text.lower() + text.upper()
    assert found("strip(prev)") == text.strip()
    assert found("split(prev)") == text.split()
    assert found("join(split(prev, ','), ',')") == text
    assert found("startswith(prev, item)") == text.startswith(part)
    assert found("endswith(prev, item)") == text.endswith(part)
    assert found("contains(prev, item)") == (part in text)
    assert found("parse_json(json([prev, item]))") == [text, part]


@given(st.lists(st.integers(-99, 99) | st.floats(-99, 99), min_size=1))
@settings(max_examples=examples(200), deadline=None)
def test_functions_on_numbers_do_what_pythons_do(numbers):
    def found(source: str) -> Any:
        return parse_expression(source).evaluate({"prev": numbers})

    assert found("sorted(prev)") == sorted(numbers)
    assert found("[min(prev), max(prev)]") == [min(numbers), max(numbers)]
    # From 3.12 on Python makes up for what adding loses; a pipeline comes to the same with all of them.
    assert found("sum(prev)") == reduce(add, numbers)
    assert found("[round(n, 1) for n in prev]") == [round(n, 1) for n in numbers]
    assert found("[abs(n) for n in prev]") == [abs(n) for n in numbers]
