"""Facades: tools that reveal other tools when they are called."""

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.disclosure.progressive import NOTHING, ProgressiveTool, guide_names
from toolkit.errors import InvalidTools, ToolExecutionError, raise_errors
from toolkit.problems import Problem, errors_among
from toolkit.running import call_function
from toolkit.tools.base import Tool, innermost
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.marking import ToolboxMark, box_of, mark_of, marked_methods
from toolkit.tools.kinds.function_tools import FunctionTool
from toolkit.tools.kinds.resolution import build_tools, collisions, tools_among

ALL = "all"
"""The category of all tools, for a toolbox in which only some tools have a category."""


class Contents(NamedTuple):
    """The contents of an object.

    Attributes:
        cls: Its class.
        mark: The mark of the class; None if it is not marked.
        tools: Its own tools.
        boxes: Objects of the marked classes inside its class.
    """

    cls: type
    mark: ToolboxMark | None
    tools: Sequence[Tool]
    boxes: Sequence[object]


def contents_of(thing: object, source: str | None = None) -> tuple[Contents, list[Problem]]:
    """Return the contents of an object, and every problem.

    A marked class inside the object's class counts as a toolbox of its own if it can be created without arguments.

    Args:
        thing: The object.
        source: The source of its tools; by default, the file where they are defined.
    """
    cls = type(thing)
    tools, problems = build_tools(thing, source=source) if marked_methods(type(thing)) else ([], [])
    boxes: list[object] = []
    for inner in _inner_classes(cls):
        try:
            boxes.append(inner())
        except Exception as error:  # noqa: BLE001 - users' constructors may raise anything
            message = f"toolbox '{inner.__qualname__}' inside '{cls.__qualname__}' cannot be created: {error}"
            problems.append(
                Problem(
                    NOT_A_TOOL,
                    message,
                    place_of(inner),
                    hint="make its constructor work without arguments, or create the facade yourself",
                )
            )
    if not tools and not boxes and not problems:
        message = f"an object of type '{cls.__qualname__}' has no tools"
        problems.append(Problem(NOT_A_TOOL, message, place_of(cls), hint="mark its methods with @tool"))
    return Contents(cls, box_of(thing), tools, boxes), problems


def categories_among(tools: Sequence[Tool], boxes: Sequence[Tool]) -> Mapping[str, list[Tool]]:
    """Return the tools of a toolbox by category, or an empty mapping if no tool has one.

    A tool without a category belongs to every category, and the additional category `all` then contains all tools.
    """
    named = [category for tool in tools if (category := own_category(tool))]
    if not named:
        return {}
    everywhere = [tool for tool in tools if own_category(tool) is None] + list(boxes)
    table = {
        category: [tool for tool in tools if own_category(tool) in (category, None)] + list(boxes)
        for category in dict.fromkeys(named)
    }
    return table | ({ALL: [*tools, *boxes]} if everywhere else {})


def own_category(tool: Tool) -> str | None:
    """Return the category that the mark of a method sets, not the category of its toolbox."""
    inner = innermost(tool)
    category: str | None = (mark_of(inner.function) or {}).get("category") if isinstance(inner, FunctionTool) else None
    return category


def _inner_classes(cls: type) -> list[Any]:
    members = {name: member for base in reversed(cls.__mro__) for name, member in vars(base).items()}
    return [member for member in members.values() if isinstance(member, type) and box_of(member) is not None]


Choice = Callable[..., Iterable[Any] | Awaitable[Iterable[Any]]]
"""Returns the tools for the arguments of a call; it may take the context as a second parameter."""

_KEPT_OPTIONS = ("category", "read_only", "open_world", "requires_approval", "metadata", "source", "location")


