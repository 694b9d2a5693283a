"""Regular expressions mean what they mean in Python, and no expression and no text makes them take for ever."""

import re
from random import Random
from time import monotonic

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.volumes import examples
from toolkit.builtin.expressions.matching import LineMatcher, StoppedError, find_spans
from toolkit.builtin.expressions.nodes import MalformedExpressionError
from toolkit.builtin.expressions.programs import compile_expression


def always():
    return True


def matches(expression, line, *, ignore_case=False):
    matcher = LineMatcher(compile_expression(expression, ignore_case=ignore_case), always)
    found = matcher.matches(line)
    assert list(matcher.lines(f"\n{line}\r\n\n{line}")) == (
        [
            (number, text)
            for number, text in enumerate(["", line, "", line], 1)
            if matcher.matches(text) and (text or number < 4)
        ]
    )
    return found


def spans(expression, text):
    return list(find_spans(compile_expression(expression), text, always))


@pytest.mark.parametrize(
    ("expression", "line", "expected"),
    [
        ("", "", True),
        ("a.c", "xabcx", True),
        ("a.c", "ac", False),
        ("^a$", "a", True),
        ("^a$", "ab", False),
        (r"\bfoo\b", "a foo.", True),
        (r"\bfoo\b", "afoo", False),
        (r"\Bo", "foo", True),
        ("colou?r", "color", True),
        ("(cat|dog)s?$", "hot dogs", True),
        ("(?:ab){2,3}c", "ababc", True),
        ("(?:ab){2,3}c", "abc", False),
        ("x{,2}y", "xxy", True),
        ("f(", None, False),
        ("def f()", "def f", True),
        (r"f\(\)", "f()", True),
        ("a{b", "a{b", True),
        ("{", "{", True),
        ("a{,}", "a{,}", True),
        ("[]x]", "]", True),
        ("[^]x]", "]", False),
        ("[a-c-]", "-", True),
        (r"[\w-]", "-", True),
        (r"[^\W\d]", "5", False),
        (r"[\]]", "]", True),
        (r"\d+\.\d\d", "12.50", True),
        (r"\x41\u00e5\t", "Aå\t", True),
        ("(?P<year>[0-9]{4})-(?<month>[0-9]{2})", "2024-05", True),
        ("(?i)straße", "STRAßE", True),
        ("ÅSE", "åse", False),
        ("日.語", "日本語", True),
        ("a||b", "", True),
        ("()*", "", True),
        ("(a*)*b", "aaac", False),
        (r"\Aa\Z", "a", True),
        (r"^\p{Lu}\P{L}[\p{Nd}_]$", "Å-5", True),
        (r"\p{Ll}", "Å", False),
    ],
)
def test_matches_as_expected(expression, line, expected):
    if line is None:
        with pytest.raises(MalformedExpressionError):
            compile_expression(expression)
        return
    assert matches(expression, line) is expected


def test_case_can_be_ignored():
    assert matches("Straße [A-C]", "sTRAßE b", ignore_case=True)
    assert matches("ΣΑΣ", "σας", ignore_case=True) is False  # the last letter has a form of its own
    assert matches("k", "\u212a", ignore_case=True)
    assert not matches("[^a]", "A", ignore_case=True)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("(", "a '(' is not closed; write \\( for the sign itself"),
        ("a)", "a ')' closes nothing; write \\) for the sign itself"),
        ("[a", "a '[' is not closed; write \\[ for the sign itself"),
        ("*a", "nothing stands before '*'; write \\* for the sign itself"),
        ("a|+", "nothing stands before '+'; write \\+ for the sign itself"),
        ("a**", "one repeat stands behind another; put the first in parentheses"),
        ("a++", "possessive repeats are left out"),
        ("^*", "a place such as ^ or \\b cannot be repeated"),
        ("a{3,2}", "a repeat has its larger number first"),
        ("a{2000}", "a repeat has at most 1000 times"),
        ("((a{1000}){1000}){1000}", "its repeats make it too large"),
        ("(((){1000}){1000}){1000}", "its repeats make it too large"),
        ("(" * 60 + ")" * 60, "more than 50 parentheses stand in one another"),
        ("a" * 2_000, "it has 2000 characters, at most 1000"),
        ("a\\", "a backslash at the end has nothing to stand before"),
        (r"(a)\1", "references to groups are left out"),
        (r"\q", "\\q has no meaning"),
        (r"\xg1", "\\xg1 is no character"),
        (r"\x1", "\\x1 is no character"),
        (r"\p{X}", "\\p needs a Unicode category behind it, as in \\p{Lu}"),
        ("[z-a]", "a range from 'z' ends nowhere behind it"),
        (r"[a-\d]", "a range from 'a' ends nowhere behind it"),
        ("(?=a)", "look-around, references and flags are left out, but for (?i) at the very start"),
        ("(?<!a)", "look-around, references and flags are left out, but for (?i) at the very start"),
        ("a(?i)", "look-around, references and flags are left out, but for (?i) at the very start"),
        ("(?P=name)", "look-around, references and flags are left out, but for (?i) at the very start"),
    ],
)
def test_what_is_malformed_or_left_out_is_said(expression, reason):
    with pytest.raises(MalformedExpressionError) as caught:
        compile_expression(expression)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("expression", "line"),
    [
        ("^(a+)+$", "a" * 20_000 + "b"),
        ("^(a|a)*$", "a" * 20_000 + "b"),
        ("^(a|aa)+$", "a" * 20_000 + "b"),
        ("(.*)*x", "a" * 20_000),
        (".*.*.*.*.*=.*;", "a" * 20_000),
        (r"(\w+\s?)+:", "word " * 4_000),
        ("(x+x+)+y", "x" * 20_000),
        ("a{0,500}a{0,500}a{0,500}b", "a" * 5_000),
    ],
)
def test_no_expression_is_catastrophic(expression, line):
    end = monotonic() + 20  # backtracking would take longer than the sun will shine
    matcher = LineMatcher(compile_expression(expression), lambda: monotonic() < end)
    assert not matcher.matches(line)


