"""Runs an agent of pydantic-ai that has tools of ours, and prints what its model reads."""

import sys

from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel

from toolkit import ExitEarly, Pipeline, Reject, ToolContext, ToolResult, from_function
from toolkit.errors import ExitEarlyError
from toolkit.frameworks import to_pydantic_ai
from toolkit.tools import Attachment


def forecast(city: str, ctx: int = 1) -> dict[str, object]:
    """Tell the weather."""
    return {"city": city, "ctx": ctx}


def fail(city: str) -> str:
    """Fail."""
    raise ValueError(f"nobody knows {city}")


def draw(city: str) -> Attachment:
    """Draw a city."""
    return Attachment("image", "image/png", b"PNG")


def sum_up(city: str) -> ToolResult:
    """Sum up a city."""
    return ToolResult.success("a city", artifact=[1, 2])


def wipe(path: str) -> str:
    """Remove a file."""
    return f"removed {path}"


class Answers:
    def __init__(self, decision):
        self.decision = decision

    async def review(self, request):
        say(f"  asked about {request.risk.tool} {request.arguments}")
        return self.decision


def say(text):
    sys.stdout.write(f"{text}\n")


def try_out(tool, arguments, **settings):
    say(f"{tool.name} {arguments}")

    def reply(messages, info):
        if len(messages) > 1:
            return ModelResponse([TextPart("Done.")])
        say(f"  {info.function_tools[0].parameters_json_schema}")
        return ModelResponse([ToolCallPart(tool.name, arguments)])

    agent = Agent(FunctionModel(reply), tools=[to_pydantic_ai(tool, ToolContext(**settings))])
    try:
        ended = agent.run_sync("Go on.")
    except ExitEarlyError as error:
        say(f"  ended: {error}")
        return
    for part in (part for message in ended.all_messages()[2:3] for part in message.parts):
        if isinstance(part, ToolReturnPart):
            say(f"  {part.outcome}: {part.content} {part.metadata}")
        elif isinstance(part, RetryPromptPart | UserPromptPart):
            say(f"  {type(part).__name__}: {part.content}")


destructive = from_function(wipe, destructive=True)
try_out(from_function(forecast), {"city": "Oslo", "ctx": 3})
try_out(from_function(forecast), {"days": 3})
try_out(from_function(fail), {"city": "Atlantis"})
try_out(from_function(draw), {"city": "Oslo"})
try_out(from_function(sum_up), {"city": "Oslo"})
try_out(destructive, {"path": "notes.txt"}, reviewer=Answers(Reject("keep it")))
try_out(destructive, {"path": "notes.txt"}, reviewer=Answers(ExitEarly("enough")))
try_out(Pipeline.of(from_function(wipe, name="first"), from_function(wipe, name="then")), {"input": "a"})
