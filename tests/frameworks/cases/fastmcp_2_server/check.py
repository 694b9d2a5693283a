"""Compares what the server sends to its clients with what is shown, and answers what its tools ask."""

import asyncio
import logging
import sys

from fastmcp import Client
from server import mcp

from toolkit import Edit, ExitEarly, ToolContext, resolve_tools
from toolkit.errors import ExitEarlyError

logging.disable()


class Reviewer:
    def __init__(self, decision):
        self.decision = decision

    async def review(self, request):
        say(f"{request.asked_by}: {request.text}")
        return self.decision


def say(text):
    sys.stdout.write(f"{text}\n")


async def listed():
    async with Client(mcp) as client:
        sent = [one.model_dump(mode="json", by_alias=True, exclude_none=True) for one in await client.list_tools()]
    return {one["name"]: (one.get("description", ""), one["inputSchema"]) for one in sent}


tools = resolve_tools([mcp])
shown = {name: (tool.description, tool.spec.to_json()) for name, tool in tools.items()}
sent = asyncio.run(listed())
say(list(shown) == list(sent))
say([name for name, (description, schema) in sent.items() if tools[name].spec.parameters != schema])
say([name for name, (description, schema) in sent.items() if tools[name].description != description])
say(tools["ask"].run({}, ToolContext(reviewer=Reviewer(Edit("Bergen")))))
say(asyncio.run(tools["ask"].call({}, ToolContext(reviewer=Reviewer(Edit("Bergen"))))))
try:
    tools["ask"].run({}, ToolContext(reviewer=Reviewer(ExitEarly("enough"))))
except ExitEarlyError as error:
    say(f"ended: {error}")
events = []
tools["measure"].run({"station": "North"}, ToolContext(listener=events.append))
say([event.kind for event in events])
say(tools["chart"].run({}).artifact)
