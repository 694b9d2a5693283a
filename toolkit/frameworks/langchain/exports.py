"""Exports a Tool to LangChain's agents."""

from copy import deepcopy
from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.results import ToolResult


def to_langchain(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a LangChain `BaseTool`, for agents: `create_agent(model, [to_langchain(tool)])`.

    A failed call becomes a `ToolMessage` with the status `error`; an artifact becomes its `artifact`. Exceptions that
    end more than the call are raised, for example if a reviewer ends the run.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If LangChain is not installed.
    """
    theirs = imported("langchain_core.tools", "BaseTool", package="langchain-core", wanted_by="to_langchain")
    handed = context_of_agent(context)

    def output(result: ToolResult) -> tuple[str, Any]:
        if not result.succeeded:
            raise theirs.ToolException(result.text)
        return result.text, result.artifact

    class ExportedTool(theirs.BaseTool):  # type: ignore[misc, name-defined]  # whatever version is installed
        def _run(self, /, **arguments: Any) -> tuple[str, Any]:
            return output(tool.run(arguments, handed))

        async def _arun(self, /, **arguments: Any) -> tuple[str, Any]:
            return output(await tool.call(arguments, handed))

    record_export(ExportedTool, tool)
    return ExportedTool(
        name=tool.name,
        description=tool.description,
        args_schema=deepcopy(tool.spec.parameters),
        return_direct=tool.spec.return_behavior != "to_model",
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
