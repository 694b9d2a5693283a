"""Functions and models that clients of models and small frameworks receive."""

import dspy
import ollama
import openai
from azure.ai.agents.models import FunctionDefinition
from azure.ai.agents.models import FunctionTool as AzureFunctions
from azure.ai.projects import AIProjectClient
from browser_use import ActionResult, BrowserSession, Controller, Tools
from camel.agents import ChatAgent
from camel.toolkits import FunctionTool
from google import genai
from pydantic import BaseModel
from swarm import Agent
from transformers import AutoTokenizer
from transformers.utils import get_json_schema


def find(order: str) -> str:
    """Find an order."""
    return order


def pay(order: str) -> str:
    """Pay an order."""
    return order


def cancel(order: str) -> str:
    """Cancel an order."""
    return order


class Refund(BaseModel):
    """Refund an order."""

    order: str


BY_NAME = {"pay": pay}
ollama.chat("qwen3", messages=[], tools=[find])
ollama.AsyncClient().chat("qwen3", messages=[], tools=list(BY_NAME.values()))
genai.Client().models.generate_content(model="gemini", contents="", config={"tools": [cancel]})
clerk = Agent(name="clerk", functions=[find])
dspy.ReAct("question -> answer", tools=[pay])
dspy.Tool(cancel, name="cancel_order")
ChatAgent("You are a clerk.", tools=[FunctionTool(find), pay])
AutoTokenizer.from_pretrained("qwen3").apply_chat_template([], tools=[cancel])
get_json_schema(find)
openai.pydantic_function_tool(Refund, name="refund")
openai.pydantic_function_tool(Refund)

tools = Tools()
controller = Controller(exclude_actions=["wait"])


@tools.action("Open the page of an order.")
async def open_order(order: str, browser_session: BrowserSession) -> ActionResult:
    return ActionResult(extracted_content=order)


@controller.registry.action(description="Refund an order.", param_model=Refund)
def give_back(params: Refund) -> ActionResult:
    return ActionResult(extracted_content=params.order)


def answer(question: str) -> str:
    """Answer a question about an order."""
    return question


def ask(question: str) -> str:
    """Ask a clerk about an order."""
    return question


azure = AzureFunctions(functions={find})
azure.add_functions({answer})
AIProjectClient(endpoint="").agents.enable_auto_function_calls({ask})
FunctionDefinition(name="settle", description="Settle an order.", parameters={"type": "object", "properties": {}})
