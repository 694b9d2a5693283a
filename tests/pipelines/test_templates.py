"""Texts with `${{ }}` in them."""

from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.volumes import examples
from toolkit.pipelines.expressions import ExpressionError, Reference, parse_template  # private

ROOT_DATA: dict[str, Any] = {"prev": "héllo", "index": 2, "item": {"a": None, "b": [1, "ß"], "c": True, "d": 1.5}}


def rendered(text: str) -> Any:
    return parse_template(text).render(ROOT_DATA)


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", ""),
        ("plain { text } {{ here }} }}", "plain { text } {{ here }} }}"),
        ("${{ prev }}", "héllo"),
        ("${{index}}", 2),
        ("${{ item }}", {"a": None, "b": [1, "ß"], "c": True, "d": 1.5}),
        ("${{\n  index\n  + 1\n}}", 3),
        ("${{ index }}${{ index }}", "22"),
        (" ${{ index }}", " 2"),
        (
            "<${{ prev }}|${{ index }}|${{ item.a }}|${{ item.b }}|${{ item.c }}|${{ item.d }}>",
            '<héllo|2|null|[1,"ß"]|true|1.5>',
        ),
        ("${{ {'a': {'b': 1}} }}", {"a": {"b": 1}}),
        ("${{ {'a': {}}}}", {"a": {}}),
        ("${{ '}}' + \"}}\" }}", "}}}}"),
        ("${{ 'it\\'s }}' }}!", "it's }}!"),
        ("${{ [1, {'a': '}'}][1].a }}", "}"),
        ("$${{ prev }}", "${{ prev }}"),
        ("a $${{ b }} ${{ index }} $${{", "a ${{ b }} 2 ${{"),
        ("costs $5 and ${x} and $$ ${{ index }}", "costs $5 and ${x} and $$ 2"),
    ],
)
def test_a_template_renders(text, value):
    assert rendered(text) == value


def test_a_template_tells_what_it_is():
    literal, single, mixed = (
        parse_template("a $${{ b }}"),
        parse_template("${{ prev }}"),
        parse_template("a ${{ prev }}"),
    )
    assert (literal.single, literal.parts) == (False, ("a ${{ b }}",))
    assert single.single
    assert not mixed.single


def test_expressions_know_their_offset():
    template = parse_template("é: ${{ prev }}, ${{\n index}}")
    assert [(expression.source, offset) for expression, offset in template.expressions] == [("prev", 7), ("index", 21)]
    assert template.expressions[0][0].references == (Reference("prev", (), 0, 4),)


SYNTAX_CURE = " (expressions are written as in Python: prev.name, len(prev) > 0)"


@pytest.mark.parametrize(
    ("text", "part", "message"),
    [
        ("a ${{ prev", "${{", "'${{' is not closed (write '}}' after the expression)"),
        ("a ${{ prev }", "${{", "'${{' is not closed (write '}}' after the expression)"),
        ("a ${{ 'x }} b' + 1", "${{", "'${{' is not closed (a quote or a bracket before '}}' is not closed)"),
        ("a ${{ {'x': 1 }}", "${{", "'${{' is not closed (a quote or a bracket before '}}' is not closed)"),
        ("a ${{ len(prev }} b", "(", f"'(' was never closed{SYNTAX_CURE}"),
        ("a ${{ prev) }} b", ")", f"unmatched ')'{SYNTAX_CURE}"),
        ("a ${{ }} b", "${{ }}", "the expression is empty"),
        ("${{}}", "${{}}", "the expression is empty"),
        ("é ${{ prev }} ${{  prv }}", "prv", "there is no 'prv' (did you mean 'prev'?)"),
        ("é ${{ prev }} ${{\n item.e }}", "item.e", "'item' has no 'e' (it has 'a', 'b', 'c', 'd')"),
        ("${{ 'don't' }}", "'", f"unterminated string literal{SYNTAX_CURE}"),
    ],
)
def test_an_error_has_its_place_in_the_whole_text(text, part, message):
    with pytest.raises(ExpressionError) as raised:
        rendered(text)
    error = raised.value
    assert (text[error.offset : error.offset + error.length], str(error)) == (part, message)


def test_a_text_that_would_be_too_long_is_refused():
    with pytest.raises(ExpressionError, match="the text would be longer than 10,000,000 characters"):
        parse_template("${{ prev }}" * 11 + "!").render({"prev": "x" * 1_000_000})


def test_what_is_no_json_does_not_become_text():
    with pytest.raises(ExpressionError) as raised:
        parse_template("at ${{ prev }}").render({"prev": {1, 2}})
    assert (str(raised.value), raised.value.offset) == ("a value of the type 'set' is not JSON data", 7)


@given(st.text() | st.text("${}' \"[]()ax\\"))
@settings(max_examples=examples(800), deadline=None)
def test_any_text_is_a_template_or_an_error_inside_it(text):
    try:
        value = parse_template(text).render({"item": 1})
    except ExpressionError as raised:
        value = raised
    if isinstance(value, ExpressionError):
        assert 0 <= value.offset <= len(text)
        assert 0 < value.length <= max(len(text) - value.offset, 1)
    else:
        assert "${{" in text or value == text


@given(st.lists(st.text().filter(lambda text: "${{" not in text and not text.endswith("$")), min_size=2), st.text())
@settings(max_examples=examples(300), deadline=None)
def test_texts_and_values_are_joined_in_their_order(texts, value):
    template = parse_template("${{ prev }}".join(texts))
    assert template.render({"prev": value}) == (value.join(texts) if not template.single else value)
