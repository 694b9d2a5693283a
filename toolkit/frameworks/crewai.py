"""CrewAI: tools and agents; see `crewai/tools/base_tool.py` of crewai 1.15."""

import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from importlib import import_module
from typing import Any

from toolkit.errors import ToolExecutionError
from toolkit.frameworks.foreign_tools import ForeignTool, explained, keeping_what_is_approved
from toolkit.frameworks.recognised import ForeignClass, Versions
from toolkit.running import in_thread
from toolkit.tools.calls.foreign_values import bases_of_class, kind_of, module_of_class
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.tools.definition.definition_places import place_of
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Registration, SourceMarks, Terms, ToolClasses

MARKS = SourceMarks(
    title="CrewAI",
    packages=("crewai", "crewai_tools"),
    classes=("crewai*.tools.*Tool", "crewai_tools.*Tool"),
    registrations=(
        Registration(("crewai.tools.tool", "crewai.tools.*.tool", "crewai_tools.tool"), name=(0, "name")),
        Registration(("crewai.tools.*Tool.from_langchain",), "definition", function=()),
        Registration(
            ("crewai.tools.*StructuredTool.from_function", "crewai.tools.*Tool.from_function"),
            "function",
            schema=("args_schema",),
        ),
        Registration(
            ("crewai.tools.Tool", "crewai.tools.base_tool.Tool", "crewai.tools.*CrewStructuredTool"),
            "definition",
            function=("func",),
            schema=("args_schema",),
        ),
    ),
    tool_classes=(
        ToolClasses(
            ("crewai*.tools.*BaseTool", "crewai_tools.*Tool"),
            ("_run", "_arun"),
            schema=("args_schema",),
        ),
    ),
    reads_docstrings=False,
    terms=Terms(rewrites_names=True, parameter="an args_schema with Field(description='…')"),
)


VERSIONS = Versions("crewai", (1, 9))
"""1.8 lacks `convert_tools_to_openai_schema`, which returns what models receive."""

_RUN_HOOKS = "run_before_tool_call_hooks"
_FORMATS = "crewai.utilities.agent_utils"
"""A module of CrewAI: installed if there is a tool, but not yet imported before the first model request."""


def tools_of_tool(tool: Any) -> Iterator[ForeignTool]:
    """Yield the Tool of a `BaseTool`, under the name that models receive: letters, digits and underscores."""
    sent = import_module(_FORMATS).convert_tools_to_openai_schema([tool])[0][0]["function"]
    function = getattr(tool, "func", None)
    spec = ToolSpec(
        sent["name"],
        sent["description"],
        sent["parameters"] or {"type": "object", "properties": {}},
        return_behavior="immediate" if tool.result_as_answer else "to_model",
        strict=sent.get("strict"),
        location=place_of(function or type(tool)),
    )
    yield ForeignTool(
        spec,
        partial(_invoke, tool, sent["name"], sent["parameters"]),
        framework="crewai",
        thing=tool,
        function=function,
    )


async def _invoke(
    tool: Any, name: str, parameters: dict[str, Any], arguments: dict[str, Any], context: ToolContext
) -> Any:
    """Call a tool as an agent does, with the hooks that run before all calls.

    Raises:
        ToolArgumentsError: If the tool rejects the arguments.
        ToolExecutionError: If a hook blocks the call.
    """
    given = deepcopy(arguments)
    if (hooks := sys.modules.get("crewai.hooks.tool_hooks")) is not None and hasattr(hooks, _RUN_HOOKS):
        hooked = hooks.ToolCallHookContext(tool_name=name, tool_input=given, tool=tool.to_structured_tool())
        if getattr(hooks, _RUN_HOOKS)(hooked):
            raise ToolExecutionError(f"a hook of CrewAI blocks the call of {name!r}", "blocked")
    try:
        with keeping_what_is_approved(name, arguments, given, context):
            output = await (tool.arun(**given) if _is_async(tool) else in_thread(partial(tool.run, **given)))
    except ValueError as error:
        if kind_of(error.__cause__) == "ValidationError" and isinstance(error.__cause__, ValueError):
            raise explained(error.__cause__, parameters, arguments) from None
        raise
    return ToolResult.failure(output.message, "error") if kind_of(output) == "ToolFailure" else output


def _is_async(tool: Any) -> bool:
    """Return whether a tool only has an async implementation; `run` awaits the result of a plain one."""
    own = next(base for base in bases_of_class(type(tool)) if "_arun" in vars(base))
    return not hasattr(tool, "func") and module_of_class(own) != "crewai.tools.base_tool"


_AGENT = ForeignClass.holding(lambda agent: agent.tools or (), tools_of_tool)
CLASSES = {
    "crewai.tools.base_tool.BaseTool": ForeignClass(tools_of_tool),
    "crewai.agents.agent_builder.base_agent.BaseAgent": _AGENT,
}
