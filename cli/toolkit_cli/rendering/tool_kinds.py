"""What kind of tool something is: a pipeline, an agent, a facade or a single call; and how to name it as a TARGET."""

import sys
from inspect import getattr_static
from shlex import quote
from typing import TYPE_CHECKING, Final

from toolkit.approvals.policies import endpoint_of
from toolkit.tools.base import Tool, WrappedTool, innermost
from toolkit.tools.definition.spec import ToolSpec
from toolkit_cli.rendering.excerpts import shown_path

if TYPE_CHECKING:
    from toolkit.agents.agent_outlines import AgentOutline
    from toolkit.openapi.operation_tools import OperationTool
    from toolkit.pipelines.pipeline import Pipeline

_KINDS: Final = {"text": "text tool", "json": "typed tool", "parameter": "function"}
REMOTE: Final = "mcp://"
"""What the source of a tool on an MCP server starts with."""


def kind_of(tool: Tool) -> str:
    """Return the kind of a tool, in a word or two."""
    if is_facade(tool):
        return "facade"
    if agent := outline_of_agent(tool):
        return "agent" if agent.kind == "simple" else f"agent, {agent.kind}"
    if is_agent(tool):
        return "agent"
    if operation_in(tool):
        return "operation"
    return "pipeline" if pipeline_in(tool) else _KINDS[tool.pipe]


def pipeline_in(tool: Tool) -> "Pipeline | None":
    """Return the pipeline inside a possibly wrapped tool; `None` if it is not a pipeline."""
    while isinstance(tool, WrappedTool):
        tool = tool.inner
    room = sys.modules.get("toolkit.pipelines.pipeline")  # without this import, no pipeline exists
    return tool if room is not None and isinstance(tool, room.Pipeline) else None


def operation_in(tool: Tool) -> "OperationTool | None":
    """Return the operation of an API inside a possibly wrapped tool; `None` if it is something else."""
    room = sys.modules.get("toolkit.openapi.operation_tools")  # without this import, no operation exists
    inner = innermost(tool)
    return inner if room is not None and isinstance(inner, room.OperationTool) else None


def is_facade(tool: Tool) -> bool:
    """Return whether a tool reveals others when it is called."""
    room = sys.modules.get("toolkit.disclosure.progressive")  # without this import, no facade exists
    return room is not None and room.facade_in(tool) is not None


def is_agent(tool: Tool) -> bool:
    """Return whether a model decides which calls the tool makes."""
    return getattr_static(innermost(tool), "is_agent", False) is True


def is_single_call(tool: Tool) -> bool:
    """Return whether a call of the tool makes no further calls."""
    return pipeline_in(tool) is None and not is_facade(tool) and not is_agent(tool)


def outline_of_agent(tool: Tool) -> "AgentOutline | None":
    """Return the outline of an agent; `None` if the tool is not an agent."""
    if "toolkit.agents.agent" not in sys.modules:  # without this import, no agent exists
        return None
    from toolkit.agents.agent_outlines import outline_of  # only an agent needs it

    return outline_of(tool)


def address_of(spec: ToolSpec, target: str = "") -> str:
    """Return the TARGET for a tool: `file.py:name`, a pipeline's file, `module:name`, or only its name.

    Args:
        spec: The definition of the tool.
        target: The target that the tool was opened with; tools that a program has built do not know where they are.
    """
    source = shown_path(spec.source or "") or _holder_of(spec, target)
    if (endpoint := endpoint_of(spec.names)) is not None:
        return f"{source}:{spec.name}" if spec.names[-1] == endpoint else spec.name
    if source.endswith((".yaml", ".yml")):
        return source
    if source.startswith(REMOTE):
        place = spec.location.file if spec.location else f"{source}/{spec.name}"
        return place.removeprefix(REMOTE).replace("/", ".", 1)
    return spec.name if source in {"", "builtin"} or source.endswith(".toml") else f"{source}:{spec.name}"


def python_option(python: str | None) -> str:
    """Return the option that names another Python, after a blank, for commands that are shown; empty without one."""
    return "" if python is None else f" --python {quote(python)}"


def _holder_of(spec: ToolSpec, target: str) -> str:
    """Return the file or module of a tool without a source; an empty string if it is found by its name alone."""
    holder = target if target.endswith(".py") else target.rpartition(":")[0]
    if holder or target in {"", spec.name} or spec.location is None:
        return holder
    return shown_path(spec.location.file)
