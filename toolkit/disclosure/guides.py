"""Guides: what stays with the tools that a facade has revealed, so that a model which calls it again finds its way."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolkit.approvals.gates import Demand
from toolkit.errors import ToolArgumentsError
from toolkit.tools.base import Tool, WrappedTool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.refusals import AnsweredEarly
from toolkit.tools.results import ToolResult
from toolkit.tools.revealing import Unfolded
from toolkit.tools.spec import ToolSpec
from toolkit.wrappers.one_shot import OneShotTool

Choices = Mapping[str, tuple[Tool, ...]]
"""The tools that a facade has revealed so far, by the arguments that it was called with."""


def guide_names(facade: str) -> tuple[str, str]:
    """Return the names of a facade's guides: its own, and that of the tool that describes its tools."""
    return facade, f"{facade}_context"


class Facade(Tool):
    """A tool that stands for others, as its guides know it.

    Attributes:
        usage_notes: How the tools are to be used.
    """

    usage_notes: str | None

    @property
    def chooses(self) -> bool:
        """Whether the tools that it reveals depend on the arguments."""
        return bool(self.spec.properties)

    def key_of(self, parsed: Any) -> str:
        """Return arguments as a text that identifies them."""
        return json.dumps(self.describe(parsed), sort_keys=True)

    def unfold(self, tools: tuple[Tool, ...], choices: Choices) -> ToolResult:
        """Return the result that hands these tools over.

        Args:
            tools: All that are there now.
            choices: Those that each choice so far has given.

        Raises:
            ToolExecutionError: If two of them have one name, or one has a name that the facade needs.
        """
        raise NotImplementedError


class GuideTool(WrappedTool):
    """Stands where a facade stood, round it and whatever was round it, and leads to the tools that are there now.

    Where the facade chooses by its arguments, other arguments reveal more; the same ones lead back to the same tools,
    and nobody is asked about that.
    """

    def __init__(self, facade: Facade, tools: Sequence[Tool], choices: Choices, behind: Tool | None = None) -> None:
        """Keep the facade, what is revealed and for what, and what stood here: the facade with all that is round it."""
        super().__init__(behind or facade)
        self.facade = facade
        self.tools = tuple(tools)
        self._choices = choices
        names = ", ".join(tool.name for tool in tools)
        more = f" {facade.description}" if facade.chooses else ""
        self._spec = replace(self.inner.spec, description=f"Call a specific tool instead: {names}.{more}")

    @property
    def spec(self) -> ToolSpec:  # type: ignore[override]
        """The specification of what stood here, with a description that names the tools."""
        return self._spec

    def standing_for(self, behind: Tool) -> "GuideTool":
        """Return the guide in the place of a facade with all that is round it, under its name."""
        return GuideTool(self.facade, self.tools, self._choices, behind)

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments that the facade wants, or nothing where they do not fit: then all tools are listed."""
        try:
            return super().parse(arguments)
        except ToolArgumentsError:
            return {}

    def check(self, parsed: Any, context: ToolContext) -> None:
        """List the tools at once where nothing else is wanted; refuse what is refused behind it."""
        if self._is_new(parsed):
            super().check(parsed, context)
        elif not parsed or self._merge(self._choices[self.facade.key_of(parsed)]) == self.tools:
            raise AnsweredEarly(self._listing())

    def demand(self, parsed: Any, context: ToolContext) -> Demand | None:
        """Want the question that is wanted behind it."""
        return super().demand(parsed, context) if self._is_new(parsed) else None

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """Reveal the tools of another choice together with those that are there."""
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
        """Return the tools that are there with those that are chosen, of two with one name the chosen one."""
        return tuple({tool.name: tool for tool in (*self.tools, *chosen)}.values())

    def _listing(self) -> ToolResult:
        lines = "".join(f"- {tool.name}: {tool.description}\n" for tool in self.tools)
        notes = f"\n{self.facade.usage_notes}" if self.facade.usage_notes else ""
        return ToolResult(f"Use one of these tools directly:\n{lines}{notes}")


def guide_in(tool: Tool | None) -> GuideTool | None:
    """Return the guide that a tool is, under whatever was put round it, or None if it is another kind."""
    while isinstance(tool, WrappedTool) and not isinstance(tool, GuideTool):
        tool = tool.inner
    return tool if isinstance(tool, GuideTool) else None


class ContextTool(Tool):
    """Describes the tools of a facade, each in full, and how they are used."""

    suspends = False
    uses_context = False

    def __init__(self, facade: Facade, tools: Sequence[Tool]) -> None:
        names = ", ".join(tool.name for tool in tools)
        purpose, notes = facade.description.rstrip("."), facade.usage_notes
        lines = "".join(_in_full(tool) for tool in tools)
        self._text = f"Tools for {purpose}:\n{lines}" + (f"\nUsage notes: {notes}" if notes else "")
        description = f"{purpose}. Available: {names}" + (f". {notes}" if notes else "")
        self.spec = ToolSpec(guide_names(facade.name)[1], description, read_only=True, source=facade.spec.source)

    def parse(self, arguments: Arguments) -> Any:  # noqa: ARG002 - it takes none, so those that came are ignored
        """Return no arguments."""
        return {}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return that there are none."""
        return dict(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:  # noqa: ARG002 - the text is fixed
        """Return the description."""
        return ToolResult(self._text)


def guides_of(facade: Facade, tools: Sequence[Tool], choices: Choices) -> tuple[Tool, ...]:
    """Return the guides of a facade's tools; a loop describes their purpose once, or some models keep asking."""
    names = ", ".join(tool.name for tool in tools)
    context = OneShotTool(ContextTool(facade, tools), f"Call one of these tools now: {names}.")
    return GuideTool(facade, tools, choices), context


def _in_full(tool: Tool) -> str:
    lines = [f"- {tool.name}: {tool.description}\n"]
    for name, schema in tool.spec.properties.items():
        kind = schema.get("type", "any") if isinstance(schema, Mapping) else "any"
        kinds = kind if isinstance(kind, str) else " or ".join(kind)
        needed = ", required" if name in tool.spec.required else ""
        text = schema.get("description") if isinstance(schema, Mapping) else None
        lines.append(f"    {name} ({kinds}{needed})" + (f": {text}\n" if text else "\n"))
    return "".join(lines)
