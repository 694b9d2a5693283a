"""Exports a Tool to agents of OpenAI Agents."""

from base64 import b64encode
from copy import deepcopy
from typing import Any

from toolkit.frameworks.exported_calls import context_of_agent, imported, record_export
from toolkit.tools.attachments import Attachment, attachments_in
from toolkit.tools.base import Tool
from toolkit.tools.context import NO_CONTEXT, ToolContext


def to_openai_agents(tool: Tool, context: ToolContext = NO_CONTEXT) -> Any:
    """Return a Tool as a `FunctionTool` of OpenAI Agents: `Agent(name="Clerk", tools=[to_openai_agents(tool)])`.

    A failed call returns a text that the model reads; images are returned as images. Exceptions that end more than the
    call are raised through the runner, for example if a reviewer ends the run.

    Args:
        tool: Any Tool: a function, a pipeline, a facade, a remote tool, an agent.
        context: The context of every call: reviewer, policy, values. Calls count as chosen by the model.

    Raises:
        ConfigurationError: If OpenAI Agents is not installed.
    """
    theirs = imported("agents", "FunctionTool", package="openai-agents", wanted_by="to_openai_agents")
    handed = context_of_agent(context)

    async def call(_ctx: Any, arguments: str) -> Any:
        result = await tool.call(arguments, handed)
        shown = [one for one in attachments_in(result.artifact) if one.kind == "image" and one.data]
        if not shown:
            return result.text
        images = [theirs.ToolOutputImage(image_url=_data_url(one)) for one in shown]
        return [theirs.ToolOutputText(text=result.text), *images]

    made = theirs.FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=deepcopy(tool.spec.parameters),
        on_invoke_tool=call,
        strict_json_schema=bool(tool.spec.strict),
    )
    record_export(made, tool)
    return made


def _data_url(attachment: Attachment) -> str:
    return f"data:{attachment.media_type};base64,{b64encode(attachment.data).decode()}"
