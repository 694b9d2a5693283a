"""Measures B1, B2, C and D: marking functions, schemas, calls and chains in one process."""

import asyncio
import json
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import TypeAdapter

from bench import floors, peers
from bench.rows import Row
from bench.timing import Times, Work, in_turns, repeated
from toolkit import ToolContext, from_function, resolve_tools, tool
from toolkit.approvals import AutoReviewer
from toolkit.tools import Metrics

ROUNDS = 60
CALLS = 1_000
BUILDS = 50
STEPS = 10

ARGUMENTS = json.dumps({"city": "Oslo", "days": 3, "metric": True, "detail": 0.5})


def forecast(city: str, days: int, metric: bool, detail: float) -> str:  # noqa: FBT001 - arguments of a tool
    """Forecast the weather.

    Args:
        city: The name of the city.
        days: The number of days.
        metric: Whether to use metric units.
        detail: The level of detail, from 0 to 1.
    """
    return f"{city} {days} {metric} {detail}"


async def forecast_async(city: str, days: int, metric: bool, detail: float) -> str:  # noqa: FBT001 - as above
    """Forecast the weather.

    Args:
        city: The name of the city.
        days: The number of days.
        metric: Whether to use metric units.
        detail: The level of detail, from 0 to 1.
    """
    return f"{city} {days} {metric} {detail}"


def greet(name: str, times: int = 1, polite: bool = False) -> str:  # noqa: FBT001, FBT002 - as above
    """Greet a person.

    Args:
        name: The name of the person.
        times: The number of greetings.
        polite: Whether to use a title.
    """
    return f"{name} {times} {polite}"


class Dotted:
    """A text tool that does almost nothing."""

    description = "Append a dot to the text."

    def __init__(self, number: int) -> None:
        """Create a tool with a number in its name."""
        self.name = f"dotted_{number}"

    def execute(self, text: str) -> str:
        """Return the text with a dot."""
        return text + "."


class CountingMetrics(Metrics):
    """Metrics that count calls and add up their time."""

    def __init__(self) -> None:
        """Start at zero."""
        self.calls = 0
        self.seconds = 0.0

    def success(self, tool: str, agent: str) -> None:
        """Count a success."""
        self.calls += 1

    def duration(self, tool: str, agent: str, seconds: float) -> None:
        """Add a duration."""
        self.seconds += seconds


def context() -> ToolContext:
    """Return a context with a reviewer and metrics, but without a listener."""
    return ToolContext(reviewer=AutoReviewer(), metrics=CountingMetrics())


def copies(function: types.FunctionType) -> Iterator[types.FunctionType]:
    """Yield new copies of a function, which are in no cache."""
    while True:
        copy = types.FunctionType(
            function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
        )
        copy.__doc__, copy.__annotations__ = function.__doc__, dict(function.__annotations__)
        copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
        yield copy


def fresh(build: Callable[[Any], object], function: Callable[..., object]) -> Work:
    """Return work that builds something from many new copies, which are created in advance."""
    assert isinstance(function, types.FunctionType)
    endless = copies(function)
    supply: list[types.FunctionType] = []

    def run() -> None:
        for copy in supply:
            build(copy)
        supply[:] = [next(endless) for _ in range(BUILDS)]

    supply[:] = [next(endless) for _ in range(BUILDS)]
    return run


def marking() -> Iterator[Row]:
    """Measure `@tool`, as a time rather than a ratio."""
    contestants = {
        "one attribute": fresh(lambda function: setattr(function, "mark", True), greet),
        "ours": fresh(tool, greet),
    } | {name: fresh(mark, greet) for name, mark in peers.markers().items()}
    times = in_turns(contestants, rounds=ROUNDS, units=BUILDS)
    yield Row("B1", "marking a function with @tool", None, "", times.pop("ours"), 5e-6, 1e-6, times)


def building() -> Iterator[Row]:
    """Measure creating the schema of a marked function."""
    contestants = {
        "TypeAdapter(function)": fresh(lambda function: TypeAdapter(function).json_schema(), greet),
        "ours": fresh(lambda function: from_function(tool(function)).spec.parameters, greet),
    } | {name: fresh(build, greet) for name, build in peers.schemas().items()}
    times = in_turns(contestants, rounds=ROUNDS, units=BUILDS)
    yield row("B2", "marked function to schema, three parameters", times, "TypeAdapter(function)", (1.5, 0.25))


