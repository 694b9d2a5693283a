"""Regular expressions mean what they mean in Python, and no expression and no text makes them take for ever."""

import re
from contextlib import suppress
from time import monotonic

import pytest
from hypothesis import assume, given, settings, strategies as st

from tests.volumes import examples
from toolkit.builtin.regular_expressions import find_matches  # private
from toolkit.regex_checks import (
    MalformedExpressionError,
    TooMuchWorkError,
    check_expression,
    compile_line_expression,  # private
)  # private


def matches(expression, line, *, ignore_case=False):
    return compile_line_expression(expression, ignore_case=ignore_case).matches(line)


def places(expression, text):
    return list(find_matches(expression, text, lambda: True))


@pytest.mark.proof(everyday=10)
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
        ("def f()", "def f", True),
        (r"f\(\)", "f()", True),
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
        (r"\Aa\z", "a", True),
        (r"x{0,2}y\{", "xxy{", True),
        (r"^\p{Lu}\P{L}[\p{Nd}_]$", "Å-5", True),
        (r"\p{Ll}", "Å", False),
    ],
)
def test_matches_as_expected(expression, line, expected):
    assert matches(expression, line) is expected


def test_case_can_be_ignored():
    assert matches("Straße [A-C]", "sTRAßE b", ignore_case=True)
    assert matches("k", "\u212a", ignore_case=True)
    assert not matches("[^a]", "A", ignore_case=True)


@pytest.mark.proof(everyday=6)
@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("(", "unclosed group: '(' at character 1; write \\( to match it literally"),
        ("a)", "unopened group: ')' at character 2; write \\) to match it literally"),
        ("[a", "unclosed character class: '[' at character 1; write \\[ to match it literally"),
        ("a|+", "repetition operator missing expression: '+' at character 3; write \\+ to match it literally"),
        ("f{", "unclosed counted repetition: '{' at character 2; write \\{ to match it literally"),
        ("a{3,2}", "invalid repetition count range, the start must be <= the end: '{3,2}' at character 2"),
        ("a\\", "incomplete escape sequence, reached end of pattern prematurely: '\\' at character 2"),
        (r"\q", "unrecognized escape sequence: '\\q' at character 1"),
        (r"\p{X}", "Unicode property not found: '\\p{X}' at character 1"),
        ("[z-a]", "invalid character class range, the start must be <= the end: 'z-a' at character 2"),
        (r"(a)\1", "backreferences are not supported: '\\1' at character 4"),
        ("(?=a)", "look-around, including look-ahead and look-behind, is not supported: '(?=' at character 1"),
        ("日\t\n(?<!a)", "look-around, including look-ahead and look-behind, is not supported: '(?<!' at character 4"),
        ("a(?P=name)", "unrecognized flag: '(?P' at character 2"),
        ("a(?>b)", "unrecognized flag: '(?>' at character 2"),
        ("(?x)a b", "the flag x is not supported: '(?x' at character 1"),
        ("[a[b]]", "a '[' within '[…]' needs a backslash before it: '[' at character 1"),
        ("[a&&b]", "'&&', '--' and '~~' within '[…]' need a backslash before each sign: '[a&&b]' at character 1"),
        ("a{ 2 }", "a counted repeat cannot contain spaces: '{ 2 }' at character 2"),
        ("a\ud800", "half of a surrogate pair: '\\ud800' at character 2"),
        ("a" * 2_000, "it has 2000 characters, at most 1000 are allowed"),
        ("a{6000}", "its repeats make it too large: 6000 parts, at most 5000 are allowed"),
        ("(((){1000}){1000}){1000}", "its repeats make it too large: 1001001000 parts, at most 5000 are allowed"),
        ("(a{100}[)]){100}", "its repeats make it too large: 10200 parts, at most 5000 are allowed"),
        ("([(]x{100}){100}", "its repeats make it too large: 10200 parts, at most 5000 are allowed"),
        ("((a{1000}){1000}){1000}", "its repeats make it too large"),
        (r"(\w{60})+{90}", "its repeats make it too large"),
    ],
)
def test_what_is_malformed_unsupported_or_too_large_is_named_with_its_place(expression, reason):
    for match in (matches, places):
        with pytest.raises(MalformedExpressionError) as caught:
            match(expression, "a")
        assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("expression", "parts"),
    [
        ("", 0),
        ("abc", 3),
        ("[a-z]+", 2),
        (r"\p{Lu}\x{41}", 2),
        ("a{3}b{2,5}c{4,}", 12),
        ("(?:ab){10}", 30),
        ("((a{10}){10}){10}", 1_110),
        ("(a{10})+{10}", 111),
        ("(a{10})?{10}{10}", 1_101),
        (r"[]()\]{10}]{20}", 20),
        (r"\({10}[[:alpha:]{10}]{3}", 13),
    ],
)
def test_parts_are_counted_with_repeats_written_out(expression, parts):
    assert check_expression(expression) == parts


