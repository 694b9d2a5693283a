"""The Tool: a specification and one way to be called; and what goes round a tool and is one again."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Unpack, final

from toolkit.approvals.gates import Demand
from toolkit.approvals.risks import Flow
from toolkit.errors import InvalidTools
from toolkit.running import drive, loop_is_running, run_apart, run_in_loop
from toolkit.schemas.tidying import joined_sentences
from toolkit.tools.callees import Arguments, Callee
from toolkit.tools.calling import call_as_meant, call_reported, call_tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.data_flows import READINGS, flow_of
from toolkit.tools.deferred_problems import are_problems_deferred
from toolkit.tools.forwarding import HOOKS, hands_on
from toolkit.tools.names import name_problem
from toolkit.tools.options import ToolOptions
from toolkit.tools.results import ToolResult
from toolkit.tools.short_calls import call_at_once, is_short
from toolkit.tools.spec import ToolSpec


class Tool(Callee):
    """Something a model can call: a specification and one way to be called.

    Every call passes the same template. A kind of tool supplies its parts: how arguments are parsed,
    whether a call is refused, what it would do, and the work itself. Tools are made by `@tool` and `from_function`,
    by hand with `Tool.create`, or as a class of one's own: a `TypedTool`, a `WrappedTool`.
    """

    @final
    def call(
        self, arguments: Arguments = "{}", context: ToolContext = NO_CONTEXT, *, demand: Demand | None = None
    ) -> Coroutine[Any, Any, ToolResult]:
        """Call the tool: `await tool.call('{"city": "Oslo"}')`.

        Args:
            arguments: JSON text of an object, or a mapping.
            context: What the caller hands in.
            demand: A question that the caller wants first, whatever the marks of the tool say.

        Returns:
            The result, also of a call that failed.

        Raises:
            Signal: What ends more than this call, such as `ExitEarlyError` or `ConfigurationError`.
        """
        if context.chosen_by == "model":
            return call_as_meant(self, arguments, context, demand)
        return (call_tool if context.listener is None else call_reported)(self, arguments, context, demand)

    @final
    def run(self, arguments: Arguments = "{}", context: ToolContext = NO_CONTEXT) -> ToolResult:
        """Call the tool from plain code and wait for the result; for arguments and errors see `call`."""
        if loop_is_running():
            return run_apart(lambda: self.run(arguments, context))
        if is_short(self, context):
            return call_at_once(self, arguments, context)
        return (run_in_loop if self.suspends else drive)(self.call(arguments, context))

    def with_name(self, name: str) -> "Tool":
        """Return the same tool under another name.

        Raises:
            InvalidTools: If the name is not legal.
        """
        problem = name_problem(name, self.spec.location)
        if problem:
            return unbuilt(InvalidTools(problems=[problem]))
        return _redescribed(self, name=name)

    def with_description(self, description: str) -> "Tool":
        """Return the same tool with another description."""
        return _redescribed(self, description=description)

    def with_note(self, note: str) -> "Tool":
        """Return the same tool with a note after its description, which ends in a full stop then."""
        return self.with_description(joined_sentences(self.description, note))

    def __repr__(self) -> str:
        """Return the kind and the name."""
        return f"<{type(self).__name__} {self.name!r}>"

    @staticmethod
    def create(
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        function: Callable[..., Any],
        **options: Unpack[ToolOptions],
    ) -> "Tool":
        """Make a tool by hand from a JSON Schema and a function that takes the arguments by keyword.

        Example:
            >>> from toolkit import Tool
            >>> city = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
            >>> forecast = Tool.create("forecast", "Tells the weather.", city, lambda city: f"Sunny in {city}")
            >>> forecast.run({"city": "Oslo"}).output
            'Sunny in Oslo'

        Args:
            name: What a model calls it by.
            description: What it does and when to use it.
            parameters: A JSON Schema of type `object`; arguments are checked against it.
            function: The work, plain or async; a parameter annotated `ToolContext` receives the context.
            **options: What `@tool` takes beside the name and the description, such as `read_only=True`.

        Raises:
            InvalidTools: With every problem at once.
        """
        try:
            return HandmadeTool(name, description, parameters, function, **options)
        except InvalidTools as error:
            return unbuilt(error)


@hands_on(HOOKS, to="inner")
class WrappedTool(Tool):
    """One behaviour around a tool; itself a tool. It hands everything on: override what shall differ.

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
        inner: The tool that does the work.
    """

    def __init__(self, inner: Tool) -> None:
        """Keep the tool that does the work."""
        self.inner = inner

    @cached_property
    def flows(self) -> frozenset[Flow]:
        """What it does with data: it reads what the inner tool reads, under whatever name."""
        return flow_of(self.spec) | (self.inner.flows & READINGS)

    @property
    def holders(self) -> tuple[object, ...]:
        """What may hold secrets of the inner tool, and this."""
        return (*self.inner.holders, self)

    async def result_from_inner(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Let the inner tool do the work and return its result, for wrappers that look at results."""
        return self.inner.result_of(await self.inner.perform(parsed, context))

    def result_of(self, value: Any) -> ToolResult:
        """Return a result as it is, and make one of anything else as the inner tool does."""
        return value if isinstance(value, ToolResult) else self.inner.result_of(value)


