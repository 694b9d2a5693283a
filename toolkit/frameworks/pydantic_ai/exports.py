"""Exports a Tool to agents of pydantic-ai."""

from copy import deepcopy
from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.tools.attachments import attachments_in
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext


def to_pydantic_ai(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `Tool` of pydantic-ai, for agents: `Agent(model, tools=[to_pydantic_ai(tool)])`.

    Invalid arguments are sent back to the model as a `ModelRetry`, and any other failure as a `ToolFailed`. An artifact
    becomes the `metadata` of a `ToolReturn`, and images become its `content`. Exceptions that end more than the call
    are raised, for example if a reviewer ends the run.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If pydantic-ai is not installed.
    """
    theirs = imported("pydantic_ai", "Tool", package="pydantic-ai-slim", wanted_by="to_pydantic_ai")
    retry = theirs.ModelRetry
    failed = getattr(theirs.exceptions, "ToolFailed", retry)
    handed = context_of_agent(context)

    async def call(**arguments: Any) -> Any:
        result = await tool.call(arguments, handed)
        if not result.succeeded:
            raise (retry if result.error_code == "invalid_arguments" else failed)(result.text)
        shown = attachments_in(result.artifact)
        pictures = [theirs.BinaryContent(one.data, media_type=one.media_type) for one in shown if one.data]
        return theirs.ToolReturn(result.text, content=pictures or None, metadata=result.artifact)

    record_export(call, tool)
    return theirs.Tool.from_schema(call, tool.name, tool.description, deepcopy(tool.spec.parameters))
