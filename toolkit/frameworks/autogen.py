"""AutoGen: tools and agents; see `autogen_core/tools/_base.py` of autogen-core 0.7."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool, explained
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.tools.calls.foreign_values import kind_of
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Demands, Injected, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="AutoGen",
    packages=("autogen_core", "autogen_agentchat", "autogen_ext"),
    classes=("autogen_core.tools.*Tool",),
    registrations=(
        Registration(
            ("autogen_core.tools.*FunctionTool",), "function", name=("name", 2), description=("description", 1)
        ),
        Registration(
            ("autogen_agentchat.tools.*AgentTool",), "definition", function=(), name=(), named_after=("agent", 0)
        ),
        Registration(("autogen_agentchat.*AssistantAgent",), "holder", function=("tools",)),
    ),
    tool_classes=(
        ToolClasses(
            ("autogen_core.tools.*BaseTool",),
            ("run",),
            passed=("args_type", "return_type", "name", "description"),
            takes_call=True,
        ),
    ),
    injected=Injected(types=("autogen_core.*CancellationToken",)),
    reads_docstrings=False,
    filler="NAME",
    terms=Terms(description="description='…'", parameter="Annotated[…, '…']"),
    demands=Demands(types=True),
)


VERSIONS = Versions("autogen-core", (0, 4))
"""Older versions, such as 0.0.2, are a different package."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `BaseTool`."""
    sent = tool.schema
    function = getattr(tool, "_func", None)
    spec = ToolSpec(
        sent["name"],
        sent["description"],
        sent["parameters"],
        strict=sent.get("strict"),
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(spec, partial(_invoke, tool), framework="autogen", thing=tool, function=function)


def tools_of_holder(holder: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an agent, or of a workbench with its own tools."""
    held = list(getattr(holder, "_tools", ()))
    for workbench in getattr(holder, "_workbench", None) or ():
        held += getattr(workbench, "_tools", ())
    for tool in held:
        yield from tools_of_tool(tool)


async def _invoke(tool: Any, arguments: dict[str, Any], _context: ToolContext) -> Any:
    """Call a tool as an agent does.

    Raises:
        ToolArgumentsError: If the tool rejects the arguments.
    """
    try:
        return await tool.run_json(arguments, sys.modules["autogen_core"].CancellationToken())
    except ValueError as error:
        if kind_of(error) == "ValidationError" and getattr(error, "title", "") == tool.args_type().__name__:
            raise explained(error, tool.schema["parameters"], arguments) from None
        raise


CLASSES = {
    "autogen_core.tools._base.BaseTool": ForeignClass(tools_of_tool),
    "autogen_core.tools._static_workbench.StaticWorkbench": ForeignClass(tools_of_holder, is_tool=False),
    "autogen_agentchat.agents._assistant_agent.AssistantAgent": ForeignClass(tools_of_holder, is_tool=False),
}
