"""Values that some programs read in another way are pointed out."""

from typing import Any

import pytest

from toolkit.documents import find_traps, parse_document, plain
from toolkit.problems import Problem


def parsed(text: str) -> tuple[Any, list[Problem]]:
    return parse_document(text, "f")


def warnings_of(text: str) -> list[str]:
    node, problems = parsed(text)
    assert problems == []
    return [str(problem) for problem in find_traps(node)]


@pytest.mark.parametrize(
    ("written", "warning"),
    [
        ("on", "'on' is text here, but true in YAML 1.1 (write true, or put quotes around it)"),
        ("Yes", "'Yes' is text here, but true in YAML 1.1 (write true, or put quotes around it)"),
        ("NO", "'NO' is text here, but false in YAML 1.1 (write false, or put quotes around it)"),
        ("off", "'off' is text here, but false in YAML 1.1 (write false, or put quotes around it)"),
        ("12:30", "'12:30' is text here, but a base-60 number in YAML 1.1 (put quotes around it)"),
        ("1_000", "'1_000' is text here, but a number in YAML 1.1 (write 1000, or put quotes around it)"),
        ("0123", "'0123' is the number 123 here, but an octal number in YAML 1.1 (put quotes around it if it is text)"),
        ("1.10", "'1.10' is the number 1.1 (put quotes around it if it is text)"),
    ],
)
def test_a_trap_is_pointed_out_with_its_hint(written, warning):
    assert warnings_of(f"a: [{written}]\n") == [f"f:1:5: warning[TK618]: {warning}"]


def test_braces_without_dollar_are_pointed_out_where_they_stand():
    assert warnings_of("a: 'Dear {{ name }}'\n") == [
        "f:1:10: warning[TK618]: '{{ }}' without '$' is plain text (write ${{ name }})"
    ]


def test_a_comment_that_cuts_an_expression_off_is_pointed_out():
    assert warnings_of("a: ${{ prev # all of it }}\n") == [
        "f:1:4: warning[TK618]: the rest of the line is a comment, since ' #' begins one (put quotes around the text)"
    ]


def test_what_is_no_trap_is_left_alone():
    text = """
    on: "on"
    no: 'No'
    words: [true, false, null, none, oN, y, n, only, off-by-one]
    numbers: [0, 1, 10, 100, 1.5, 0.25, 10.0, 1e10, 0x10, 1.2.3, 2024-01-01, -5, "12:30"]
    texts: ["${{ {'a': {}} }}", "${{ prev }}", "{ {x} }", "a # b", "12:30 o'clock", "12:99"]
    """
    node, _ = parsed(text)
    assert isinstance(plain(node), dict)
    assert find_traps(node) == []
