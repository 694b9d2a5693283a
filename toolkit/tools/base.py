"""Defines `Tool`, and wrappers, which are tools that contain another tool."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Unpack, final

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import Flow
from toolkit.errors import InvalidTools
from toolkit.running import drive, loop_is_running, run_in_loop, run_in_new_thread
from toolkit.schemas.schema import joined_sentences
from toolkit.tools.callees import HOOKS, Arguments, Callee, forwards
from toolkit.tools.calling import ShortCall, call_as_meant, call_reported, call_tool, is_short, short_call
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.definition.names import name_problem
from toolkit.tools.definition.spec import ToolSpec, flow_of
from toolkit.tools.definition.spec_fields import ToolOptions

_IS_DEFERRED: ContextVar[bool] = ContextVar("_IS_DEFERRED", default=False)


@contextmanager
def problems_deferred() -> Iterator[None]:
    """Within this block, create placeholders for tools that cannot be built instead of raising."""
    token = _IS_DEFERRED.set(True)
    try:
        yield
    finally:
        _IS_DEFERRED.reset(token)


def are_problems_deferred() -> bool:
    """Return whether placeholders are created for tools that cannot be built."""
    return _IS_DEFERRED.get()


class Tool(Callee):
    """Something a model can call: a specification and a single way to call it.

    Every call follows the same steps. A subclass implements them: parsing arguments, rejecting a call, previewing what
    it would do, and the work itself. Create tools with `@tool`, `from_function` or `Tool.create`, or as subclasses of
    `TypedTool` or `WrappedTool`.
    """

    @final
    def call(
        self, arguments: Arguments = "{}", context: ToolContext = NO_CONTEXT, *, demand: Demand | None = None
    ) -> Coroutine[Any, Any, ToolResult]:
        """Call the tool: `await tool.call('{"city": "Oslo"}')`.

        Args:
            arguments: A JSON object as a string, or a mapping.
            context: The context of the call.
            demand: A question to ask first, whatever the marks of the tool are.

        Returns:
            The result, including that of a failed call.

        Raises:
            Signal: If more than this call ends, such as `ExitEarlyError` or `ConfigurationError`.
        """
        if context.chosen_by == "model":
            return call_as_meant(self, arguments, context, demand)
        return (call_tool if context.listener is None else call_reported)(self, arguments, context, demand)

    @final
    def run(self, arguments: Arguments = "{}", context: ToolContext = NO_CONTEXT) -> ToolResult:
        """Call the tool from synchronous code and wait for the result; for arguments and errors see `call`."""
        if loop_is_running():
            return run_in_new_thread(lambda: self.run(arguments, context))
        if is_short(self, context):
            result: ToolResult = self._short_call(arguments, context)
            return result
        return (run_in_loop if self.suspends else drive)(self.call(arguments, context))

    @cached_property
    def _short_call(self) -> ShortCall:
        return short_call(self)

    def with_name(self, name: str) -> "Tool":
        """Return the same tool under another name.

        Raises:
            InvalidTools: If the name is not valid.
        """
        problem = name_problem(name, self.spec.location)
        if problem:
            return defer_or_raise(InvalidTools(problems=[problem]), self)
        return _redescribe(self, name=name)

    def with_description(self, description: str) -> "Tool":
        """Return the same tool with another description."""
        return _redescribe(self, description=description)

    def with_note(self, note: str) -> "Tool":
        """Return the same tool with a note appended to its description, after a full stop."""
        return self.with_description(joined_sentences(self.description, note))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    @staticmethod
    def create(
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        function: Callable[..., Any],
        **options: Unpack[ToolOptions],
    ) -> "Tool":
        """Create a tool from a JSON Schema and a function that takes the arguments by keyword.

        Example:
            >>> from toolkit import Tool
            >>> city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
            >>> forecast = Tool.create("forecast", "Tells the weather.", city, lambda city: f"Sunny in {city}")
            >>> forecast.run({"city": "Oslo"}).output
            'Sunny in Oslo'

        Args:
            name: The name of the tool.
            description: What the tool does and when to use it.
            parameters: A JSON Schema of type `object`; arguments are validated against it.
            function: The function to call, sync or async; a parameter annotated `ToolContext` receives the context.
            **options: The other options of `@tool`, such as `read_only=True`.

        Raises:
            InvalidTools: If the tool is not valid; `problems` lists everything that is wrong.
        """
        try:
            return HandmadeTool(name, description, parameters, function, **options)
        except InvalidTools as error:
            return defer_or_raise(error, function)


@forwards(HOOKS, to="inner")
class WrappedTool(Tool):
    """Base class of wrappers. It forwards everything to the inner tool; subclasses override what differs.

    Example:
        >>> from toolkit import ToolResult, WrappedTool, from_function
        >>> class Loud(WrappedTool):
        ...     async def perform(self, parsed, context):
        ...         result = await self.result_from_inner(parsed, context)
        ...         return ToolResult.success(result.output.upper())
        >>> def greet(name: str) -> str:
        ...     '''Greet somebody.'''
        ...     return f"Hello, {name}!"
        >>> Loud(from_function(greet)).run({"name": "Ada"}).output
        'HELLO, ADA!'

    Attributes:
        inner: The wrapped tool.
    """

    def __init__(self, inner: Tool) -> None:
        self.inner = inner

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The inner tool."""
        return (self.inner,)

    @cached_property
    def own_flows(self) -> frozenset[Flow]:
        """What the tool does with data; whatever its name and marks, it does what the inner tool does."""
        return flow_of(self.spec) | self.inner.own_flows

    @property
    def files(self) -> frozenset[str]:
        """The files and modules that define the tool or one inside it, or pass them on."""
        return super().files | self.inner.files

    @property
    def dotted_names(self) -> frozenset[str]:
        """The names of the tool, and of the one inside it, after what they belong to."""
        return super().dotted_names | self.inner.dotted_names

    @property
    def holders(self) -> tuple[object, ...]:
        """The objects that may hold secrets: those of the inner tool, and this one."""
        return (*self.inner.holders, self)

    async def result_from_inner(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Run the inner tool and return its result, for wrappers that use the result."""
        return self.inner.result_of(await self.inner.perform(parsed, context))

    def result_of(self, value: Any) -> ToolResult:
        """Convert a value as the inner tool does."""
        return self.inner.result_of(value)


def innermost(tool: Tool) -> Tool:
    """Return the tool inside all wrappers."""
    while isinstance(tool, WrappedTool):
        tool = tool.inner
    return tool


def _redescribe(tool: Tool, *, name: str | None = None, description: str | None = None) -> Tool:
    try:
        return RedescribedTool(tool, name=name, description=description)
    except InvalidTools as error:
        return defer_or_raise(error, tool)


class RedescribedTool(WrappedTool):
    """A tool with another name, description or source; everything else is the same."""

    def __init__(
        self,
        inner: Tool,
        *,
        name: str | None = None,
        description: str | None = None,
        source: str | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        """Wrap a tool.

        Args:
            inner: The tool.
            name: Another name for it.
            description: Another description for it.
            source: Another source for it.
            names: Its other names; by default the old name, if there is a new one.
        """
        super().__init__(inner)
        spec = inner.spec
        self._spec = replace(
            spec,
            name=name or spec.name,
            description=description or spec.description,
            source=source or spec.source,
            origin=spec.origin or (spec.source if source not in {None, spec.source} else None),
            names=names or spec.names or ((spec.name,) if name not in {None, spec.name} else ()),
        )
        self.calls_one_function = inner.calls_one_function

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The inner tool's specification with the changes."""
        return self._spec


def defer_or_raise(error: InvalidTools, made_from: object = None) -> Tool:
    """Return a placeholder for a tool that cannot be built, while a module is imported to collect its tools.

    Args:
        error: Why it cannot be built.
        made_from: The function or tool that it was to be made from, if any.

    Raises:
        InvalidTools: The given error, at any other time.
    """
    if not are_problems_deferred():
        raise error
    return UnbuiltTool(error, made_from)


class UnbuiltTool(Tool):
    """A placeholder for a tool that cannot be built; accessing its specification raises the reason."""

    def __init__(self, error: InvalidTools, made_from: object = None) -> None:
        self._error = error
        self.made_from = made_from

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]  # a plain attribute elsewhere
        """Raise the reason why there is no specification.

        Raises:
            InvalidTools: Always; `problems` lists everything that is wrong.
        """
        raise self._error

    def with_name(self, name: str) -> Tool:  # there is nothing to rename
        return self

    def with_description(self, description: str) -> Tool:
        return self

    def with_note(self, note: str) -> Tool:
        return self


