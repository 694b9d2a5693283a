"""Malformed JSON is mended once, for what a model sent, and never where it parses."""

import json

import pytest
from hypothesis import given, strategies as st

from toolkit import ToolContext, from_function, from_object
from toolkit.tools import repaired


def show(a: int, b: str = "") -> str:
    """Shows."""
    return f"{a} {b!r}"


SHOW = from_function(show)
BY_MODEL = ToolContext(chosen_by="model")

MENDED = [
    ('{"a": 1,}', "1 ''"),
    ('{"a": 1, "b": "x" ,\n}', "1 'x'"),
    ('```json\n{"a": 1}\n```', "1 ''"),
    ('```\n{"a": 1,}\n```', "1 ''"),
    ('"{\\"a\\": 1,}', None),
    ('"{"a": 1}"', "1 ''"),
    ('"{\\"a\\": 1}" ', "1 ''"),
    ('"[1]"', None),
    ('{"a": 1, "b": "keep ,} this, ]",}', "1 'keep ,} this, ]'"),
    ('{"a": 1, "b": "keep \\",} this",}', "1 'keep \",} this'"),
    ("{'a': 1}", None),
    ('{"a": 1', None),
    ('{"a": 1} {"a": 2}', None),
    ("[1,]", None),
    ("a = 1", None),
]


@pytest.mark.parametrize(("sent", "output"), MENDED)
def test_what_a_model_sent_is_mended_or_refused(sent, output):
    result = SHOW.run(sent, BY_MODEL)
    assert (result.output or None) == output
    assert result.error_code == (None if output else "invalid_arguments")


@pytest.mark.parametrize("sent", [sent for sent, output in MENDED if output])
def test_what_a_person_sent_is_never_mended(sent):
    assert SHOW.run(sent).error_code == "invalid_arguments"


@given(st.text())
def test_text_that_parses_is_never_touched_but_an_object_written_twice(text):
    assert repaired(json.dumps(json.dumps({text: text}))) == json.dumps({text: text})
    for parsing in (
        json.dumps(f"a {text}"),
        json.dumps({text: text}),
        json.dumps([text, {"a": [text]}], ensure_ascii=False),
    ):
        assert repaired(parsing) == parsing


@given(st.text() | st.text('{}[]",`\n\\ a:1'))
def test_what_is_mended_is_an_object_and_everything_else_stays_as_it_came(text):
    mended = repaired(text)
    assert mended == text or isinstance(json.loads(mended), dict)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_mending_a_trailing_comma_changes_no_value(data):
    spoilt = json.dumps(data)[:-1] + ",}" if data else "{}"
    assert json.loads(repaired(spoilt)) == data


@pytest.mark.parametrize(
    "text", ["```" + "\n" * 200_000, "```json" + " \n" * 100_000 + "```", '{"a": ' + "," * 200_000, '"' * 200_001]
)
def test_mending_takes_no_longer_than_reading(text):
    assert repaired(text) == text


class Echo:
    name = "echo"
    description = "Says what it was given."

    def execute(self, text):
        return text


def test_a_text_tool_gets_free_text_of_a_model_as_it_came():
    (echo,) = from_object(Echo())
    assert [echo.run(sent, BY_MODEL).output for sent in ("[1, 2,]", "x ,}", '{"input": "x",}')] == [
        "[1, 2,]",
        "x ,}",
        "x",
    ]
