"""Tools that are classes: typed ones with an input of their own, and those that take one text."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from toolkit import (
    InvalidTools,
    Tool,
    ToolExecutionError,
    ToolResult,
    ToolSpec,
    TypedTool,
    from_function,
    resolve_tools,
)
from toolkit.tools import TextTool
from toolkit.tools.definition.spec import TEXT_PARAMETERS  # private


class Person(BaseModel):
    """Somebody."""

    name: str = Field(description="The first name")
    age: int | None = None


@dataclass
class Place:
    street: str


class Options(TypedDict, total=False):
    loud: bool


PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "description": "The first name"},
        "age": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
    },
    "required": ["name"],
}


class Greet(TypedTool[Person]):
    """Greets a person by name."""

    name = "greet"
    read_only = True
    examples = ({"name": "Ada"},)

    def execute(self, input: Person) -> str:
        return f"Hello, {input.name} ({type(input).__name__})!"


def line_of(text):
    lines = [line.strip() for line in Path(__file__).read_text("utf-8").splitlines()]
    return lines.index(text) + 1


def test_a_typed_tool_is_told_as_its_input_type():
    assert Greet().spec == ToolSpec(
        "greet",
        "Greets a person by name.",
        PERSON,
        output_schema={"type": "string"},
        read_only=True,
        examples=({"name": "Ada"},),
        source=__file__,
    )
    location = Greet().spec.location
    assert location is not None
    assert (location.line, location.column) == (line_of("class Greet(TypedTool[Person]):"), 7)


def test_a_typed_tool_receives_an_instance_of_its_input_type():
    assert Greet().run('{"name": "Ada", "unknown": 1}') == ToolResult("Hello, Ada (Person)!")
    assert Greet().run({"age": "old"}).error == (
        "Missing required parameter(s): name; Invalid parameter 'age': must be a whole number, not \"old\""
    )


@pytest.mark.parametrize(
    ("input_type", "arguments", "received"),
    [(Place, '{"street": "a"}', "Place(street='a')"), (Options, '{"loud": true}', "{'loud': True}")],
)
def test_dataclasses_and_typed_dicts_are_inputs_too(input_type, arguments, received):
    tool = TypedTool(name="show", description="Shows.", input_type=input_type, function=repr)
    assert tool.run(arguments).output == received


def show(given: Person) -> Place:
    """Shows where somebody lives."""
    return Place(f"the street of {given.name}")


def test_a_typed_tool_is_made_of_a_function():
    tool = TypedTool(input_type=Person, function=show, idempotent=True)
    street = {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]}
    assert tool.spec == ToolSpec(
        "show",
        "Shows where somebody lives.",
        PERSON,
        output_schema=street,
        idempotent=True,
        source=__file__,
    )
    location = tool.spec.location
    assert location is not None
    assert (location.line, location.column) == (line_of("def show(given: Person) -> Place:"), 5)
    assert tool.run({"name": "Ada"}).structured == {"street": "the street of Ada"}


def test_what_is_given_wins_over_what_the_function_says():
    tool = TypedTool(name="other", description="Is other.", input_type=Person, output_type=int, function=show)
    assert (tool.name, tool.description, tool.spec.output_schema) == ("other", "Is other.", {"type": "integer"})


def test_unknown_options_are_refused_at_once():
    with pytest.raises(InvalidTools, match="unknown option 'destructiv'"):
        TypedTool(input_type=Person, function=show, destructiv=True)  # type: ignore[call-arg]


def test_the_input_type_is_found_through_generic_bases_and_may_be_set_again():
    kind = TypeVar("kind", bound=BaseModel)

    class Showing(TypedTool[kind], Generic[kind]):
        description = "Shows."

        def execute(self, input):
            return type(input).__name__

    class ShowPerson(Showing[Person]):
        name = "show_person"

    class ShowPlace(ShowPerson):
        name = "show_place"
        input_type = Place

    assert [tool().run({"name": "a", "street": "b"}).output for tool in (ShowPerson, ShowPlace)] == ["Person", "Place"]


@pytest.mark.parametrize(
    ("tool", "messages"),
    [
        (TypedTool(name="x", description="X.", function=show), ["tool 'x' has no input type"]),
        (
            TypedTool(name="x", description="X.", input_type=list[int], function=show),
            ["the input of 'x' must be an object with named fields"],
        ),
        (
            TypedTool(name="a b", description="X.", input_type=int, function=show, category=None, read_only=True),
            [
                "invalid tool name 'a b': only letters, digits, underscores and hyphens are allowed",
                "the input of 'a b' must be an object with named fields",
            ],
        ),
    ],
)
def test_what_is_wrong_with_a_typed_tool_is_told_when_it_is_looked_at(tool, messages):
    with pytest.raises(InvalidTools) as caught:
        resolve_tools([tool])
    assert [problem.message for problem in caught.value.problems] == messages


def test_an_input_type_that_no_model_can_send_is_refused():
    class Opaque:
        pass

    tool = TypedTool(name="x", description="X.", input_type=Opaque, function=show)
    with pytest.raises(InvalidTools, match="the input of 'x' cannot be written as JSON: unsupported type "):
        tool.spec  # noqa: B018


def test_name_that_is_not_defined_in_an_input_type_is_reported():
    @dataclass
    class Order:
        article: "Article"  # type: ignore[name-defined] # noqa: F821

    tool = TypedTool(name="x", description="X.", input_type=Order, function=show)
    with pytest.raises(InvalidTools, match="as JSON: an annotation uses a name that is not defined"):
        tool.spec  # noqa: B018


def test_fields_that_a_dataclass_sets_itself_are_not_in_the_schema():
    @dataclass
    class Order:
        article: str
        number: int = field(init=False)
        state: str = field(init=False, default="open")

        def __post_init__(self):
            self.number = 17

    tool = TypedTool(name="x", description="X.", input_type=Order, function=lambda order: order)
    assert tool.spec.parameters == {
        "type": "object",
        "properties": {"article": {"type": "string"}},
        "required": ["article"],
    }
    assert tool.run({"article": "pen"}).structured == {"article": "pen", "number": 17, "state": "open"}


def test_typed_tool_that_returns_nothing_succeeds_with_an_empty_output():
    assert TypedTool(name="x", description="X.", input_type=dict, function=lambda given: None).run() == ToolResult("")


class Shout(TextTool):
    name = "shout"
    description = "Says the input loudly."
    category = "voices"

    def __init__(self, *, careful=False):
        self.requires_approval = careful

    def execute(self, text):
        if not text:
            raise ToolExecutionError("there is nothing to shout", "empty")
        return text.upper()


def test_a_text_tool_is_told_as_one_text():
    assert Shout().spec == ToolSpec(
        "shout", "Says the input loudly.", TEXT_PARAMETERS, category="voices", source=__file__
    )
    assert Shout().run("hello") == ToolResult("HELLO")
    assert Shout().run({"input": ""}) == ToolResult(error="there is nothing to shout", error_code="empty")


def test_an_option_may_be_set_when_the_tool_is_made():
    assert [Shout(careful=careful).spec.requires_approval for careful in (True, False)] == [True, False]


def test_kinds_of_tools_say_how_a_pipeline_feeds_them():
    assert (Shout().pipe, Greet().pipe, from_function(show).pipe) == ("text", "json", "parameter")
    assert [tool.with_name("other").pipe for tool in (Shout(), Greet(), from_function(show))] == [
        "text",
        "json",
        "parameter",
    ]


def test_a_tool_may_refuse_a_call_before_its_work_and_say_what_it_would_do():
    class Careful(Shout):
        name = "careful"

        def check(self, parsed, context):
            if "secret" in parsed:
                raise ToolExecutionError("that is not said aloud", "refused")

    assert Careful().run("a secret") == ToolResult(error="that is not said aloud", error_code="refused")
    assert Careful().run("a word") == ToolResult("A WORD")


def test_an_unfinished_kind_of_tool_says_so():
    class Unfinished(Tool):
        spec = ToolSpec("unfinished")

    assert Unfinished().run() == ToolResult(error="NotImplementedError", error_code="error")


def test_a_tool_of_a_function_that_no_file_has_is_placed_where_it_was_made():
    broken = TypedTool(function=str)
    with pytest.raises(InvalidTools) as caught:
        _ = broken.spec
    [problem] = caught.value.problems
    assert problem.location is not None
    assert (problem.location.file, problem.location.line) == (__file__, line_of("broken = TypedTool(function=str)"))