def any_letters(count):
    """Return a text that repeats itself nowhere for long."""
    chance = Random(1)  # noqa: S311 - it is no secret
    return "".join(chance.choice("ab") for _ in range(count))


def test_it_stops_when_time_is_over():
    matcher = LineMatcher(compile_expression("(a|b)*a(a|b){15}c"), lambda: False)
    with pytest.raises(StoppedError):
        matcher.matches(any_letters(20_000))
    with pytest.raises(StoppedError):
        list(find_spans(compile_expression("x"), "a" * 1_000, lambda: False))


def test_memory_is_bounded_by_forgetting_states():
    program = compile_expression("(a|b)*a(a|b){12}c")
    matcher = LineMatcher(program, always)
    line = any_letters(6_000)
    assert not matcher.matches(line)
    assert matcher.matches(f"{line}a{'b' * 12}c")
    assert len(matcher._states) <= 2_000


CHARACTERS = "ab1_ -\n"
atoms = st.sampled_from(
    ["a", "b", "1", ".", "[ab]", "[^a]", r"\d", r"\w", r"\W", r"\s", r"\S", "[a-b1]", r"[^\d_]", "_", "-", " ", "B"]
)
places = st.sampled_from(["^", "$", r"\b", r"\B"])
repeats = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "*?", "+?", "??", "{1,2}?"])


def larger(inner):
    grouped = inner.map("({})".format)
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map("(?:{})".format),
        st.tuples(atoms | grouped, repeats).map("".join),
    )


expressions = st.recursive(atoms | places, larger, max_leaves=8)


@settings(max_examples=examples(600), deadline=None)
@given(expressions, st.text(CHARACTERS.replace("\n", "") + "AB", max_size=12), st.booleans())
def test_the_same_lines_match_as_in_python(expression, line, ignore_case):
    assume(line or r"\B" not in expression)
    flags = re.IGNORECASE if ignore_case else re.NOFLAG
    assert matches(expression, line, ignore_case=ignore_case) is bool(re.search(expression, line, flags))


def may_repeat_nothing(expression):
    """Tell whether a part that may be empty is repeated, where the ways to choose differ."""
    return bool(re.search(r"\)[*+?{]", expression))


@settings(max_examples=examples(600), deadline=None)
@given(expressions.filter(lambda text: not may_repeat_nothing(text)), st.text(CHARACTERS, max_size=12))
def test_the_same_places_are_found_as_in_python(expression, text):
    assume(text or r"\B" not in expression)  # in an empty text some versions of Python find it, and some do not
    expected = [found.span() for found in re.finditer(expression, text, re.MULTILINE)]
    found = spans(expression, text)
    assert found[:1] == expected[:1]
    if all(start < end for start, end in expected):  # behind an empty place Python looks again at the same one
        assert found == expected


def test_places_are_found_as_backtracking_would():
    assert spans("a|ab", "abab") == [(0, 1), (2, 3)]
    assert spans("<.+?>", "<a><b>") == [(0, 3), (3, 6)]
    assert spans("<.+>", "<a><b>") == [(0, 6)]
    assert spans("^b.*$", "a\nb1\nb2\n") == [(2, 4), (5, 7)]


@settings(max_examples=examples(500), deadline=None)
@given(st.text(st.sampled_from("ab()[]{}*+?|\\^$.-,12:<>=!iPdwb"), max_size=14))
def test_no_text_crashes_it(text):
    try:
        program = compile_expression(text)
    except MalformedExpressionError:
        return
    LineMatcher(program, always).matches("ab12 aa")
