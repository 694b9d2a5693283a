"""A character of a value leads back to its place in the file, however it was written."""

from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.documents import Scalar, parse_document
from toolkit.problems import Location, Problem


def parsed(text: str) -> tuple[Any, list[Problem]]:
    return parse_document(text, "f")


def located(text: str, part: str) -> tuple[Any, ...]:
    """Return the place of a part of the one value under `a`."""
    node, problems = parsed(text)
    assert problems == []
    scalar = node.get("a")
    place = scalar.locate(scalar.text.index(part), len(part))
    return tuple(place[1:])


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("text", "part", "place"),
    [
        ("a: one two\n", "two", (1, 8, 1, 11)),
        ("a: one\n  two\n\n  three\n", "three", (4, 3, 4, 8)),
        ("a: 'it''s two'\n", "two", (1, 11, 1, 14)),
        ("a: 'it''s two'\n", "'", (1, 7, 1, 9)),
        ("a: 'one\n   two'\n", "two", (2, 4, 2, 7)),
        (r'a: "\t\u00e9\x41\U0001F600 two"', "two", (1, 28, 1, 31)),
        (r'a: "\t\u00e9\x41 two"', "é", (1, 7, 1, 13)),
        ('a: "one\\\n   \\ntwo"\n', "two", (2, 6, 2, 9)),
        ("a: |\n  one\n    two\n", "two", (3, 5, 3, 8)),
        ("a: |\n  one\n    two\n", "  two", (3, 3, 3, 8)),
        ("a: |-  # a comment\n\n  one\n  two\n", "two", (4, 3, 4, 6)),
        ("a: >\n  one\n  two\n\n  three\n", "three", (5, 3, 5, 8)),
        ("a: |2\n    one\n   two\n", "two", (3, 4, 3, 7)),
        ("a: &x !!str 'one two'\n", "two", (1, 18, 1, 21)),
        ("a: &x |\n  one\r\n  two\r\n", "two", (3, 3, 3, 6)),
        ("a: one two three\n", "one two three", (1, 4, 1, 17)),
        ("a: >\n  one\n  two\n", "one two", (2, 3, 3, 6)),
    ],
)
def test_a_part_of_a_value_has_its_place(text, part, place):
    assert located(text, part) == place


def test_the_end_of_a_value_has_a_place_too():
    node, _ = parsed("a: 'one'\n")
    assert node.get("a").locate(3) == Location("f", 1, 8, 1, 8)
    assert node.get("a").locate(99) == Location("f", 1, 8, 1, 8)


def test_an_empty_value_has_the_place_behind_its_quote():
    node, _ = parsed("a: ''\n")
    assert node.get("a").locate(0) == Location("f", 1, 5, 1, 5)


def test_a_value_made_by_hand_has_one_place():
    location = Location("f", 3, 4)
    assert Scalar("one", "one", plain=True, place=location).locate(1) == location


@given(
    st.text(st.sampled_from("ab'\"\\é😀:# \n\t") | st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"])),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.integers(10, 40),
)
@settings(max_examples=examples(500), deadline=None)
def test_every_visible_character_is_found(value, style, width):
    text = yaml.safe_dump({"a": value}, default_style=style, width=width, allow_unicode=True)
    node, problems = parsed(text)
    assert problems == []
    scalar = node.get("a")
    assert scalar.text == value
    lines = text.split("\n")
    for offset, character in enumerate(value):
        place: Any = scalar.locate(offset)
        if not character.isspace():
            written = lines[place.line - 1][place.column - 1 :]
            assert written[0] == character or written.startswith("\\"), (text, offset)
