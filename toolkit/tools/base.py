"""The Tool: a specification and one way to be called; and what goes round a tool and is one again."""

import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any, Literal, final

from toolkit.approvals.gates import Demand
from toolkit.approvals.policies import DescribedCall
from toolkit.errors import InvalidTools
from toolkit.running import drive, loop_is_running, run_apart, run_in_loop
from toolkit.tools.calling import call_tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.deferring import are_problems_deferred
from toolkit.tools.hiding import secret_members, secrets_of_schema
from toolkit.tools.names import name_problem
from toolkit.tools.outcomes import as_result
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

if TYPE_CHECKING:
    from typing import Unpack

    from toolkit.tools.options import ToolOptions

Arguments = str | Mapping[str, Any]
"""The arguments of a call: JSON text of an object, or a mapping of plain data."""

_IDENTITIES = count(1)

Pipe = Literal["text", "json", "parameter"]
"""How a pipeline hands over the previous output: as the text, as the JSON arguments, or in one parameter."""


class Tool:
    """Something a model can call: a specification and one way to be called.

    Every call passes the same template. A kind of tool says what the template asks of it: how arguments are parsed,
    whether a call is refused, what it would do, and the work itself. Tools are made by `@tool` and `from_function`,
    by hand with `Tool.create`, or as a class of one's own: a `TypedTool`, a `WrappedTool`.
    """

    pipe: Pipe = "parameter"
    suspends: bool = True
    """Whether a call may have to wait in an event loop; one that never does runs without any."""
    uses_context: bool = True
    """Whether the work looks at the context; one that does not is handed it as it came."""

    demands: bool = False
    """Whether `demand` may ask for leave that the marks of the tool do not ask for."""

    reads_files: bool = False
    """Whether its results may hold what files of its user say: then a model with ways out is asked about them."""

    spec: ToolSpec
    """What the tool is, as pure data."""

    toolbox: object = None
    """The object of a class marked `@toolbox` that it is a method of, where it is one."""

    @property
    def name(self) -> str:
        """What a model calls it by."""
        return self.spec.name

    @property
    def description(self) -> str:
        """What it does and when to use it."""
        return self.spec.description

    @cached_property
    def described(self) -> DescribedCall:
        """A call of this tool that a person chose, as a policy sees it; the commonest of all, so it is made once."""
        return DescribedCall(self.spec.risk)

    @cached_property
    def hidden_parameters(self) -> frozenset[str]:
        """The names of the parameters that are secrets, or contain some."""
        return secret_members(self.spec.parameters)

    @cached_property
    def own_secrets(self) -> tuple[str, ...]:
        """The values of the secrets that the tool itself holds, such as defaults, and attributes of its object."""
        from toolkit.redactors.secret_objects import secrets_within  # noqa: PLC0415 - only what is written asks

        return (*secrets_of_schema(self.spec.parameters, self.spec.examples), *secrets_within(self.holders))

    @property
    def holders(self) -> tuple[object, ...]:
        """What may hold secrets of the tool itself."""
        return (self, self.toolbox)

    @cached_property
    def identity(self) -> int:
        """A number that no other tool has: of two with one name, leave for one of them is none for the other."""
        return next(_IDENTITIES)

    @cached_property
    def call_logger(self) -> logging.Logger:
        """Where calls of this tool are logged: `toolkit.tools.<name>`."""
        return logging.getLogger(f"toolkit.tools.{self.name}")

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments as the work wants them.

        Raises:
            ToolArgumentsError: Naming every field that is missing or wrong.
        """
        raise NotImplementedError

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return parsed arguments as the plain data that a reviewer is shown and a record keeps."""
        raise NotImplementedError

    def defaults(self, parsed: Any) -> Mapping[str, Any]:  # noqa: ARG002 - for those that override it
        """Return what stands in for the parameters that parsed arguments leave out, as plain data."""
        return {}

    @property
    def uses(self) -> Mapping[str, str]:
        """What a call uses besides its arguments, by label: a folder, a command, an address. A question shows it."""
        return {}

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Refuse a call before anybody is asked about it, by raising; `AnsweredEarly` answers it at once."""

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:  # noqa: ARG002 - for those that override it
        """Return the question that this call wants first; only a tool that `demands` is asked for it."""
        return None

    def preview(self, parsed: Any, context: ToolContext) -> str | None:  # noqa: ARG002 - for those that override it
        """Return what the call would do, such as a unified diff; it is asked for only when a question is shown."""
        return None

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Do the work and return a ToolResult or any value."""
        raise NotImplementedError

    def result_of(self, value: Any) -> ToolResult:
        """Return what the work returned as a result."""
        return as_result(value)

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
        return call_tool(self, arguments, context, demand)

    @final
    def run(self, arguments: Arguments = "{}", context: ToolContext = NO_CONTEXT) -> ToolResult:
        """Call the tool from plain code and wait for the result; for arguments and errors see `call`."""
        if loop_is_running():
            return run_apart(lambda: self.run(arguments, context))
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
        """Return the same tool with a note after its description."""
        return self.with_description(f"{self.description} {note}".strip())

    def __repr__(self) -> str:
        """Return the kind and the name."""
        return f"<{type(self).__name__} {self.name!r}>"

    @staticmethod
    def create(
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        function: Callable[..., Any],
        **options: "Unpack[ToolOptions]",
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
        from toolkit.tools.handmade import HandmadeTool  # noqa: PLC0415 - it is a kind of Tool itself

        try:
            return HandmadeTool(name, description, parameters, function, **options)
        except InvalidTools as error:
            return unbuilt(error)


class WrappedTool(Tool):
    """One behaviour round a tool; itself a tool. It hands everything on: override what shall differ.

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

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]  # a plain attribute elsewhere
        """The specification of the inner tool."""
        return self.inner.spec

    @property
    def pipe(self) -> Pipe:  # type: ignore[override]  # a plain attribute elsewhere, since most kinds know it
        """How the inner tool is piped to."""
        return self.inner.pipe

    @property
    def suspends(self) -> bool:  # type: ignore[override]
        """Whether the inner tool may suspend."""
        return self.inner.suspends

    @property
    def uses_context(self) -> bool:  # type: ignore[override]
        """Whether the inner tool looks at the context."""
        return self.inner.uses_context

    @property
    def demands(self) -> bool:  # type: ignore[override]
        """Whether the inner tool may want a question."""
        return self.inner.demands

    @property
    def holders(self) -> tuple[object, ...]:
        """What may hold secrets of the inner tool, and this."""
        return (*self.inner.holders, self)

    @property
    def identity(self) -> int:
        """The identity of the inner tool, which does the work."""
        return self.inner.identity

    @property
    def toolbox(self) -> object:  # type: ignore[override]
        """The toolbox of the inner tool."""
        return self.inner.toolbox

    def parse(self, arguments: Arguments) -> Any:
        """Parse as the inner tool does."""
        return self.inner.parse(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Describe as the inner tool does."""
        return self.inner.describe(parsed)

    def defaults(self, parsed: Any) -> Mapping[str, Any]:
        """Fill in what the inner tool fills in."""
        return self.inner.defaults(parsed)

    @property
    def uses(self) -> Mapping[str, str]:
        """What the inner tool uses."""
        return self.inner.uses

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Refuse what the inner tool refuses."""
        self.inner.check(parsed, context)

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Want the question that the inner tool wants."""
        return self.inner.demand(parsed, context)

    def preview(self, parsed: Any, context: ToolContext) -> str | None:
        """Preview what the inner tool would do."""
        return self.inner.preview(parsed, context)

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Let the inner tool do the work."""
        return await self.inner.perform(parsed, context)

    async def result_from_inner(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Let the inner tool do the work and return its result, for wrappers that look at results."""
        return self.inner.result_of(await self.inner.perform(parsed, context))

    def result_of(self, value: Any) -> ToolResult:
        """Return a result as it is, and make one of anything else as the inner tool does."""
        return value if isinstance(value, ToolResult) else self.inner.result_of(value)


def innermost(tool: Tool) -> Tool:
    """Return the tool that does the work, under everything that was put round it."""
    while isinstance(tool, WrappedTool):
        tool = tool.inner
    return tool


def _redescribed(tool: Tool, **changes: str) -> Tool:
    try:
        return RedescribedTool(tool, **changes)
    except InvalidTools as error:
        return unbuilt(error)


class RedescribedTool(WrappedTool):
    """A tool with another name, description or source; nothing else differs."""

    def __init__(
        self, inner: Tool, *, name: str | None = None, description: str | None = None, source: str | None = None
    ) -> None:
        """Keep what differs."""
        super().__init__(inner)
        spec = inner.spec
        self._spec = replace(
            spec,
            name=name or spec.name,
            description=description or spec.description,
            source=source or spec.source,
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
        """Keep what is wrong."""
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
