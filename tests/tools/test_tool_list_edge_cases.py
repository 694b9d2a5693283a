"""Every edge case that a list of tools and a call of one can meet."""

import re
from pathlib import Path
from typing import Any

import pytest

from toolkit import InvalidTools, ToolResult, from_function, from_object, resolve_tools, tool
from toolkit.problems import Location

HERE = str(Path(__file__))


def line_of(text):
    """Return the number of the one line of this file that is exactly this, apart from indentation."""
    lines = [line.strip() for line in Path(__file__).read_text("utf-8").splitlines()]
    assert lines.count(text) == 1, text
    return lines.index(text) + 1


def problems_of(*candidates):
    with pytest.raises(InvalidTools) as caught:
        resolve_tools(candidates)
    return list(caught.value.problems)


class Search:
    name = "web_search"
    description = "Search the web. Input: search query string."

    def execute(self, text):
        return f"results for {text}"


class Answering:
    """A text tool that answers with whatever it was made with, or raises it."""

    def __init__(self, answer):
        self.name, self.description = "answering", "Answers."
        self._answer = answer

    def execute(self, text):
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer


class Sums:
    @tool
    def add(self, a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    def helper(self):
        return "no tool"


@tool
def forecast(city: str) -> str:
    """Tells the weather of tomorrow."""
    return f"rain in {city}"


def test_an_empty_list_is_valid():
    assert resolve_tools([]) == {}


def test_all_kinds_mix_in_one_list_and_keep_its_order():
    ready = from_function(lambda x: x, name="ready", description="Is ready.")
    tools = resolve_tools([Search(), Sums(), forecast, ready])
    assert list(tools) == ["web_search", "add", "forecast", "ready"]
    assert [tool.run({"input": "x", "a": 1, "b": 2, "city": "Oslo", "x": 5}).output for tool in tools.values()] == [
        "results for x",
        "3",
        "rain in Oslo",
        "5",
    ]


def test_a_text_tool_is_told_as_one_required_text():
    assert resolve_tools([Search()])["web_search"].spec.definition == {
        "name": "web_search",
        "description": "Search the web. Input: search query string.",
        "parameters": {
            "type": "object",
            "properties": {"input": {"type": "string", "description": "The input to pass to the tool"}},
            "required": ["input"],
        },
    }


@pytest.mark.parametrize("name", ["", "   ", "\t\n"])
def test_a_blank_name_is_refused(name):
    @tool(name=name or " ")
    def nameless():
        """Does nothing."""

    text_tool = Search()
    text_tool.name = name
    codes = [(problem.code, problem.message) for problem in problems_of(nameless, text_tool)]
    assert codes == [("TK101", "the name of a tool must not be blank")] * 2


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("get-forecast!", "get_forecast"),
        ("a b", "a_b"),
        ("server.tool", "server_tool"),
        ("naïve", "na_ve"),
        ("emoji🙂", "emoji"),
        ("line\n", "line"),
        ("٣", "tool"),
    ],
)
def test_a_name_with_special_characters_is_refused_with_a_legal_one(name, hint):
    text_tool = Search()
    text_tool.name = name
    (problem,) = problems_of(text_tool)
    assert (problem.code, problem.message, problem.hint) == (
        "TK101",
        f"invalid tool name {name!r}: only letters, digits, underscores and hyphens are allowed",
        f"call it {hint!r}",
    )
    assert (problem.location.file, problem.location.line) == (HERE, line_of("class Search:"))


def test_a_name_may_have_hyphens():
    text_tool = Search()
    text_tool.name = "search-the-web"
    assert list(resolve_tools([text_tool])) == ["search-the-web"]


def test_a_name_that_is_no_text_is_refused():
    text_tool: Any = Search()
    text_tool.name = 5
    assert [problem.message for problem in problems_of(text_tool)] == ["the name of a tool must be text, not int"]


def test_two_tools_of_one_name_are_refused_with_both_places_and_the_hint():
    @tool(name="forecast")
    def weather_elsewhere(city: str) -> str:
        """Tells the weather elsewhere."""
        return city

    (problem,) = problems_of(forecast, weather_elsewhere)
    first = line_of("def forecast(city: str) -> str:")
    second = line_of("def weather_elsewhere(city: str) -> str:")
    assert problem.code == "TK103"
    assert problem.message == "duplicate tool name 'forecast'"
    assert problem.location == Location(HERE, second, 9, second, 26)
    assert problem.related == ((Location(HERE, first, 5, first, 13), "first defined here"),)
    assert problem.hint == "rename one: @tool(name='other_forecast') or tool.with_name('other_forecast')"


def test_duplicates_of_any_two_kinds_are_refused():
    typed = from_function(lambda input: input, name="web_search", description="Searches.")
    assert [problem.code for problem in problems_of(Search(), typed)] == ["TK103"]
    assert [problem.code for problem in problems_of(Search(), Search(), Search())] == ["TK103", "TK103"]


