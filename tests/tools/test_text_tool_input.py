"""What a text tool receives for each form of arguments: it never fails to parse."""

from pathlib import PurePosixPath

import pytest
from hypothesis import given, strategies as st

from toolkit import from_object


class Echo:
    name = "echo"
    description = "Says what it was given."

    def execute(self, text):
        assert isinstance(text, str)
        return text


(ECHO,) = from_object(Echo())


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("arguments", "received"),
    [
        (None, ""),
        (5, "5"),
        ([1, "two"], '[1,"two"]'),
        ('{"input": "2 + 3"}', "2 + 3"),
        ('{"input": ""}', ""),
        ('{"input": "x", "more": 1}', "x"),
        ('{"input": "first", "input": "last"}', "last"),
        ('{"input": "æøå 🙂"}', "æøå 🙂"),
        ('{"input": 42}', "42"),
        ('{"input": 4.50}', "4.5"),
        ('{"input": true}', "true"),
        ('{"input": false}', "false"),
        ('{"input": {"a": 1, "b": "x"}}', '{"a":1,"b":"x"}'),
        ('{"input": [1, "two", null]}', '[1,"two",null]'),
        ('{"input": null}', '{"input": null}'),
        ('{"other": "x"}', '{"other": "x"}'),
        ('{"Input": "x"}', '{"Input": "x"}'),
        ("{}", "{}"),
        ("", ""),
        ("   ", "   "),
        ("2 + 3", "2 + 3"),
        ("{broken", "{broken"),
        ('["input"]', '["input"]'),
        ('"input"', '"input"'),
        ("null", "null"),
        ('{"input": "x"} junk', '{"input": "x"} junk'),
    ],
)
def test_a_text_tool_receives(arguments, received):
    assert ECHO.run(arguments).output == received


@pytest.mark.parametrize(
    ("arguments", "received"),
    [
        ({"input": "x"}, "x"),
        ({"input": 1.0}, "1.0"),
        ({"input": {"å": (1, 2)}}, '{"å":[1,2]}'),
        ({"input": None}, '{"input":null}'),
        ({"input": PurePosixPath("a/b")}, '"a/b"'),
        ({}, "{}"),
        ({"city": "Oslo"}, '{"city":"Oslo"}'),
    ],
)
def test_a_text_tool_receives_a_mapping_as_text(arguments, received):
    assert ECHO.run(arguments).output == received


def test_a_mapping_that_contains_itself_is_a_bad_argument():
    endless = {}
    endless["input"] = endless
    assert ECHO.run(endless).error_code == "invalid_arguments"


@given(st.text())
def test_any_text_at_all_reaches_a_text_tool_as_it_came_unless_it_is_an_object_with_input(text):
    assert ECHO.run(text).output == text


@given(st.text())
def test_any_text_given_as_input_arrives_unchanged(text):
    assert ECHO.run({"input": text}).output == text


@pytest.mark.parametrize("depth", [150, 10_000])
def test_deep_nesting_is_text_like_any_other(depth):
    text = '{"a":' * depth + "1" + "}" * depth
    assert ECHO.run(text).output == text
