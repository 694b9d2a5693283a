"""Progressive tools: tools that stand for others, and reveal them when they are called."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.codes import ROOT_NOT_OBJECT
from toolkit.disclosure.guides import Choices, Facade, guide_in, guide_names, guides_of
from toolkit.errors import InvalidTools, ToolExecutionError
from toolkit.problems import Problem
from toolkit.tools.base import Tool, innermost
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.names import name_problem
from toolkit.tools.plain_arguments import plain_data
from toolkit.tools.results import ToolResult
from toolkit.tools.revealing import Unfolded
from toolkit.tools.shapes.arguments import read_arguments
from toolkit.tools.spec import ToolSpec

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape

NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}}


class ProgressiveTool(Facade):
    """A tool that stands for others: a call of it reveals them, and which they are may depend on the call.

    A kind of it overrides `reveal`, and `inner_tools` where some are known beforehand.
    """

    def __init__(
        self,
        name: str,
        description: str,
        parameters: Mapping[str, Any] = NOTHING,
        *,
        usage_notes: str | None = None,
        exclusive: bool = False,
        **options: Any,
    ) -> None:
        """Make a facade; it changes nothing itself, so it is marked read-only unless the options say otherwise.

        Args:
            name: What a model calls it by.
            description: What the tools behind it are for.
            parameters: A JSON Schema of type `object`: what the choice of the tools depends on.
            usage_notes: How the tools are to be used; a model reads it together with the tools.
            exclusive: Whether all other tools make way when these are revealed.
            **options: Anything else that `ToolSpec` takes.

        Raises:
            InvalidTools: If the name is not legal, or the parameters are no schema.
        """
        if problem := name_problem(name):
            raise InvalidTools(problems=[problem])
        self.spec = ToolSpec(name, description, parameters, **{"read_only": True, **options})
        self.usage_notes = usage_notes
        self.exclusive = exclusive
        if self.chooses:
            self._shape  # noqa: B018 - a schema that cannot be checked is reported now

    @property
    def inner_tools(self) -> tuple[Tool, ...]:
        """The tools behind it, as far as they are known without a call."""
        return ()

    @property
    def shows_all(self) -> bool:
        """Whether a call can reveal nothing but `inner_tools`; one that may make others for the occasion cannot say."""
        return False

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[Tool]:
        """Return the tools for a call.

        Raises:
            ToolExecutionError: If they cannot be had.
        """
        raise NotImplementedError

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments; where none are wanted, those that came are ignored."""
        if not self.chooses:
            return {}

        optional = frozenset(self.spec.properties) - frozenset(self.spec.required)
        return read_arguments(self._shape, arguments, optional)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data."""
        return plain_data(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Reveal the tools: the text names them, and the artifact hands them over."""
        tools = tuple(await self.reveal(parsed, context))
        return self.unfold(tools, {self.key_of(parsed): tools})

    def unfold(self, tools: tuple[Tool, ...], choices: Choices) -> ToolResult:
        """Return the result that hands these tools over: their names as text, the tools and their guides beside it."""
        if not tools:
            return ToolResult(f"There are no tools behind '{self.name}' for these arguments.")
        names = [tool.name for tool in tools]
        taken = [name for name in names if names.count(name) > 1 or name in guide_names(self.name)]
        if taken:
            raise ToolExecutionError(f"'{self.name}' cannot reveal its tools: the name '{taken[0]}' is taken")
        listing = [{"name": tool.name, "description": tool.description} for tool in tools]
        notes = f"\n\n{self.usage_notes}" if self.usage_notes else ""
        return ToolResult(
            f"Tools now available: {', '.join(names)}. Call the one that you need.{notes}",
            structured={"tools": listing},
            artifact=Unfolded(
                self.name,
                tools,
                guides=guides_of(self, tools, choices),
                exclusive=self.exclusive,
                notes=self.usage_notes,
            ),
        )

    @cached_property
    def _shape(self) -> "Shape":
        from toolkit.tools.shapes.schema_types import shape_of_schema  # noqa: PLC0415 - most facades take no arguments

        try:
            return shape_of_schema(self.spec.parameters)
        except ValueError as error:
            raise InvalidTools(problems=[Problem(ROOT_NOT_OBJECT, str(error), self.spec.location)]) from error


def facade_in(tool: Tool) -> "ProgressiveTool | None":
    """Return the facade that a tool is, under whatever was put round it, or None if it is another kind."""
    inner = innermost(tool)
    return inner if isinstance(inner, ProgressiveTool) and guide_in(tool) is None else None
