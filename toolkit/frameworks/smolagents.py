"""smolagents: tools and agents; see `smolagents/tools.py` of smolagents 1.26."""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from toolkit.frameworks.foreign_tools import ForeignTool
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread
from toolkit.tools.calls.foreign_values import kind_of
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Demands, Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="smolagents",
    packages=("smolagents",),
    classes=("smolagents.*Tool",),
    registrations=(Registration(("smolagents.tool", "smolagents.tools.tool")),),
    tool_classes=(ToolClasses(("smolagents.*Tool",), ("forward",), schema=("inputs",)),),
    terms=Terms(parameter="'NAME: …' under 'Args:' in the docstring", member="its 'description' in 'inputs'"),
    demands=Demands(types=True, result_type=True, descriptions=True),
)


VERSIONS = Versions("smolagents", (1, 5))
"""1.3 lacks `get_tool_json_schema`, which returns what models receive."""

_OWN = "final_answer"
"""The tool with which a model gives its final answer; every agent has it."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `Tool`."""
    sent = sys.modules["smolagents.models"].get_tool_json_schema(tool)["function"]
    is_function = kind_of(tool).endswith("SimpleTool")
    spec = ToolSpec(
        sent["name"],
        sent["description"],
        sent["parameters"],
        location=place_of(tool.forward if is_function else type(tool)),
    )
    function = tool.forward if is_function else None
    yield ForeignTool(spec, partial(_invoke, tool), framework="smolagents", thing=tool, function=function)


def tools_of_holder(holder: Any) -> Iterator[ForeignTool]:
    """Yield the Tools of an agent or a collection."""
    held = holder.tools
    for tool in held.values() if isinstance(held, dict) else held:
        if tool.name != _OWN:
            yield from tools_of_tool(tool)


async def _invoke(tool: Any, arguments: dict[str, Any], _context: ToolContext) -> Any:
    output = await in_thread(partial(tool, **arguments, sanitize_inputs_outputs=True))
    return output.to_string() if hasattr(output, "to_string") else output


CLASSES = {
    "smolagents.tools.Tool": ForeignClass(tools_of_tool),
    "smolagents.tools.ToolCollection": ForeignClass(tools_of_holder, is_tool=False),
    "smolagents.agents.MultiStepAgent": ForeignClass(tools_of_holder, is_tool=False),
}
