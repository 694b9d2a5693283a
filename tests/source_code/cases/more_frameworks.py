"""Tools as the documentation of the other frameworks writes them."""

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.tools import AgentTool
from autogen_core.tools import FunctionTool as AutogenTool
from crewai.tools import BaseTool as CrewTool, tool as crew_tool
from haystack.tools import Tool as HaystackTool, create_tool_from_function, tool as haystack_tool
from llama_index.core.tools import FunctionTool
from llama_index.core.tools.tool_spec.base import BaseToolSpec
from semantic_kernel.functions import kernel_function
from semantic_kernel.processes.kernel_process import KernelProcessStep
from smolagents import Tool, tool
from strands import tool as strands_tool
from strands.types.tools import ToolResult

TOOL_SPEC = {"name": "http_request", "description": "x", "inputSchema": {"json": {}}}


def http_request(tool) -> ToolResult:
    return tool


@tool
def model_download(task: str) -> str:
    return task


class Downloads(Tool):
    name = "downloads"
    description = "x"
    inputs = {}
    output_type = "string"

    def forward(self) -> str:
        return ""


def multiply(a: int, b: int) -> int:
    return a * b


made = FunctionTool.from_defaults(multiply, name="product")
again = FunctionTool.from_defaults(fn=multiply)


class Mail(BaseToolSpec):
    spec_functions = ["load", ("send", "send_later")]

    def load(self) -> str:
        return ""

    def send(self, text: str) -> str:
        return text

    async def send_later(self, text: str) -> str:
        return text


@haystack_tool
def of_haystack(city: str) -> str:
    return city


from_function = create_tool_from_function(multiply)
by_hand = HaystackTool(name="by_hand", description="x", parameters={}, function=multiply)


@strands_tool(name="strand")
def of_strands(city: str) -> str:
    return city


@crew_tool("Name of my tool")
def of_crewai(question: str) -> str:
    return question


class CrewClass(CrewTool):
    name: str = "Name of a tool"
    description: str = "x"

    def _run(self, argument: str) -> str:
        return argument


class Lights:
    @kernel_function(name="get_lights", description="x")
    def lights(self) -> str:
        return ""


autogen = AutogenTool(multiply, description="Multiplies")
as_tool = AgentTool(agent=AssistantAgent(name="writer", model_client=None))


class Greet(KernelProcessStep[None]):
    @kernel_function()
    async def greet(self) -> None:
        """Run by a process, never by a model."""
