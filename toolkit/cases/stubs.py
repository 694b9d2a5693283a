"""Stubs: tools that return prepared results instead of doing their work."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from threading import Lock
from typing import Any

from toolkit.agents.agent import AgentTool
from toolkit.agents.files.declared_agents import DeclaredAgent
from toolkit.cases.case import Stub
from toolkit.codes import UNKNOWN_TOOL
from toolkit.disclosure.progressive import ProgressiveTool
from toolkit.documents.nodes import Word
from toolkit.pipelines.pipeline import Pipeline
from toolkit.pipelines.plans import PlannedStep
from toolkit.problems import Problem, did_you_mean
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.foreign.schema_tools import output_mismatch
from toolkit.tools.kinds.function_tools import FunctionTool
from toolkit.tools.outcomes import as_result

_FAILURE = {"error", "code"}


class StubbedTool(WrappedTool):
    """A tool with its definition, arguments and marks, but with prepared results; nothing of its own code runs.

    Attributes:
        results: The results: the last one is for all calls if `in_turn` is false.
        calls: How often it was called.
    """

    suspends = False

    def __init__(self, inner: Tool, results: Sequence[Any], *, in_turn: bool = False) -> None:
        """Wrap a tool.

        Args:
            inner: The tool.
            results: The results as plain data; `{"error": …, "code": …}` is a failure.
            in_turn: Whether each result serves a single call.
        """
        super().__init__(inner)
        self.results = tuple(map(_result_of, results))
        self.calls = 0
        self._in_turn = in_turn
        self._lock = Lock()

    @property
    def callees(self) -> tuple[Tool, ...]:
        """Nothing: no tool is called."""
        return ()

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Check nothing, since that is code of the tool."""

    def preview(self, parsed: Any, context: ToolContext) -> str | None:
        """Return no preview, since that is code of the tool."""
        return None

    def result_of(self, value: Any) -> ToolResult:
        """Return a prepared result as it is."""
        return as_result(value)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Return the next result; after the last one, a failure."""
        with self._lock:
            at, self.calls = self.calls, self.calls + 1
        if not self._in_turn:
            return self.results[-1]
        if at < len(self.results):
            return self.results[at]
        return ToolResult.failure(f"the stub of '{self.name}' has no result for call {at + 1}", "stub")

    def mismatch(self) -> str | None:
        """Return how a result violates the tool's output schema, or `None`."""
        schema = self.inner.spec.output_schema
        if schema is None:
            return None
        succeeded = [one for one in self.results if one.error is None]
        found = (output_mismatch(one.output if one.structured is None else one.structured, schema) for one in succeeded)
        return next(filter(None, found), None)


def _result_of(data: Any) -> ToolResult:
    if isinstance(data, ToolResult):
        return data
    if isinstance(data, Mapping) and "error" in data and data.keys() <= _FAILURE:
        return ToolResult.failure(str(data["error"]), data.get("code", "error"))
    return as_result(data)


def with_stubs(tool: Tool, stubs: Iterable[Stub]) -> tuple[Tool, list[Problem]]:
    """Return a tool that calls stubs, wherever it would call the tools with their names, and all problems.

    A stub that is never reached, or that cannot replace every tool with its name, is a problem: the tool must not be
    called then.
    """
    by_name = {stub.tool.text: stub for stub in stubs}
    if not by_name:
        return tool, []
    made: dict[int, StubbedTool] = {}
    stubbed = _stubbed(tool, by_name, made)
    inside = list(_within(stubbed))
    names = {one.name for one in (*_within(tool), tool)}
    reached = {one.name for one in made.values()}
    left = {one.name for one in inside if one.name in by_name and not isinstance(one, StubbedTool)}
    problems = [
        Problem(UNKNOWN_TOOL, message, by_name[name].tool.location, hint=hint)
        for name in by_name
        if (found := _objection(name, tool.name, names=names, reached=reached, left=left))
        for message, hint in [found]
    ]
    for one in made.values():
        if mismatch := one.mismatch():
            message = f"the stub of '{one.name}' does not match its output schema: {mismatch}"
            problems.append(Problem(UNKNOWN_TOOL, message, by_name[one.name].tool.location))
    return stubbed, problems


def _objection(
    name: str, target: str, *, names: set[str], reached: set[str], left: set[str]
) -> tuple[str, str | None] | None:
    if name in left or (name in names and name not in reached):
        return f"'{name}' cannot be stubbed here", f"'{target}' was built in a way that does not let it be replaced"
    if name in reached:
        return None
    return _unknown(name, target), did_you_mean(name, sorted(names - {target}))


def _unknown(name: str, target: str) -> str:
    return f"'{target}' calls no tool named '{name}'"


def unknown_tools(tool: Tool, names: Iterable[Word]) -> list[Problem]:
    """Return a problem for each name of a tool that a target can never call, as far as its tools are known."""
    reachable = [tool, *_within(tool)]
    if any(map(_may_call_others, reachable)):
        return []
    known = sorted({one.name for one in reachable})
    return [
        Problem(UNKNOWN_TOOL, _unknown(word.text, tool.name), word.location, hint=did_you_mean(word.text, known))
        for word in names
        if word.text not in known
    ]


def _may_call_others(tool: Tool) -> bool:
    """Return whether a tool may call tools that it does not name: with its context, or once a call reveals them."""
    if isinstance(tool, ProgressiveTool):
        return not tool.shows_all
    return isinstance(tool, FunctionTool) and tool.uses_context


def _within(tool: Tool) -> Iterator[Tool]:
    """Yield the tools that a tool can call, at any depth, each once."""
    seen = {id(tool)}
    waiting = [tool]
    while waiting:
        for inner in waiting.pop().callees:
            if id(inner) not in seen and isinstance(inner, Tool):
                seen.add(id(inner))
                waiting.append(inner)
                yield inner


def _stubbed(tool: Tool, stubs: Mapping[str, Stub], made: dict[int, StubbedTool]) -> Tool:
    if (stub := stubs.get(tool.name)) is not None:
        if id(tool) not in made:
            made[id(tool)] = StubbedTool(tool, stub.results, in_turn=stub.in_turn)
        return made[id(tool)]
    if not any(one.name in stubs for one in _within(tool)):
        return tool

    def replaced(tools: Iterable[Tool]) -> list[Tool]:
        return [_stubbed(one, stubs, made) for one in tools]

    def steps(planned: Iterable[PlannedStep]) -> tuple[PlannedStep, ...]:
        return tuple(
            one._replace(
                tool=None if one.tool is None else _stubbed(one.tool, stubs, made),
                branches={name: steps(inner) for name, inner in one.branches.items()},
            )
            for one in planned
        )

    match tool:
        case Pipeline(plan=plan):
            return Pipeline(plan._replace(steps=steps(plan.steps), on_failure=steps(plan.on_failure)))
        case DeclaredAgent(definition=definition, parts=parts):
            tools = dict(zip(parts.tools, replaced(parts.tools.values()), strict=True))
            return DeclaredAgent(definition, parts._replace(tools=tools), tool.open_model)
        case AgentTool():
            return tool.replace(tools=replaced(tool.tools.values()))
        case WrappedTool(inner=inner):
            return _around(tool, _stubbed(inner, stubs, made))
    return tool


def _around(wrapper: WrappedTool, inner: Tool) -> WrappedTool:
    """Return a copy of a wrapper around another tool, without what it has derived from the old one."""
    other = copy(wrapper)
    other.inner = inner
    for kind in type(wrapper).__mro__:
        for name, value in vars(kind).items():
            if isinstance(value, cached_property):
                vars(other).pop(name, None)
    return other