def innermost(tool: Tool) -> Tool:
    """Return the tool that does the work, inside all its wrappers."""
    while isinstance(tool, WrappedTool):
        tool = tool.inner
    return tool


def _redescribed(tool: Tool, *, name: str | None = None, description: str | None = None) -> Tool:
    try:
        return RedescribedTool(tool, name=name, description=description)
    except InvalidTools as error:
        return unbuilt(error)


class RedescribedTool(WrappedTool):
    """A tool with another name, description or source; nothing else differs."""

    def __init__(
        self,
        inner: Tool,
        *,
        name: str | None = None,
        description: str | None = None,
        source: str | None = None,
        names: tuple[str, ...] = (),
    ) -> None:
        """Keep what differs; of a new name the old one is kept too, unless its other names are given."""
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

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The inner tool's specification with the changes."""
        return self._spec


def unbuilt(error: InvalidTools) -> Tool:
    """Return a tool that stands for one that could not be built, while a module is imported to collect its tools.

    Raises:
        InvalidTools: The same error, at any other time.
    """
    if not are_problems_deferred():
        raise error
    return UnbuiltTool(error)


class UnbuiltTool(Tool):
    """A tool that could not be built; asking for its specification raises why."""

    def __init__(self, error: InvalidTools) -> None:
        self._error = error

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]  # a plain attribute elsewhere
        """Nothing: asking for it raises what is wrong.

        Raises:
            InvalidTools: With every problem.
        """
        raise self._error

    def with_name(self, name: str) -> Tool:  # noqa: ARG002 - it has none
        """Return the tool itself: there is nothing to change."""
        return self

    def with_description(self, description: str) -> Tool:  # noqa: ARG002
        """Return the tool itself: there is nothing to change."""
        return self

    def with_note(self, note: str) -> Tool:  # noqa: ARG002
        """Return the tool itself: there is nothing to change."""
        return self


@hands_on(("defaults", "describe", "parse", "perform", "suspends", "uses_context"), to="work")
class HandmadeTool(Tool):
    """A function behind a JSON Schema that was written by hand; what `Tool.create` makes."""

    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        function: Callable[..., Any],
        **options: Unpack[ToolOptions],
    ) -> None:
        """Build it; see `Tool.create`.

        Raises:
            InvalidTools: With every problem at once.
        """
        from toolkit.tools.handmade import read_handmade  # noqa: PLC0415 - a schema needs pydantic, most tools do not

        self.function = function
        self.work = read_handmade(name, description, parameters, function, options)
        self.spec = self.work.spec
