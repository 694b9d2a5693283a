"""Progressive tools stand for other tools, and reveal them when they are called.

A guide then replaces the called tool, so that a model which calls it again finds the revealed tools.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit.approvals.gates import Demand
from toolkit.codes import ROOT_NOT_OBJECT
from toolkit.disclosure.denials import permitted
from toolkit.errors import InvalidTools, ToolArgumentsError, ToolExecutionError
from toolkit.problems import Problem
from toolkit.tools.base import Tool, Unfolded, WrappedTool, innermost
from toolkit.tools.callees import Arguments
from toolkit.tools.calls.json_data import plain_data
from toolkit.tools.calls.results import AnsweredEarly, ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.names import name_problem
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.secret_arguments import members_of
from toolkit.wrappers.one_shot import OneShotTool

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape


Choices = Mapping[str, tuple[Tool, ...]]
"""The tools that a facade has revealed so far, by the arguments of the call."""


def guide_names(facade: str) -> tuple[str, str]:
    """Return the names of a facade's guides: that of the facade, and that of the tool describing its tools."""
    return facade, f"{facade}_context"


class Facade(Tool):
    """The interface of a facade that its guides use.

    Attributes:
        usage_notes: Instructions for using the tools.
    """

    usage_notes: str | None

    @property
    def chooses(self) -> bool:
        """Whether the tools that it reveals depend on the arguments."""
        return bool(self.spec.properties)

    def key_of(self, parsed: Any) -> str:
        """Return a string that identifies parsed arguments."""
        return json.dumps(self.describe(parsed), sort_keys=True)

    def unfold(self, tools: tuple[Tool, ...], choices: Choices) -> ToolResult:
        """Return the result that reveals these tools.

        Args:
            tools: All tools that are revealed now.
            choices: The tools that each choice so far has revealed.

        Raises:
            ToolExecutionError: If two tools have the same name, or one has a name that the facade needs.
        """
        raise NotImplementedError


