"""Progressive tools stand for other tools, and reveal them when they are called."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.codes import ROOT_NOT_OBJECT
from toolkit.disclosure.guides import Choices, Facade, guide_in, guide_names, guides_of
from toolkit.errors import InvalidTools, ToolExecutionError
from toolkit.problems import Problem
from toolkit.tools.base import Tool, Unfolded, innermost
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.json_data import plain_data
from toolkit.tools.names import name_problem
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape

NOTHING: Mapping[str, Any] = {"type": "object", "properties": {}}


class ProgressiveTool(Facade):
    """A tool that stands for others. A call reveals them; the arguments may decide which.

    Subclasses override `reveal`, and `inner_tools` if some tools are known in advance.
    """

    delegates = True

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
        """Create a facade. It is marked read-only unless the options differ, since it changes nothing itself.

        Args:
            name: The name that a model calls.
            description: The purpose of the tools behind the facade.
            parameters: A JSON Schema of type `object`, for the arguments that decide which tools are revealed.
            usage_notes: Instructions for using the tools; a model reads them together with the tools.
            exclusive: Whether the revealed tools replace all others.
            **options: Any other option of `ToolSpec`.

        Raises:
            InvalidTools: If the name or the schema is invalid.
        """
        if problem := name_problem(name):
            raise InvalidTools(problems=[problem])
        self.spec = ToolSpec(name, description, parameters, **{"read_only": True, **options})
        self.usage_notes = usage_notes if usage_notes and not usage_notes.isspace() else None
        self.exclusive = exclusive
        if self.chooses:
            self._shape  # noqa: B018 - reports an invalid schema now

    @property
    def inner_tools(self) -> tuple[Tool, ...]:
        """The tools behind the facade, as far as they are known without a call."""
        return ()

    @property
    def callees(self) -> tuple[Tool, ...]:
        """The tools behind the facade, as far as they are known without a call."""
        return self.inner_tools

    @property
    def shows_all(self) -> bool:
        """Whether `inner_tools` is complete; False if a call may reveal other tools."""
        return False

    async def reveal(self, arguments: Mapping[str, Any], context: ToolContext) -> Sequence[Tool]:
        """Return the tools that a call with these arguments reveals.

        Raises:
            ToolExecutionError: If the tools cannot be loaded.
        """
        raise NotImplementedError

    def parse(self, arguments: Arguments) -> Any:
        """Return the parsed arguments; a facade without parameters ignores them."""
        return self._shape.read(arguments) if self.chooses else {}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data."""
        return plain_data(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Reveal the tools: the text lists their names, and the artifact contains the tools."""
        tools = tuple(await self.reveal(parsed, context))
        return self.unfold(tools, {self.key_of(parsed): tools})

    def unfold(self, tools: tuple[Tool, ...], choices: Choices) -> ToolResult:
        """Return the result that reveals these tools: their names as text, the tools and guides as its artifact."""
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
        from toolkit.tools.shapes.schema_shapes import shape_of_schema  # most facades take no arguments

        try:
            return shape_of_schema(self.spec.parameters)
        except ValueError as error:
            raise InvalidTools(problems=[Problem(ROOT_NOT_OBJECT, str(error), self.spec.location)]) from error


def facade_in(tool: Tool) -> "ProgressiveTool | None":
    """Return the facade inside a tool and its wrappers; None if there is none, or if a guide has replaced it."""
    inner = innermost(tool)
    return inner if isinstance(inner, ProgressiveTool) and guide_in(tool) is None else None
