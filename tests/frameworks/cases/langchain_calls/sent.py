"""Prints the tools of which an agent's model is sent something else than their specifications say."""

import sys

import tools
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from toolkit import resolve_tools

SENT = {}


class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **_):
        SENT.update({tool.name: convert_to_openai_tool(tool)["function"] for tool in tools})
        return self


things = [thing for thing in vars(tools).values() if isinstance(thing, BaseTool)]
create_agent(Model(messages=iter([AIMessage("Hello.")])), things).invoke({"messages": "Hi!"})
specs = {name: tool.spec.definition for name, tool in resolve_tools(things).items()}
for name in SENT:
    if specs[name] != SENT[name]:
        sys.stdout.write(f"{specs[name]} is sent as {SENT[name]}\n")
sys.stdout.write(f"{len(specs)} of {len(SENT)} tools compared\n")
