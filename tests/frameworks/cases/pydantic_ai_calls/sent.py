"""Prints the tools of which an agent's model is sent something else than their specifications say."""

import sys

import tools
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

from toolkit import resolve_tools

SENT = {}


def reply(_messages, info):
    for one in info.function_tools:
        SENT[one.name] = {"name": one.name, "description": one.description, "parameters": one.parameters_json_schema}
    return ModelResponse([TextPart("Hello.")])


holders = [tools.agent, tools.monthly, tools.asked_papers, tools.papers]
agents = [tools.agent, Agent(tools=[tools.monthly], toolsets=[tools.asked_papers, tools.papers])]
for agent in agents:
    agent.run_sync("Hi!", model=FunctionModel(reply), deps={"staff": True})
specs = {name: tool.spec.definition for name, tool in resolve_tools(holders).items()}
for name in SENT:
    if specs[name] != SENT[name]:
        sys.stdout.write(f"{specs[name]} is sent as {SENT[name]}\n")
sys.stdout.write(f"{len(specs)} of {len(SENT)} tools compared\n")
