"""Tools as the documentation of pydantic-ai, OpenAI Agents, the SDKs of Anthropic and Google ADK write them."""

from agents import Agent as OpenAiAgent, FunctionTool, RunContextWrapper, function_tool
from anthropic import beta_async_tool, beta_tool
from claude_agent_sdk import tool as claude_tool
from google.adk.agents import Agent as AdkAgent, LlmAgent
from google.adk.tools import FunctionTool as AdkFunctionTool
from google.adk.tools.agent_tool import AgentTool
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.toolsets import FunctionToolset

agent = Agent("test")
toolset = FunctionToolset()


@agent.tool
def with_context(ctx: RunContext[int], city: str) -> str:
    return city


@agent.tool_plain(name="plain")
def without_context(city: str) -> str:
    return city


@toolset.tool
def of_a_toolset(city: str) -> str:
    return city


def forecast(city: str) -> str:
    return city


toolset.add_function(forecast, name="added")
other = Agent("test", tools=[forecast, Tool(forecast, name="wrapped")])


class Service:
    def __init__(self) -> None:
        self.agent: Agent[int] = Agent("test")

        @self.agent.tool_plain
        def inside(city: str) -> str:
            return city


@function_tool
def get_weather(city: str) -> str:
    return city


@function_tool(name_override="fetch_data")
def read_file(ctx: RunContextWrapper[int], path: str) -> str:
    return path


by_hand = FunctionTool(name="process", description="x", params_json_schema={}, on_invoke_tool=forecast)
as_tool = OpenAiAgent(name="spanish").as_tool(tool_name="translate", tool_description="x")


@beta_tool
def of_anthropic(city: str) -> str:
    return city


@beta_async_tool(name="later")
async def of_anthropic_later(city: str) -> str:
    return city


@claude_tool("greet", "Greets", {"name": str})
async def greet(args):
    return {"content": []}


root = AdkAgent(name="root", tools=[forecast, AgentTool(agent=agent), AdkFunctionTool(without_context)])
TOOLS = [read_file, forecast]
second = LlmAgent(name="second", tools=TOOLS)