@pytest.mark.proof(everyday=2)
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
    assert not matches(expression, line)
    assert list(find_matches(f"(?:{expression})b", line, lambda: monotonic() < end)) == []
    assert monotonic() < end


def test_a_text_that_is_too_long_for_the_expression_is_refused():
    expression = "[ab]*a[ab]{999}c"
    for match in (matches, places):
        assert not match(expression, "ab" * 1_000)
        with pytest.raises(TooMuchWorkError):
            match(expression, "ab" * 100_000)


def test_finding_places_stops_when_time_is_over():
    with pytest.raises(TooMuchWorkError):
        list(find_matches("a", "aaa", lambda: False))


@pytest.mark.parametrize(
    ("expression", "text", "letter"),
    [
        (r"\w+", "straße", "ß"),
        (r"e\b", "eé", "é"),
        (r"\bt", "ét", "é"),
        (r"\S+", "a\u00a0", "\u00a0"),
        (r"\W+", "a é b", "é"),
        (r"\d+", "1٢", "٢"),
    ],
)
def test_classes_that_know_only_ascii_never_cut_a_word_in_two(expression, text, letter):
    with pytest.raises(
        MalformedExpressionError, match=f"matches only ASCII characters, but there is '{letter}' in or next to a match"
    ):
        places(expression, text)


def test_what_stands_elsewhere_may_be_any_character():
    assert places(r"\w+ = \d+", "é\nx = 12 — €") == [(2, 8)]
    assert places(r"[\p{L}]+", "12 straße") == [(3, 9)]


def test_what_only_one_engine_knows_is_named_with_its_place():
    assert matches(r"a\u00e5", "aå")
    with pytest.raises(MalformedExpressionError) as caught:
        places(r"a\u00e5", "aå")
    assert str(caught.value) == r"invalid escape sequence: '\u' at character 2"


CHARACTERS = "ab1_ -\n"
atoms = st.sampled_from(
    ["a", "b", "1", ".", "[ab]", "[^a]", r"\d", r"\w", r"\W", r"\s", r"\S", "[a-b1]", r"[^\d_]", "_", "-", " ", "B"]
)
edges = st.sampled_from(["^", "$", r"\b", r"\B"])
repeats = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{0,2}", "{1,}", "*?", "+?", "??", "{1,2}?"])


def larger(inner):
    grouped = inner.map("({})".format)
    return st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map("(?:{})".format),
        st.tuples(atoms | grouped, repeats).map("".join),
    )


expressions = st.recursive(atoms | edges, larger, max_leaves=8)


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
    found = places(expression, text)
    assert found[:1] == expected[:1]
    if all(start < end for start, end in expected):  # behind an empty place Python looks again at the same one
        assert found == expected


def test_places_are_found_as_backtracking_would():
    assert places("a|ab", "abab") == [(0, 1), (2, 3)]
    assert places("<.+?>", "<a><b>") == [(0, 3), (3, 6)]
    assert places("<.+>", "<a><b>") == [(0, 6)]
    assert places("^b.*$", "a\nb1\nb2\n") == [(2, 4), (5, 7)]


@settings(max_examples=examples(500), deadline=None)
@given(st.text(st.sampled_from("ab()[]{}*+?|\\^$.-,12:<>=!iPdwbé\n\ud800&~xu"), max_size=14))
def test_no_text_crashes_it(text):
    for match in (matches, places):
        with suppress(MalformedExpressionError):
            match(text, "ab12 aa")
