"""Runs an agent of LangChain that has tools of ours, and prints what its model reads."""

import asyncio
import sys

from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage

from toolkit import ExitEarly, Pipeline, Reject, ToolContext, from_function
from toolkit.errors import ExitEarlyError
from toolkit.frameworks import to_langchain


def forecast(city: str, config: int = 1) -> dict[str, object]:
    """Tell the weather."""
    return {"city": city, "config": config}


async def fail(city: str) -> str:
    """Fail."""
    raise ValueError(f"nobody knows {city}")


def wipe(path: str) -> str:
    """Remove a file."""
    return f"removed {path}"


class Answers:
    def __init__(self, decision):
        self.decision = decision

    async def review(self, request):
        say(f"  asked about {request.risk.tool} {request.arguments}")
        return self.decision


class Model(GenericFakeChatModel):
    def bind_tools(self, *_, **__):
        return self


def say(text):
    sys.stdout.write(f"{text}\n")


def try_out(tool, arguments, **settings):
    say(f"{tool.name} {arguments}")
    call = {"name": tool.name, "args": arguments, "id": "1"}
    for is_async in (False, True):
        model = Model(messages=iter([AIMessage("", tool_calls=[call]), AIMessage("Done.")]))
        agent = create_agent(model, [to_langchain(tool, ToolContext(**settings))])
        begun = {"messages": "Go on."}
        try:
            ended = asyncio.run(agent.ainvoke(begun)) if is_async else agent.invoke(begun)
        except ExitEarlyError as error:
            say(f"  ended: {error}")
            continue
        for message in ended["messages"]:
            if isinstance(message, ToolMessage):
                say(f"  {message.status}: {message.content} {message.artifact}")


known, failing, destructive = from_function(forecast), from_function(fail), from_function(wipe, destructive=True)
try_out(known, {"city": "Oslo", "config": 3})
try_out(known, {"days": 3})
try_out(failing, {"city": "Atlantis"})
try_out(destructive, {"path": "notes.txt"}, reviewer=Answers(Reject("keep it")))
try_out(destructive, {"path": "notes.txt"}, reviewer=Answers(ExitEarly("enough")))
try_out(Pipeline.of(from_function(wipe, name="first"), from_function(wipe, name="then")), {"input": "a"})
