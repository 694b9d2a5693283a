"""Guides: what stays with the tools that a facade has revealed, so that a model which calls it again finds its way."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolkit.errors import ToolArgumentsError
from toolkit.tools.base import Arguments, Tool
from toolkit.tools.context import ToolContext
from toolkit.tools.results import ToolResult
from toolkit.tools.spec import ToolSpec
from toolkit.wrappers.one_shot import OneShotTool

if TYPE_CHECKING:
    from toolkit.disclosure.progressive import ProgressiveTool

Choices = Mapping[str, tuple[Tool, ...]]
"""The tools that a facade has revealed so far, by the arguments that it was called with."""


def guide_names(facade: str) -> tuple[str, str]:
    """Return the names of a facade's guides: its own, and that of the tool that tells what its tools are for."""
    return facade, f"{facade}_context"


class GuideTool(Tool):
    """Stands where a facade stood, and leads to the tools that are there now.

    Where the facade chooses by its arguments, other arguments reveal more; the same ones lead back to the same tools.
    """

    def __init__(self, facade: "ProgressiveTool", tools: Sequence[Tool], choices: Choices) -> None:
        """Keep the facade, what is revealed, and what it was revealed for."""
        self.facade = facade
        self.tools = tuple(tools)
        self.suspends = facade.suspends
        self._choices = choices
        names = ", ".join(tool.name for tool in tools)
        more = f" {facade.description}" if facade.chooses else ""
        self.spec = replace(facade.spec, description=f"Call a specific tool instead: {names}.{more}")

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments that the facade wants, or nothing where they are none: then all are listed."""
        try:
            return self.facade.parse(arguments)
        except ToolArgumentsError:
            return {}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments as plain data."""
        return self.facade.describe(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:
        """List the tools, or reveal those of another choice with them."""
        if not parsed:
            return self._listing()
        key = self.facade.key_of(parsed)
        chosen = self._choices.get(key) or tuple(await self.facade.reveal(parsed, context))
        merged = {tool.name: tool for tool in (*self.tools, *chosen)}
        if list(map(id, merged.values())) == list(map(id, self.tools)):
            return self._listing()
        return self.facade.unfold(tuple(merged.values()), {**self._choices, key: chosen})

    def _listing(self) -> ToolResult:
        lines = "".join(f"- {tool.name}: {tool.description}\n" for tool in self.tools)
        notes = f"\n{self.facade.usage_notes}" if self.facade.usage_notes else ""
        return ToolResult(f"Use one of these tools directly:\n{lines}{notes}")


class ContextTool(Tool):
    """Tells what the tools of a facade are for, each in full, and how they are used."""

    suspends = False
    uses_context = False

    def __init__(self, facade: "ProgressiveTool", tools: Sequence[Tool]) -> None:
        """Keep what it tells of."""
        names = ", ".join(tool.name for tool in tools)
        purpose, notes = facade.description.rstrip("."), facade.usage_notes
        lines = "".join(_in_full(tool) for tool in tools)
        self._text = f"Tools for {purpose}:\n{lines}" + (f"\nUsage notes: {notes}" if notes else "")
        description = f"{purpose}. Available: {names}" + (f". {notes}" if notes else "")
        self.spec = ToolSpec(guide_names(facade.name)[1], description, read_only=True, source=facade.spec.source)

    def parse(self, arguments: Arguments) -> Any:  # noqa: ARG002 - it wants none, so whatever came is none
        """Return no arguments."""
        return {}

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return that there are none."""
        return dict(parsed)

    async def perform(self, parsed: Any, context: ToolContext) -> ToolResult:  # noqa: ARG002 - it always tells the same
        """Tell it."""
        return ToolResult(self._text)


def guides_of(facade: "ProgressiveTool", tools: Sequence[Tool], choices: Choices) -> tuple[Tool, ...]:
    """Return what goes with the tools of a facade; what they are for is told once in a loop, or some models ask on."""
    names = ", ".join(tool.name for tool in tools)
    context = OneShotTool(ContextTool(facade, tools), f"Call one of these tools now: {names}.")
    return GuideTool(facade, tools, choices), context


def _in_full(tool: Tool) -> str:
    lines = [f"- {tool.name}: {tool.description}\n"]
    for name, schema in tool.spec.properties.items():
        kind = schema.get("type", "any") if isinstance(schema, Mapping) else "any"
        kinds = kind if isinstance(kind, str) else " or ".join(kind)
        needed = ", required" if name in tool.spec.required else ""
        told = schema.get("description") if isinstance(schema, Mapping) else None
        lines.append(f"    {name} ({kinds}{needed})" + (f": {told}\n" if told else "\n"))
    return "".join(lines)
