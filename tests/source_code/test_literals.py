"""Every character of a Python string is found in the source, however it is written."""

import ast

import pytest
from hypothesis import given, strategies as st

from toolkit.source_code.literals import Literal  # private

CHARACTERS = st.characters(exclude_categories=["Cs"])


def read(source):
    """Return the literal of an expression that is one string, or several in a row."""
    return Literal(source, 0, len(source))


@given(st.text(CHARACTERS))
def test_value_is_that_of_python(text):
    source = repr(text)
    assert read(source).value == ast.literal_eval(source)


@given(st.text(CHARACTERS), st.sampled_from(["'''", '"""']), st.sampled_from(["", "r", "R", "u"]))
def test_value_of_long_and_raw_strings_is_that_of_python(text, quotes, prefix):
    source = f"{prefix}{quotes}{text}{quotes}"
    try:
        expected = ast.literal_eval(source)
    except (SyntaxError, ValueError):
        return
    literal = read(source)
    assert literal.value == expected
    if "\\" not in text and "\r" not in text:
        assert all(source[slice(*literal.span(index))] == character for index, character in enumerate(expected))


@pytest.mark.parametrize(
    ("source", "value", "written"),
    [
        (r'"a\n\x41\u00e4\N{BULLET}\101b"', "a\nAä•Ab", ["a", r"\n", r"\x41", r"\u00e4", r"\N{BULLET}", r"\101", "b"]),
        ("'a' \"b\"  # c\n    r'\\d'", "ab\\d", ["a", "b", "\\", "d"]),
        ("'a\\\nb'", "ab", ["a", "b"]),
        ('"""a\r\nb"""', "a\nb", ["a", "\r\n", "b"]),
        (r"'\''", "'", [r"\'"]),
        (r"'\q'", "\\q", [r"\q", r"\q"]),
        ("''", "", []),
    ],
)
def test_characters_are_found_as_they_are_written(source, value, written):
    literal = read(source)
    assert literal.value == value
    assert [source[slice(*literal.span(index))] for index in range(len(value))] == written


def test_end_of_a_string_is_behind_its_last_character():
    literal = read("'ab'")
    assert literal.span(2, 0) == (3, 3)
    assert literal.span(0, 2) == (1, 3)


def test_text_is_found_through_changed_blanks():
    literal = read('"""First\n    line.\n\n    Args:\n        a: The\n            value.\n    """')
    offsets = literal.find("The value.", after=20)
    assert [literal.value[offset] for offset in offsets] == list("The value.".replace(" ", "\n"))
    assert literal.find("First\nline.")[0] == 0
    assert literal.find("Last") is None
    assert literal.find(" ") is None
