"""What a tool raises becomes a result that keeps the class of the exception and the line that raised it."""

import asyncio
import logging
from pathlib import Path

import pytest

from toolkit import Pipeline, ToolContext, ToolExecutionError, ToolResult, from_function
from toolkit.builtin import JsonParser
from toolkit.tools.calls.results import Raised  # private

HERE = Path(__file__)


class Base(BaseException):
    pass


class Exiting(Exception):
    def __str__(self):
        raise SystemExit(3)

    __repr__ = __str__


def raising(error):
    def act() -> str:
        """Acts."""
        raise error

    return from_function(act)


def line_of(text):
    """Return the number of the first line of this file that holds a text."""
    return next(number for number, line in enumerate(HERE.read_text().splitlines(), 1) if text in line)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AssertionError(), "AssertionError"),
        (NotImplementedError(), "NotImplementedError"),
        (ValueError("  "), "ValueError"),
        (ValueError("bad value"), "bad value"),
        (Exiting(), "Exiting"),
        (Base("base"), "Base: base"),
        (Base(), "Base"),
        (BaseExceptionGroup("several", [Base()]), "BaseExceptionGroup: several (1 sub-exception)"),
        (StopIteration(), "StopIteration"),
        (StopIteration("ended"), "ended"),
        (asyncio.CancelledError(), "the tool waited for something that was cancelled"),
        (ToolExecutionError(" "), "ToolExecutionError"),
    ],
)
def test_every_exception_is_a_failed_result_that_says_something(error, words):
    tool = raising(error)
    assert tool.run() == ToolResult.failure(words, "error")
    assert asyncio.run(tool.call()) == ToolResult.failure(words, "error")


def test_a_stop_iteration_is_shown_with_its_class_and_its_line():
    def first(numbers: list[int]) -> int:
        """Return the first number."""
        return next(iter(numbers))  # an empty list has none

    async def first_async(numbers: list[int]) -> int:
        """Return the first number."""
        return first(numbers)

    line = line_of("# an empty list has none")
    for function in (first, first_async):
        result = from_function(function).run({"numbers": []})
        assert (result.error, result.raised.kind, result.raised.place.line) == ("StopIteration", "StopIteration", line)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BaseExceptionGroup("g", [KeyboardInterrupt()])])
def test_an_interrupt_ends_more_than_the_call(error):
    with pytest.raises(type(error)):
        raising(error).run()


def work(number: int) -> str:
    """Works."""
    assert helped(number)  # this one
    return "done"


def helped(number):
    return int(f"x{number}")  # that one


def test_a_result_knows_the_class_and_the_innermost_line_of_its_author():
    raised = from_function(work).run({"number": 1}).raised
    assert raised is not None
    assert (raised.kind, raised.words) == ("ValueError", "invalid literal for int() with base 10: 'x1'")
    assert raised.place == (str(HERE), line_of("# that one"), 12, line_of("# that one"), 29)


def parse(text: str) -> str:
    """Parses."""
    import json

    return json.loads(text)  # called here


def test_the_line_is_the_authors_also_where_a_library_raised():
    raised = from_function(parse).run({"text": "?"}).raised
    assert raised is not None
    assert (raised.kind, raised.place and raised.place.line) == ("JSONDecodeError", line_of("# called here"))


def test_a_function_without_source_has_a_class_alone():
    assert from_function(len, name="size", description="Counts.").run({"obj": 5}).raised == Raised(
        "TypeError", "object of type 'int' has no len()", None
    )


def test_what_a_tool_says_in_its_own_words_and_what_ours_say_needs_no_class():
    assert raising(ToolExecutionError("cannot")).run().raised is None
    assert JsonParser().run({"input": "nothing"}).raised is None


def test_a_pipeline_keeps_what_its_step_raised():
    raised = Pipeline.of(raising(ValueError("bad value")), name="p", description="P.").run("x").raised
    assert (raised and raised.kind, raised and raised.place and raised.place.file) == ("ValueError", str(HERE))


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("bad", "ValueError: bad"),
        ("item 3 of 4: bad", "item 3 of 4: ValueError: bad"),
        ("ValueError", "ValueError"),
        ("it failed", "it failed (ValueError)"),
    ],
)
def test_the_class_is_named_once_before_the_words(message, named):
    assert Raised("ValueError", "bad", None).named_in(message) == named


def test_the_log_has_the_traceback_from_the_first_line_of_the_tool(caplog):
    with caplog.at_level(logging.DEBUG, logger="toolkit.tools"):
        from_function(work).run({"number": 1}, ToolContext())
    told = caplog.text
    assert 'int(f"x{number}")' in told
    assert 'calling.py"' not in told
    assert 'functions.py"' not in told
