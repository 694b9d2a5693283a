"""Word diffs: what changed in a long text, in a few words."""

import pytest
from hypothesis import given, strategies as st

from toolkit.pins import changes_between, word_diff

NUMBERS = [f"w{number}" for number in range(30)]
LONG = " ".join(NUMBERS)


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ("one two three", "one 2 three", "one [-two-] {+2+} three"),
        ("one two", "one two three", "one two {+three+}"),
        (LONG, LONG.replace("w15", "new"), "… w11 w12 w13 w14 [-w15-] {+new+} w16 w17 w18 w19 …"),
        (
            LONG,
            LONG.replace("w3 ", "").replace("w20", "w20 b"),
            "w0 w1 w2 [-w3-] w4 w5 w6 w7 … w17 w18 w19 w20 {+b+} w21 w22 w23 w24 …",
        ),
        ("send it", "send\u200b it", "[-send-] {+send\\u200b+} it"),
        ("a b", "a  b", "a {++} b"),
        ("", "all new", "[--] {+all new+}"),
    ],
)
def test_changed_words_are_marked_and_stand_among_their_neighbours(before, now, expected):
    assert word_diff(before, now) == expected


def test_a_change_of_many_words_is_shown_by_its_ends():
    before, now = (" ".join(f"{letter}{number}" for number in range(5_000)) for letter in "ab")
    removed, added = word_diff(before, now).split(" {+")
    assert removed.startswith("[-a0 a1 ")
    assert removed.endswith(" a4998 a4999-]")
    assert "… 4960 words …" in removed
    assert len(added) < 1_000


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_change_is_shown_and_nothing_invisible_is(before, now):
    shown = word_diff(before, now)
    assert shown.isprintable()
    assert before == now or "[-" in shown or "{+" in shown


def test_a_long_description_shows_only_its_changed_words():
    [change] = changes_between({"description": LONG * 10}, {"description": LONG * 10 + " Also deletes everything."})
    assert change == ("text", "the description has changed: … w26 w27 w28 w29 {+Also deletes everything.+}")
