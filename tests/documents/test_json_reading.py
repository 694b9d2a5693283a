"""JSON as nodes: the plain data that everybody else reads, with the place of each value."""

import json

import pytest
from hypothesis import given, strategies as st

from toolkit.documents import parse_json, plain, read_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_is_read_is_what_json_says(value, indent, ensure_ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)
    root, problems = parse_json(text, "a.json")
    assert root is not None
    assert (plain(root), problems) == (value, [])


@given(st.text(min_size=1), st.booleans())
def test_every_character_of_a_text_is_found(value, ensure_ascii):
    text = "[\n" + json.dumps(value, ensure_ascii=ensure_ascii) + "]"
    root, _ = parse_json(text, "a.json")
    scalar = root.items[0]
    written = text.split("\n", 1)[1] if "\r" not in text else None
    for index, character in enumerate(value):
        place = scalar.locate(index)
        if written is not None:
            assert place.line == 2
            assert json.loads(f'"{written[place.column - 1 : place.end_column - 1]}"') == character


def test_places_are_those_of_the_values():
    root, _ = parse_json('{\n\t"name": "x",\n\t"list": [1, {"a": null}]\n}', "a.json")
    name, numbers = root.entries["name"], root.entries["list"].value
    assert [str(name.key.location), str(name.value.location)] == ["a.json:2:2", "a.json:2:10"]
    assert [str(item.location) for item in numbers.items] == ["a.json:3:11", "a.json:3:14"]
    assert root.location == ("a.json", 1, 1, 4, 2)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "1:1", "the document ends where a value is expected"),
        ("[1,]", "1:4", "a value is expected"),
        ('{"a": 1,\n}', "2:1", "a key in double quotes is expected"),
        ('{"a" 1}', "1:6", "':' is expected after the key"),
        ("[1 2]", "1:4", "',' or ']' is expected"),
        ('["a\nb"]', "1:2", "this string is not closed, or contains an invalid escape or a control character"),
        ("{'a': 1}", "1:2", "a key in double quotes is expected"),
        ("[NaN]", "1:2", "a value is expected"),
        ("1 // one", "1:3", "unexpected text after the end of the document"),
        ("[" * 300, "1:202", "nested deeper than 200 levels"),
        ("9" * 5000, "1:1", "this number is too long"),
    ],
)
def test_what_is_no_json_is_a_problem_with_its_place(text, place, message):
    root, [problem] = parse_json(text, "a.json")
    assert root is None
    assert (problem.code, str(problem.location)) == ("TK601", f"a.json:{place}")
    assert problem.message == f"the JSON is broken: {message}"


def test_key_that_stands_twice_is_told_and_the_first_stays():
    root, [problem] = parse_json('{"a": 1, "a": 2}', "a.json")
    assert root is not None
    assert plain(root) == {"a": 1}
    assert (problem.code, problem.message, problem.location.column) == ("TK603", "duplicate key 'a'", 10)
    assert [(place.column, what) for place, what in problem.related] == [(2, "first defined here")]


def test_file_that_cannot_be_read_is_a_problem(tmp_path):
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"a": 1}')
    (tmp_path / "b.json").write_bytes(b'{"a": "\xff"}')
    root, _ = read_json(tmp_path / "a.json")
    assert root is not None
    assert plain(root) == {"a": 1}
    assert [problem.message for problem in read_json(tmp_path / "b.json", name="b")[1]] == [
        "byte 0xff is not UTF-8 text"
    ]
    assert [problem.code for problem in read_json(tmp_path / "c.json")[1]] == ["TK001"]
