"""What is shown of untrusted text can neither repaint a terminal, nor hide, nor be mistaken for another text."""

import json
import re
import unicodedata

import pytest
from hypothesis import given, strategies as st

from toolkit.visibility import disarm, visible_json  # private
from toolkit_cli.rendering.styles import cut, is_plain, lines_of, one_line, width_of, wrap  # private

ANY_TEXT = st.text(st.characters(codec=None), max_size=60) | st.text(
    st.sampled_from("\\nrtxuU0a\n\r\t\x00\x1b\x7f\x9b\u200b\u202e\u2028\u00a0\ufe0f\u0301\ud800\U000e0001é字"),
    max_size=30,
)


def unescaped(shown):
    """Read a shown line back: the proof that no two texts look alike."""
    short = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}

    def character(found):
        return short.get(found[1]) or chr(int(found[1][1:], 16))

    return re.sub(r"\\([nrt\\]|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})", character, shown)


@given(ANY_TEXT)
def test_a_shown_line_has_nothing_but_visible_characters(text):
    for character in one_line(text):
        assert character.isprintable()
        assert unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


@given(ANY_TEXT)
def test_a_shown_line_can_be_read_back(text):
    assert unescaped(one_line(text)) == text


@given(ANY_TEXT)
def test_lines_are_those_of_the_text_and_each_is_safe(text):
    assert [unescaped(line) for line in lines_of(text)] == text.split("\n")
    assert all(line.isprintable() for line in lines_of(text))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | ANY_TEXT,
        lambda inner: st.lists(inner) | st.dictionaries(ANY_TEXT, inner),
        max_leaves=8,
    )
)
def test_shown_json_is_visible_and_still_the_same_data(data):
    assert visible_json(data).isprintable()
    assert json.loads(visible_json(data)) == data
    assert json.loads(visible_json(data, indent=2)) == data


@given(ANY_TEXT, st.integers(2, 30))
def test_wrapping_leaves_nothing_out_and_keeps_to_the_width(text, width):
    pieces = wrap(one_line(text), width)
    assert "".join(pieces) == one_line(text)
    assert all(width_of(piece) <= width for piece in pieces)


@given(ANY_TEXT, st.integers(1, 30))
def test_cutting_keeps_to_the_width_and_shows_that_it_cut(text, width):
    shown = one_line(text)
    assert width_of(cut(shown, width)) <= width
    assert cut(shown, width) == shown or cut(shown, width).endswith("…")


@given(ANY_TEXT)
def test_a_disarmed_text_keeps_its_lines_and_obeys_nothing(text):
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", disarm(text))
    assert disarm(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, (with) signs!", "plain text, (with) signs!"),
        ("Blåbær 日本 €", "Blåbær 日本 €"),
        ("two\nlines", "two\\nlines"),
        ("C:\\files\\new", "C:\\files\\\\new"),
        ("\\d+\\.\\w", "\\d+\\.\\w"),
        ("\x1b[2J", "\\x1b[2J"),
        ("\\x1b", "\\\\x1b"),
        ("user\u202etxt.exe", "user\\u202etxt.exe"),
        ("a\u200bb\u00a0c\ufeff", "a\\u200bb\\xa0c\\ufeff"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("e" + "\u0301" * 5, "e" + "\u0301" * 3 + "\\u0301" * 2),
    ],
)
def test_texts_are_shown_as_people_expect(text, shown):
    assert one_line(text) == shown
    assert is_plain(text) == (text == shown)