class UnfoldingTool(ProgressiveTool):
    """A facade: `of` reveals all its tools, `by_category` one category, `selectable` what a function returns.

    `from_instance` creates one from an object whose class is marked `@toolbox`, `from_tool_object` from any object.
    """

    suspends = False

    def __init__(
        self,
        name: str,
        description: str,
        tools: Iterable[Any] = (),
        *,
        parameters: Mapping[str, Any] = NOTHING,
        choose: Choice | None = None,
        choices: Iterable[Any] = (),
        **options: Any,
    ) -> None:
        """Create a facade; `of`, `by_category` and `selectable` are easier to use.

        Args:
            name: The name that a model calls.
            description: The purpose of the tools behind the facade.
            tools: The tools that every call reveals: anything that can be a tool.
            parameters: A JSON Schema of the arguments that `choose` receives.
            choose: A function, plain or async, that returns more tools to reveal.
            choices: The tools that `choose` may return, as far as they are known in advance.
            **options: `usage_notes`, `exclusive`, and any option of `ToolSpec`.

        Raises:
            InvalidTools: With every problem of the facade and of the tools.
        """
        super().__init__(name, description, parameters, **options)
        self._fixed = _tools_of(tools)
        self._choices = _tools_of(choices)
        self._choose = choose
        sources = {tool.spec.source for tool in self.inner_tools}
        if self.spec.source is None and len(sources) == 1:
            self.spec = replace(self.spec, source=sources.pop())
        self.suspends = inspect.iscoroutinefunction(choose)
        reserved = (self if taken == name else self.with_name(taken) for taken in guide_names(name))
        raise_errors(InvalidTools, collisions([*reserved, *self.inner_tools]))
        for tool in self.inner_tools:
            tool.pass_on(owner=name)

    @classmethod
    def of(
        cls,
        name: str,
        description: str,
        tools: Iterable[Any],
        *,
        usage_notes: str | None = None,
        exclusive: bool = False,
    ) -> "UnfoldingTool":
        """Return a facade that reveals all its tools at once.

        Raises:
            InvalidTools: With every problem of the facade and of the tools.
        """
        return cls(name, description, tools, usage_notes=usage_notes, exclusive=exclusive)

    @classmethod
    def by_category(
        cls,
        name: str,
        description: str,
        categories: Mapping[str, Iterable[Any]],
        *,
        parameter: str = "category",
        usage_notes: str | None = None,
        exclusive: bool = False,
    ) -> "UnfoldingTool":
        """Return a facade that reveals the tools of one category, which the call selects.

        Args:
            name: The name that a model calls.
            description: The purpose of the tools; preferably with a few words on each category.
            categories: The tools of each category, in the order in which a model sees them.
            parameter: The name of the parameter that selects the category.
            usage_notes: Instructions for using the tools.
            exclusive: Whether the revealed tools replace all others.

        Raises:
            InvalidTools: With every problem of the facade and of the tools.
        """
        if not categories or not all(isinstance(category, str) for category in categories):
            message, hint = f"the categories of '{name}' must be named", "write {'read': [...], 'write': [...]}"
            raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, hint=hint)])
        table = {category: _tools_of(tools) for category, tools in categories.items()}
        text = f"Category to access. Available: {', '.join(table)}"
        facade = cls(
            name,
            description,
            parameters={
                "type": "object",
                "properties": {parameter: {"type": "string", "enum": list(table), "description": text}},
                "required": [parameter],
            },
            choose=lambda arguments: table[arguments[parameter]],
            choices=_distinct(tool for tools in table.values() for tool in tools),
            usage_notes=usage_notes,
            exclusive=exclusive,
        )
        facade.categories = table
        return facade

    @classmethod
    def selectable(
        cls,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        choose: Choice,
        *,
        tools: Iterable[Any] = (),
        usage_notes: str | None = None,
        exclusive: bool = False,
    ) -> "UnfoldingTool":
        """Return a facade that calls a function to decide which tools to reveal; the function may create new ones.

        Args:
            name: The name that a model calls.
            description: The purpose of the tools.
            parameters: A JSON Schema of the arguments that the function receives.
            choose: Takes the arguments as a dictionary, and optionally the context; returns tools.
            tools: The tools that the function may return, as far as they are known in advance.
            usage_notes: Instructions for using the tools.
            exclusive: Whether the revealed tools replace all others.

        Raises:
            InvalidTools: With every problem of the facade and of the tools.
        """
        return cls(
            name,
            description,
            parameters=parameters,
            choose=choose,
            choices=tools,
            usage_notes=usage_notes,
            exclusive=exclusive,
        )

    categories: Mapping[str, tuple[Tool, ...]] = {}
    """The tools of each category, for a facade created by `by_category`."""

    @property
    def inner_tools(self) -> tuple[Tool, ...]:
        """The tools behind the facade, as far as they are known without a call."""
        return _distinct([*self._fixed, *self._choices])

    @property
    def shows_all(self) -> bool:
        """Whether `inner_tools` is complete, which it is unless a function chooses the tools."""
        return self._choose is None or bool(self.categories)

    def with_tools(self, *tools: Any) -> "UnfoldingTool":
        """Return a copy of the facade with more tools, which every call reveals.

        Raises:
            InvalidTools: With every problem of the tools.
        """
        options = {name: getattr(self.spec, name) for name in _KEPT_OPTIONS}
        more = type(self)(
            self.name,
            self.description,
            [*self._fixed, *tools],
            parameters=self.spec.parameters,
            choose=self._choose,
            choices=self._choices,
            usage_notes=self.usage_notes,
            exclusive=self.exclusive,
            **options,
        )
        more.categories = {name: (*known, *_tools_of(tools)) for name, known in self.categories.items()}
        return more

    @classmethod
    def from_instance(cls, thing: object, *, source: str | None = None) -> "UnfoldingTool":
        """Return a facade for an object whose class is marked `@toolbox`, including the marked classes inside it.

        If methods have categories, a call selects a category.

        Args:
            thing: The object.
            source: The source of its tools; by default, the file where they are defined.

        Raises:
            InvalidTools: With every problem, or if the class is not marked.
        """
        contents, problems = contents_of(thing, source)
        if contents.mark is None:
            message, hint = f"class '{type(thing).__qualname__}' is not a toolbox", "mark it with @toolbox"
            raise InvalidTools(problems=[Problem(NOT_A_TOOL, message, place_of(type(thing)), hint=hint)])
        raise_errors(InvalidTools, problems)
        return facade_with(contents, *contents.mark)

    @classmethod
    def from_tool_object(
        cls,
        thing: object,
        name: str,
        description: str,
        *,
        usage_notes: str | None = None,
        exclusive: bool = False,
    ) -> "UnfoldingTool":
        """Return a facade for any object with marked methods, whether or not its class is marked.

        Raises:
            InvalidTools: With every problem, or if the object has no tools.
        """
        contents, problems = contents_of(thing)
        raise_errors(InvalidTools, problems)
        return facade_with(contents, name, description, usage_notes, exclusive=exclusive)

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[Tool]:
        """Return the tools that a call with these arguments reveals."""
        if self._choose is None:
            return self._fixed
        given = [arguments, context][: max(1, _positional(self._choose))]
        try:
            chosen = await call_function(self._choose, *given, is_async=self.suspends)
            if not isinstance(chosen, Iterable):
                message = f"{self.name!r} cannot reveal its tools: its function must return a list"
                raise ToolExecutionError(f"{message}, not {type(chosen).__name__}")
            return _distinct([*self._fixed, *_tools_of(chosen)])
        except InvalidTools as error:
            raise ToolExecutionError(f"{self.name!r} cannot reveal its tools: {error}") from error


