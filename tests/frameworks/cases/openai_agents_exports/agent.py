"""Runs an agent of OpenAI Agents that has tools of ours, and prints what its model is sent and reads."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from agents import Agent, OpenAIResponsesModel, Runner, set_tracing_disabled
from openai import AsyncOpenAI

from toolkit import ExitEarly, Pipeline, Reject, ToolContext, from_function
from toolkit.frameworks import to_openai_agents
from toolkit.tools import Attachment

SENT = []
CALLS = []


class Api(BaseHTTPRequestHandler):
    def do_POST(self):
        SENT.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        said = {"type": "output_text", "text": "Done.", "annotations": []}
        message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [said]}
        output = [CALLS.pop() if CALLS else message]
        about = {"id": "r", "object": "response", "created_at": 1, "model": "any", "status": "completed"}
        more = {"tool_choice": "auto", "tools": [], "parallel_tool_calls": False}
        body = json.dumps({**about, **more, "output": output}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def forecast(city: str, ctx: int = 1) -> dict[str, object]:
    """Tell the weather."""
    return {"city": city, "ctx": ctx}


def fail(city: str) -> str:
    """Fail."""
    raise ValueError(f"nobody knows {city}")


def draw(city: str) -> Attachment:
    """Draw a city."""
    return Attachment("image", "image/png", b"PNG")


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


server = HTTPServer(("127.0.0.1", 0), Api)
threading.Thread(target=server.serve_forever, daemon=True).start()
set_tracing_disabled(True)
model = OpenAIResponsesModel(
    "any", AsyncOpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
)


def try_out(tool, arguments, **settings):
    say(f"{tool.name} {arguments}")
    SENT.clear()
    call = {"type": "function_call", "id": "f", "call_id": "1", "name": tool.name, "arguments": json.dumps(arguments)}
    CALLS[:] = [{**call, "status": "completed"}]
    agent = Agent(name="Clerk", model=model, tools=[to_openai_agents(tool, ToolContext(**settings))])
    try:
        Runner.run_sync(agent, "Go on.")
    except Exception as error:
        say(f"  ended: {error}")
        return
    say(f"  {SENT[0]['tools'][0]['parameters']} strict: {SENT[0]['tools'][0]['strict']}")
    say(f"  {SENT[1]['input'][-1]['output']}")


destructive = from_function(wipe, destructive=True)
try_out(from_function(forecast), {"city": "Oslo", "ctx": 3})
try_out(from_function(forecast, strict=True), {"city": "Oslo", "ctx": 3})
try_out(from_function(forecast), {"days": 3})
try_out(from_function(fail), {"city": "Atlantis"})
try_out(from_function(draw), {"city": "Oslo"})
try_out(destructive, {"path": "notes.txt"}, reviewer=Answers(Reject("keep it")))
try_out(destructive, {"path": "notes.txt"}, reviewer=Answers(ExitEarly("enough")))
try_out(Pipeline.of(from_function(wipe, name="first"), from_function(wipe, name="then")), {"input": "a"})
server.shutdown()
