"""LangChain's exports: a Tool of ours inside an agent of LangChain."""

from copy import deepcopy
from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, stands_for
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext
from toolkit.tools.results import ToolResult


def to_langchain(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `BaseTool` of LangChain, for its agents: `create_agent(model, [to_langchain(tool)])`.

    A failure becomes a `ToolMessage` with the status `error`, and an artifact its `artifact`. What ends more than the
    call, such as a reviewer who ends the run, is raised.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: What every call is handed: the reviewer, the policy, values. The model counts as who chose the call.

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

    stands_for(ExportedTool, tool)
    return ExportedTool(
        name=tool.name,
        description=tool.description,
        args_schema=deepcopy(tool.spec.parameters),
        return_direct=tool.spec.return_behavior != "to_model",
        response_format="content_and_artifact",
        handle_tool_error=True,
    )
