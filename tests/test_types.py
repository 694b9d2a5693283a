"""What a type checker knows of a program that uses the library: checked by mypy, and run as well."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict, assert_type

import pytest

from toolkit import (
    Continue,
    InvalidPipeline,
    InvalidTools,
    Pipeline,
    Reviewer,
    ReviewRequest,
    Tool,
    ToolContext,
    ToolResult,
    TypedTool,
    WrappedTool,
    from_function,
    from_object,
    resolve_tools,
    tool,
    toolbox,
)
from toolkit.agents import AgentResult, ScriptedModel, run_agent
from toolkit.pipelines import PipelineBuilder

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

CITY_PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@dataclass
class City:
    name: str


class Place(TypedDict):
    name: str


@tool
def forecast(city: str) -> str:
    """Tell the weather."""
    return f"Sunny in {city}"


@tool(read_only=True, examples=[{"city": "Oslo"}])
async def population(city: str) -> City:
    """Tell how many live there."""
    return City(city)


@toolbox(name="travel")
class Travel:
    """What a traveller asks."""

    @tool
    def distance(self, kilometres: int) -> int:
        """Tell how far it is."""
        return kilometres


def greet(city: City) -> str:
    """Greet a city."""
    return f"Hello, {city.name}!"


def test_marking_leaves_a_function_the_type_that_it_has():
    def takes_waiting(function: "Callable[[str], Coroutine[Any, Any, City]]") -> object:
        return function

    assert takes_waiting(population) is population
    assert_type(forecast("Oslo"), str)
    assert_type(Travel(), Travel)
    assert_type(Travel().distance(3), int)


def test_an_option_that_is_none_is_an_error_of_types():
    wrong = tool(return_behaviour="immediate")(greet)  # type: ignore[call-overload]
    with pytest.raises(InvalidTools, match="did you mean 'return_behavior'"):
        from_function(wrong)
    with pytest.raises(InvalidTools, match="did you mean 'read_only'"):
        from_function(forecast, readonly=True)  # type: ignore[call-arg]
    with pytest.raises(InvalidTools, match="did you mean 'destructive'"):
        Tool.create("f", "Tells.", CITY_PARAMETERS, forecast, destructiv=True)  # type: ignore[call-arg]
    with pytest.raises(InvalidTools, match="read_only must be True or False"):
        TypedTool(input_type=City, function=greet, read_only="yes")  # type: ignore[arg-type]


def test_tools_are_tools_and_their_results_are_results():
    made = from_function(forecast)
    assert_type(made, Tool)
    assert_type(made.pipe, Literal["text", "json", "parameter"])
    assert_type(made.run({"city": "Oslo"}), ToolResult)
    assert_type(resolve_tools([forecast, Travel()]), dict[str, Tool])
    assert_type(from_object(Travel()), list[Tool])
    assert_type(Tool.create("f", "Tells.", CITY_PARAMETERS, forecast), Tool)


def test_a_typed_tool_knows_its_input():
    assert_type(TypedTool(input_type=City, function=greet), TypedTool[City])
    assert_type(TypedTool(input_type=Place, function=greet), TypedTool[Place])

    class Greet(TypedTool[City]):
        name = "greet"
        description = "Greets a city."

        def execute(self, city: City) -> str:
            return greet(city)

    assert_type(Greet().run({"name": "Oslo"}).output, str)


def test_a_wrapped_tool_is_written_without_a_cast():
    class Doubled(WrappedTool):
        async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
            result = assert_type(await self.result_from_inner(parsed, context), ToolResult)
            return ToolResult(result.output * 2)

    assert_type(Doubled(from_function(forecast)).inner, Tool)


def test_a_reviewer_is_written_without_a_cast():
    class Trusting(Reviewer):
        async def review(self, request: ReviewRequest) -> Continue:
            assert_type(request.text, str)
            return Continue()

    assert_type(ToolContext(reviewer=Trusting()).can_ask, bool)


def test_a_builder_builds_a_pipeline():
    builder = assert_type(Pipeline.builder().name("p").description("Tells.").step(forecast), PipelineBuilder[Pipeline])
    assert_type(builder.build(), Pipeline)
    assert_type(Pipeline.of(forecast, from_function(forecast)), Pipeline)
    with pytest.raises(InvalidPipeline, match="did you mean 'timeout'"):
        Pipeline.builder().step(forecast, timeouts="3s").build()  # type: ignore[call-arg]


async def ask(answer: str) -> AgentResult[City]:
    unlike = assert_type(await run_agent(ScriptedModel([answer]), "Where?"), AgentResult[Any])
    assert unlike.text == answer
    return assert_type(await run_agent(ScriptedModel([answer]), "Where?", output_type=City), AgentResult[City])


def test_an_agent_answers_in_the_type_that_is_wanted():
    import asyncio

    result = asyncio.run(ask('{"name": "Oslo"}'))
    assert assert_type(result.output, City | None) == City("Oslo")