def test_renamed_duplicates_still_have_their_places():
    (problem,) = problems_of(from_function(forecast).with_name("x"), from_function(forecast).with_name("x"))
    line = line_of("def forecast(city: str) -> str:")
    assert (problem.location.line, problem.related[0][0].line) == (line, line)


def test_two_methods_of_one_object_that_share_a_name_are_refused():
    class Twins:
        @tool(name="twin")
        def one(self):
            """Is the first."""

        @tool(name="twin")
        def two(self):
            """Is the second."""

    with pytest.raises(InvalidTools, match="duplicate tool name 'twin'"):
        from_object(Twins())


def test_names_are_told_apart_by_case():
    assert list(resolve_tools([forecast, from_function(forecast).with_name("Forecast")])) == ["forecast", "Forecast"]


def test_what_execute_raises_is_a_failed_result():
    (answering,) = from_object(Answering(RuntimeError("the line is dead")))
    assert answering.run('{"input": "x"}') == ToolResult(error="the line is dead", error_code="error")
    assert answering.run('{"input": "x"}').text == "Error: the line is dead"


def test_what_execute_raises_without_words_has_a_message_too():
    (answering,) = from_object(Answering(ValueError()))
    assert answering.run("").text == "Error: ValueError"


def test_none_from_execute_is_an_empty_success():
    (answering,) = from_object(Answering(None))
    assert answering.run("{}") == ToolResult("")


def test_a_failure_from_execute_is_what_the_caller_gets():
    (answering,) = from_object(Answering(ToolResult.failure("no such page", "not_found")))
    assert answering.run("{}") == ToolResult(error="no such page", error_code="not_found")
    assert answering.run("{}").text == "Error: no such page"


def test_a_failure_without_a_message_says_so_and_an_empty_one_stays_empty():
    assert ToolResult.failure(None) == ToolResult(error="Tool execution failed with no message")
    assert ToolResult.failure("").text == "Error: "
    assert ToolResult.success(None) == ToolResult("")


def test_an_object_that_is_neither_is_refused_with_its_type_and_a_hint():
    class Neither:
        pass

    (problem,) = problems_of(Neither())
    assert problem.code == "TK003"
    assert re.fullmatch(r"an object of type '.*Neither' is not a tool", problem.message)
    assert problem.hint == "mark its methods with @tool, or give it a name, a description and execute(text)"
    assert (problem.location.file, problem.location.line) == (HERE, line_of("class Neither:"))


@pytest.mark.parametrize(
    ("candidate", "message", "hint"),
    [
        (None, "tools[0]: an object of type 'builtins.NoneType' is not a tool", "mark its methods"),
        (5, "tools[0]: an object of type 'builtins.int' is not a tool", "mark its methods"),
        (line_of, "the function 'line_of' is not marked as a tool", "from_function(line_of)"),
        (Sums, "'Sums' is a class", "create an object: Sums()"),
        (Search, "'Search' is a class", "create an object: Search()"),
    ],
)
def test_what_is_no_tool_is_refused_with_a_cure_of_its_own(candidate, message, hint):
    (problem,) = problems_of(candidate)
    assert (problem.code, problem.message) == ("TK003", message)
    assert hint in problem.hint


def test_everything_that_is_wrong_with_a_list_is_told_at_once():
    bad = Search()
    bad.name = "web search"
    assert [problem.code for problem in problems_of(forecast, 5, bad, forecast, None)] == [
        "TK003",
        "TK101",
        "TK003",
        "TK103",
    ]


def test_an_object_that_fails_to_say_its_name_hides_no_other_problem():
    class Moody:
        def execute(self, text):
            return text

        def name(self):
            raise RuntimeError("not today")

    problems = problems_of(Moody(), 5)
    assert [problem.code for problem in problems] == ["TK003", "TK003"]
    assert problems[0].message.endswith("Moody' cannot be read: RuntimeError: not today")


def test_name_and_description_may_be_methods():
    class Methodical:
        def name(self):
            return "methodical"

        def description(self):
            return "Has methods."

        def execute(self, text):
            return text

    (methodical,) = from_object(Methodical())
    assert (methodical.name, methodical.description) == ("methodical", "Has methods.")


def test_marks_on_an_adapted_object_are_its_own():
    dangerous: Any = Search()
    dangerous.destructive, dangerous.requires_approval = True, True
    (adapted,) = from_object(dangerous)
    assert adapted.spec.risk.labels == ("DESTRUCTIVE", "requires approval")


def test_a_missing_description_is_a_warning_and_stops_nothing():
    silent = Search()
    silent.description = ""
    assert list(resolve_tools([silent])) == ["web_search"]


def test_the_same_tool_given_twice_is_one_tool():
    ready = from_function(forecast)
    assert list(resolve_tools([ready, ready])) == ["forecast"]


def test_an_object_that_fails_when_looked_at_is_no_tool():
    class Proxy:
        def __getattr__(self, name):
            raise RuntimeError("working outside of a request")

    (problem,) = problems_of(Proxy())
    assert (problem.code, problem.message.endswith("Proxy' is not a tool")) == ("TK003", True)
