"""Models behind the chat API, over a real connection to a small server of it."""

import asyncio
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from toolkit import ConfigurationError, tool
from toolkit.agents.agent import AgentTool, run_agent
from toolkit.agents.models.messages import Message, ModelError, ModelReply, SystemMessage, ToolMessage, UserMessage
from toolkit.agents.models.opening import open_model
from toolkit.agents.models.scripted import ScriptedModel
from toolkit.tools.calls import ToolCall


@tool(read_only=True)
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


class Server:
    """A server of the chat API that gives prepared answers and keeps what it was asked."""

    def __init__(self):
        self.answers: list = []
        self.asked: list = []
        self.keys: list = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                server.asked.append((self.path, json.loads(body)))
                server.keys.append(self.headers["Authorization"])
                status, answer = server.answers.pop(0)
                data = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"

    def say(self, text=None, *calls):
        wanted = [
            {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(calls)
        ]
        message = {"role": "assistant", "content": text} | ({"tool_calls": wanted} if wanted else {})
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if wanted else "stop"}
        usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
        answer = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
        self.answers.append((200, answer | {"usage": usage}))


@pytest.fixture
def server(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TOOLKIT_MODEL_KEY", "HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


def test_agent_works_with_a_model_over_the_wire(server):
    server.say(None, ("double", '{"number": 21}'), ("double", "{broken"))
    server.say("It is 42.")
    result = asyncio.run(run_agent(open_model("chat:m", server.url), "double 21", [double], instructions="Be short."))
    assert (result.text, result.usage.input_tokens, result.usage.output_tokens) == ("It is 42.", 20, 4)
    (path, first), (_, second) = server.asked
    assert (path, first["model"]) == ("/v1/chat/completions", "m")
    assert first["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "double 21"},
    ]
    [offered] = first["tools"]
    assert offered["function"]["name"] == "double"
    assert offered["function"]["parameters"]["required"] == ["number"]
    results = [message for message in second["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in results] == ["c0", "c1"]
    assert results[0]["content"] == "42"
    assert results[1]["content"].startswith("Error: ")


def test_conversation_that_was_begun_elsewhere_goes_on_and_calls_without_ids_get_some(server):
    server.say("done")
    calls = (ToolCall("double", '{"number": 1}'), ToolCall("double", '{"number": 1}'))
    said: list[Message] = [
        SystemMessage("Be short."),
        UserMessage("go"),
        ModelReply("I see.", calls),
        *(ToolMessage(call, "2") for call in calls),
    ]
    reply = asyncio.run(open_model("chat:m", server.url).request(said, [double_spec()]))
    assert reply.text == "done"
    sent = server.asked[0][1]["messages"]
    made = [call["id"] for call in sent[2]["tool_calls"]]
    assert len(set(made)) == 2
    assert [message["tool_call_id"] for message in sent[3:]] == made


def double_spec():
    from toolkit import from_function

    return from_function(double).spec


def test_agent_as_a_tool_may_be_called_from_one_event_loop_after_another(server):
    server.say("one")
    server.say("two")
    agent = AgentTool("speaker", "Speaks.", open_model("chat:m", server.url))
    assert [agent.run({"task": "go"}).output, agent.run({"task": "go"}).output] == ["one", "two"]


def test_server_that_refuses_is_told_in_its_own_words(server):
    server.answers.append((400, {"error": {"message": "the model 'm' is not loaded"}}))
    with pytest.raises(ModelError, match="answered with status 400: the model 'm' is not loaded"):
        asyncio.run(run_agent(open_model("chat:m", server.url), "go"))


def test_server_that_is_not_there_is_named():
    with pytest.raises(ModelError, match=r"the server of 'chat:m' at http://127\.0\.0\.1:9/v1 cannot be reached: Conn"):
        asyncio.run(run_agent(open_model("chat:m", "http://127.0.0.1:9/v1"), "go"))


def test_answer_that_is_none_is_told(server):
    server.answers.append((200, {"hello": "world"}))
    with pytest.raises(ModelError, match="the model 'chat:m'"):
        asyncio.run(run_agent(open_model("chat:m", server.url), "go"))


def test_only_the_key_for_servers_of_ones_own_is_sent_to_one(server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-a-provider")
    server.say("one")
    asyncio.run(run_agent(open_model("chat:m", server.url), "go"))
    monkeypatch.setenv("TOOLKIT_MODEL_KEY", "of-my-own")
    server.say("two")
    asyncio.run(run_agent(open_model("chat:m", server.url), "go"))
    assert server.keys == ["Bearer none", "Bearer of-my-own"]


@pytest.mark.parametrize(
    ("name", "base_url", "message"),
    [
        ("nothing", None, "'nothing' names no model"),
        ("scripted", None, "'scripted' names no model"),
        ("scripetd:x.yaml", None, "did you mean 'scripted'?"),
        ("chat:m", None, "chat:NAME needs one"),
        ("openai-chat:m", "http://127.0.0.1:1/v1", "nothing else takes one"),
        ("nowhere:m", None, "'nowhere:m' cannot be used"),
        ("openai-chat:gpt-4o", None, "OPENAI_API_KEY"),
    ],
)
def test_name_that_means_no_model_is_refused_with_its_cure(server, name, base_url, message):
    with pytest.raises(ConfigurationError) as caught:
        open_model(name, base_url)
    assert message in str(caught.value)


def test_script_is_opened_by_its_name(tmp_path):
    path = tmp_path / "script.yaml"
    path.write_text("turns: [hello]\n", "utf-8")
    model = open_model(f"scripted:{path}")
    assert isinstance(model, ScriptedModel)
    assert os.path.basename(path) in model.name  # noqa: PTH119 - text is compared