@forwards(("defaults", "describe", "parse", "perform", "suspends", "uses_context"), to="work")
class HandmadeTool(Tool):
    """A function with a handwritten JSON Schema, as created by `Tool.create`."""

    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        function: Callable[..., Any],
        **options: Unpack[ToolOptions],
    ) -> None:
        """Create the tool; see `Tool.create`.

        Raises:
            InvalidTools: If the tool is not valid; `problems` lists everything that is wrong.
        """
        from toolkit.tools.definition.handwritten_schemas import (
            read_handmade,  # needs pydantic, which most tools do not
        )

        self.function = function
        self.work = read_handmade(name, description, parameters, function, options)
        self.spec = self.work.spec
        self.calls_one_function = type(self) is HandmadeTool and not self.work.suspends


@dataclass(frozen=True, slots=True)
class Unfolded:
    """The tools that a call has revealed; the `artifact` of the call's result.

    Attributes:
        facade: The name of the called tool, which the revealed tools replace.
        tools: The revealed tools.
        guides: Additional tools: one with the name of the facade that refers to the revealed tools, in case a model
            calls the facade again, and one that describes them.
        exclusive: Whether all other tools are hidden too, for the rest of the loop.
        notes: How to use the tools.
    """

    facade: str
    tools: "tuple[Tool, ...]"
    guides: "tuple[Tool, ...]" = field(default=(), kw_only=True)
    exclusive: bool = field(default=False, kw_only=True)
    notes: str | None = field(default=None, kw_only=True)