def synchronous_call() -> Iterator[Row]:
    """Measure `tool.run` from JSON text."""
    ours, surroundings = from_function(forecast), context()
    bare = floors.validated_call(forecast, ARGUMENTS)
    assert ours.run(ARGUMENTS, surroundings).text == bare()
    contestants = {
        "validate_json + call": repeated(bare, CALLS),
        "ours": repeated(lambda: ours.run(ARGUMENTS, surroundings).text, CALLS),
    }
    times = in_turns(contestants, rounds=ROUNDS, units=CALLS) | beside(peers.calls(forecast, ARGUMENTS))
    yield row("C", "one call from JSON text, metrics and gate, sync", times, "validate_json + call", (4.0, 2.5))


def asynchronous_call() -> Iterator[Row]:
    """Measure `await tool.call` of an async function."""
    ours, surroundings = from_function(forecast_async), context()
    validate = TypeAdapter(floors.Arguments).validator.validate_json

    async def bare_calls() -> None:
        for _ in range(CALLS):
            await forecast_async(**validate(ARGUMENTS))

    async def our_calls() -> None:
        for _ in range(CALLS):
            result = await ours.call(ARGUMENTS, surroundings)
            result.text  # noqa: B018 - getting the text is part of the work

    contestants: dict[str, Work] = {
        "validate_json + await": lambda: asyncio.run(bare_calls()),
        "ours": lambda: asyncio.run(our_calls()),
    }
    times = in_turns(contestants, rounds=ROUNDS, units=CALLS)
    yield row("C", "the same, awaited", times, "validate_json + await", (4.0, 2.5))


def chain() -> Iterator[Row]:
    """Measure a pipeline of ten text steps, without a context and with the context of a command line."""
    from toolkit import Pipeline

    steps = [Dotted(number) for number in range(STEPS)]
    pipeline = Pipeline.of(*resolve_tools(steps).values())
    surroundings = context()
    text = json.dumps({"input": "hello"})
    bare = floors.validated_steps([step.execute for step in steps], "hello")
    assert pipeline.run(text).text == pipeline.run(text, surroundings).text == bare()
    calls = CALLS // STEPS
    contestants = {
        "ten validated steps": repeated(bare, calls),
        "ours": repeated(lambda: pipeline.run(text).text, calls),
        "surrounded": repeated(lambda: pipeline.run(text, surroundings).text, calls),
    }
    times = in_turns(contestants, rounds=ROUNDS, units=calls)
    surrounded = {"ten validated steps": times["ten validated steps"], "ours": times.pop("surrounded")}
    times |= beside(peers.chains([step.execute for step in steps], "hello"))
    yield row("D", "chain of ten text steps", times, "ten validated steps", (5.0, 3.0))
    yield row("D", "the same with metrics and gate", surrounded, "ten validated steps", (5.0, 3.0))


def long_list() -> Iterator[Row]:
    """Measure passing a list of 100,000 numbers through one step of a pipeline."""
    from toolkit import load_pipeline

    items = list(range(LONG))
    with TemporaryDirectory() as folder:
        (Path(folder) / "pipeline.yaml").write_text(PASSING, "utf-8")
        (Path(folder) / "passing.py").write_text(PASSING_TOOL, "utf-8")
        pipeline = load_pipeline(Path(folder) / "pipeline.yaml")
        bare = floors.passed_list(lambda passed: passed, items)
        assert pipeline.run({"items": items}).text == bare()
        contestants = {"one validated step": bare, "ours": lambda: pipeline.run({"items": items}).text}
        times = in_turns(contestants, rounds=ROUNDS // 2, units=1)
    yield row("D", "a list of 100,000 through one step", times, "one validated step", (2.0, 1.5))


LONG = 100_000
PASSING = """
tools: [passing.py]
inputs: {items: {type: array, items: {type: integer}}}
steps:
  - pass_on: {items: "${{ inputs.items }}"}
"""
PASSING_TOOL = '''
from toolkit import tool


@tool
def pass_on(items: list[int]) -> list[int]:
    """Return the list."""
    return items
'''


def beside(works: Mapping[str, Work]) -> dict[str, Times]:
    """Measure peers, which need fewer calls for a precise time."""
    few = CALLS // 10
    return in_turns({name: repeated(work, few) for name, work in works.items()}, rounds=ROUNDS // 10, units=few)


def row(code: str, measure: str, times: dict[str, Times], floor: str, aims: tuple[float, float]) -> Row:
    """Return the row of a measure whose unit is the time of its floor."""
    unit, ours = times.pop(floor), times.pop("ours")
    return Row(code, measure, unit, floor, ours, *aims, references=times)


MEASURES = {"B1": [marking], "B2": [building], "C": [synchronous_call, asynchronous_call], "D": [chain, long_list]}
