"""Small real tools for pipelines, and ways to load and run a pipeline from a piece of YAML."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal

import pytest

from toolkit import Problem, Tool, ToolContext, ToolExecutionError, ToolResult, TypedTool, resolve_tools, tool
from toolkit.pipelines import read_pipeline
from toolkit.tools import TextTool


class Upper(TextTool):
    name = "upper"
    description = "Puts text into capitals."

    def execute(self, text: str) -> str:
        return text.upper()


class Reverse(TextTool):
    name = "reverse"
    description = "Turns text round."

    def execute(self, text: str) -> str:
        return text[::-1]


class Fail(TextTool):
    name = "fail"
    description = "Fails with its input as the message."

    def execute(self, text: str) -> ToolResult:
        return ToolResult.failure(f"no {text}", "refused")


@dataclass
class Point:
    x: int
    y: int


class Norm(TypedTool[Point]):
    name = "norm"
    description = "The square of a point's distance from the origin."

    def execute(self, point: Point) -> int:
        return point.x**2 + point.y**2


@dataclass
class Issue:
    number: int
    title: str


@dataclass
class Page:
    issues: list[Issue]
    total: int


@tool(read_only=True)
def list_issues(repo: str, limit: int = 20) -> Page:
    """List the issues of a repository."""
    titles = ["crash at start", "how to install", "crash at end"]
    issues = [Issue(at + 1, f"{repo}: {title}") for at, title in enumerate(titles[:limit])]
    return Page(issues, len(issues))


@tool
def classify(text: str, labels: list[str]) -> dict[str, str]:
    """Give a text one of the labels."""
    return {"label": labels[0] if "crash" in text else labels[-1]}


@tool
def join_words(first: str, second: str) -> str:
    """Join two words."""
    return f"{first} {second}"


@tool
def repeat(text: str, times: int = 2) -> str:
    """Say a text several times."""
    return " ".join([text] * times)


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@tool
def make_point(x: int, y: int) -> Point:
    """Make a point."""
    return Point(x, y)


@tool
def distance(start: Point, via: list[Point] | None = None) -> float:
    """Say how far it is."""
    return 0.0 if via is None else float(start.x)


@tool
def count_all(items: list[str]) -> int:
    """Count items."""
    return len(items)


@tool
def odd(number: int) -> int:
    """Return an odd number, and fail on an even one."""
    if number % 2 == 0:
        raise ToolExecutionError(f"{number} is even", "even")
    return number


@tool
def nothing() -> None:
    """Do nothing."""


@tool(destructive=True)
def delete(path: str) -> str:
    """Delete a file."""
    return f"deleted {path}"


@tool(requires_approval=True)
def publish(text: str, channel: Literal["news", "jobs"] = "news") -> str:
    """Publish a text."""
    return f"{channel}: {text}"


@tool
async def later(text: str) -> str:
    """Return the text, a little later."""
    await asyncio.sleep(0)
    return text


@tool
async def forever(text: str) -> str:
    """Never return."""
    await asyncio.Event().wait()
    return text


READY = resolve_tools(
    [
        Upper(),
        Reverse(),
        Fail(),
        Norm(),
        list_issues,
        classify,
        distance,
        join_words,
        repeat,
        add,
        make_point,
        count_all,
        odd,
        nothing,
        delete,
        publish,
        later,
        forever,
    ]
)


class GivenTools:
    """An opening over a table of tools; `missing.py` is a source that cannot be opened."""

    def __init__(self, tools: Mapping[str, Tool], environment: Mapping[str, str] | None = None) -> None:
        self.tools = dict(tools)
        self.environment = environment or {"REGION": "north"}

    def resolve(self, name: str, *, base: Path) -> Tool | list[Problem]:
        return self.tools.get(name, [])

    def refusal_of_environment(self) -> None:
        return None

    def known_names(self, base: Path) -> Iterable[str]:
        return self.tools

    def with_sources(self, targets, *, base):
        found = [Problem("TK001", f"there is no file {target!r}") for target in targets if "missing" in target]
        return self, found


class Bench:
    """Loads and runs pipelines written in a test."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opening = GivenTools(READY)

    def add(self, *tools: Any) -> "Bench":
        self.opening.tools |= resolve_tools(tools)
        return self

    def write(self, text: str, name: str = "pipeline.yaml") -> Path:
        path = self.folder / name
        path.write_text(dedent(text), "utf-8")
        return path

    def read(self, text: str):
        return read_pipeline(self.write(text), self.opening)

    def load(self, text: str):
        pipeline, problems = self.read(text)
        assert [str(problem) for problem in problems] == []
        assert pipeline is not None
        return pipeline

    def problems(self, text: str) -> list[str]:
        """Return the problems, each as `line:column code message (hint)`."""
        return [shown(problem) for problem in self.read(text)[1]]

    def run(self, text: str, arguments: Any = "", **context: Any) -> ToolResult:
        return self.load(text).run(arguments, ToolContext(**context))


def shown(problem: Problem) -> str:
    place = problem.location
    where = f"{place.line}:{place.column}" if place is not None and place.line else "-"
    severity = "" if problem.severity == "error" else f"{problem.severity} "
    hint = f" ({problem.hint})" if problem.hint else ""
    return f"{where} {severity}{problem.code} {problem.message}{hint}"


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture
def problem_line():
    return shown