class GuideTool(WrappedTool):
    """Replaces a facade and its wrappers after the first call, and refers the model to the revealed tools.

    If the arguments of the facade decide which tools it reveals, new arguments reveal more tools. Arguments used before
    list the same tools again, without another question to the user.
    """

    def __init__(
        self,
        facade: Facade,
        tools: Sequence[Tool],
        choices: Choices,
        behind: Tool | None = None,
        offered: Sequence[Tool] = (),
    ) -> None:
        """Create a guide for a facade.

        Args:
            facade: The facade.
            tools: The tools that are revealed.
            choices: The tools that each choice so far has revealed.
            behind: The facade with its wrappers; the facade itself by default.
            offered: The tools as a model is offered them, if some have another name.
        """
        super().__init__(behind or facade)
        self.facade = facade
        self.tools = tuple(tools)
        self._choices = choices
        self._offered = tuple(offered) or self.tools
        names = ", ".join(tool.name for tool in self._offered)
        more = f" {facade.description}" if facade.chooses else ""
        self._spec = replace(self.inner.spec, description=f"Call a specific tool instead: {names}.{more}")

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The specification of the replaced facade, with a description that lists the tools."""
        return self._spec

    def standing_for(self, behind: Tool, offered: Sequence[Tool]) -> "GuideTool":
        """Return a guide that replaces a facade with its wrappers, and lists the tools as they are offered."""
        return GuideTool(self.facade, self.tools, self._choices, behind, offered)

    def parse(self, arguments: Arguments) -> Any:
        """Return the facade's arguments; without any, an empty dictionary, so that all tools are listed.

        Raises:
            ToolArgumentsError: If there are arguments, but not valid ones, such as a category that does not exist.
        """
        try:
            return super().parse(arguments)
        except ToolArgumentsError:
            given = members_of(arguments) if isinstance(arguments, str) else arguments
            if any(value is not None for name, value in (given or {}).items() if name in self.spec.properties):
                raise
            return {}

    def check(self, parsed: Any, context: ToolContext) -> None:
        """Return the list of tools early if the call reveals nothing new; otherwise make the checks of the facade."""
        if self._is_new(parsed):
            super().check(parsed, context)
        elif not parsed or self._merge(self._choices[self.facade.key_of(parsed)]) == self.tools:
            raise AnsweredEarly(self._listing())

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Return the approval that the facade demands, if the call reveals anything new."""
        return super().demand(parsed, context) if self._is_new(parsed) else None

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Reveal the tools of another choice in addition to those already revealed."""
        key = self.facade.key_of(parsed)
        chosen = self._choices.get(key)
        if chosen is None:
            result = await self.result_from_inner(parsed, context)
            if not isinstance(result.artifact, Unfolded):
                return result
            chosen = result.artifact.tools
        merged = self._merge(chosen)
        return self._listing() if merged == self.tools else self.facade.unfold(merged, {**self._choices, key: chosen})

    def _is_new(self, parsed: Any) -> bool:
        return bool(parsed) and self.facade.key_of(parsed) not in self._choices

    def _merge(self, chosen: Sequence[Tool]) -> tuple[Tool, ...]:
        """Return the revealed tools and the chosen ones; of two with the same name, the chosen one."""
        return tuple({tool.name: tool for tool in (*self.tools, *chosen)}.values())

    def _listing(self) -> ToolResult:
        lines = "".join(f"- {tool.name}: {tool.description}\n" for tool in self._offered)
        notes = f"\n{self.facade.usage_notes}" if self.facade.usage_notes else ""
        return ToolResult(f"Use one of these tools directly:\n{lines}{notes}")


def guide_in(tool: Tool | None) -> GuideTool | None:
    """Return the guide inside a tool and its wrappers, or None."""
    while isinstance(tool, WrappedTool) and not isinstance(tool, GuideTool):
        tool = tool.inner
    return tool if isinstance(tool, GuideTool) else None


class ContextTool(Tool):
    """Describes the tools of a facade, with their parameters and usage notes."""

    suspends = False
    uses_context = False

    def __init__(self, facade: Facade, tools: Sequence[Tool]) -> None:
        self.facade = facade
        names = ", ".join(tool.name for tool in tools)
        purpose, notes = facade.description.rstrip("."), facade.usage_notes
        lines = "".join(_in_full(tool) for tool in tools)
        self._text = f"Tools for {purpose}:\n{lines}" + (f"\nUsage notes: {notes}" if notes else "")
        description = f"{purpose}. Available: {names}" + (f". {notes}" if notes else "")
        self.spec = ToolSpec(guide_names(facade.name)[1], description, read_only=True, source=facade.spec.source)

    def parse(self, arguments: Arguments) -> Any:  # it has no parameters, so arguments are ignored
        """Return no arguments."""
        return {}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments: an empty dictionary."""
        return dict(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Return the description."""
        return ToolResult(self._text)


def guides_of(facade: Facade, tools: Sequence[Tool], choices: Choices) -> tuple[Tool, ...]:
    """Return the guides of a facade. The description can be read only once, since some models keep asking for it."""
    return GuideTool(facade, tools, choices), context_of(facade, tools)


def context_of(facade: Facade, tools: Sequence[Tool]) -> Tool:
    """Return the guide that describes tools as they are offered."""
    names = ", ".join(tool.name for tool in tools)
    return OneShotTool(ContextTool(facade, tools), f"Call one of these tools now: {names}.")


def _in_full(tool: Tool) -> str:
    lines = [f"- {tool.name}: {tool.description}\n"]
    for name, schema in tool.spec.properties.items():
        kind = schema.get("type", "any") if isinstance(schema, Mapping) else "any"
        kinds = kind if isinstance(kind, str) else " or ".join(kind)
        needed = ", required" if name in tool.spec.required else ""
        text = schema.get("description") if isinstance(schema, Mapping) else None
        lines.append(f"    {name} ({kinds}{needed})" + (f": {text}\n" if text else "\n"))
    return "".join(lines)


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
        tools = permitted(await self.reveal(parsed, context), context)
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