def _positional(function: Callable[..., Any]) -> int:
    """Return how many positional arguments a function takes, at most two: the arguments and the context."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return min(2, sum(1 for one in parameters if one.kind in kinds and one.default is one.empty))


def _distinct(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    return tuple({id(tool): tool for tool in tools}.values())


def _tools_of(things: Iterable[Any]) -> tuple[Tool, ...]:
    """Return the tools that anything can become; an object of a toolbox becomes a facade.

    Raises:
        InvalidTools: With every problem of the candidates that are not tools.
    """
    built, problems = built_for_models(things)
    raise_errors(InvalidTools, problems)
    return _distinct(built)


def built_for_models(things: Iterable[Any]) -> tuple[list[Tool], list[Problem]]:
    """Return the tools that candidates become for a model, and every problem; never raises."""
    tools: list[Tool] = []
    problems: list[Problem] = []
    for thing in tools_among(things):
        is_box = not isinstance(thing, Tool | type) and box_of(thing) is not None
        built, found = _facade_of(thing) if is_box else build_tools(thing)
        tools += built
        problems += errors_among(found)
    return tools, problems


def _facade_of(thing: object) -> tuple[list[Tool], list[Problem]]:
    try:
        return [UnfoldingTool.from_instance(thing)], []
    except InvalidTools as error:
        return [], list(error.problems)


def facade_with(
    contents: Contents,
    name: str,
    description: str,
    usage_notes: str | None = None,
    category_parameter: str = "category",
    exclusive: bool = False,  # noqa: FBT001, FBT002 - the fields of `ToolboxMark`, in their order
) -> UnfoldingTool:
    """Return a facade for the tools of an object, by category if its methods have categories."""
    source = contents.tools[0].spec.source if contents.tools else None
    boxes = [UnfoldingTool.from_instance(box, source=source) for box in contents.boxes]
    if table := categories_among(contents.tools, boxes):
        facade = UnfoldingTool.by_category(
            name, description, table, parameter=category_parameter, usage_notes=usage_notes, exclusive=exclusive
        )
    else:
        tools = [*contents.tools, *boxes]
        facade = UnfoldingTool.of(name, description, tools, usage_notes=usage_notes, exclusive=exclusive)
    facade.spec = replace(facade.spec, location=place_of(contents.cls))
    return facade
