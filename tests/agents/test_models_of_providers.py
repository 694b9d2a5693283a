"""Models of providers: what their names mean, what goes over the wire, which key, and what it cost."""

import asyncio
import os
import subprocess
import sys

import pytest
from pydantic_ai.models import known_model_names

from tests.chat_server import ChatServer, said
from tests.installers import INSTALL
from toolkit import ConfigurationError, ToolCall, from_function, tool
from toolkit.agents import (
    AgentTool,
    Message,
    ModelReply,
    Price,
    ScriptedModel,
    SystemMessage,
    ToolMessage,
    Usage,
    UserMessage,
    open_model,
    run_agent,
)

pytestmark = pytest.mark.usefixtures("no_keys")


@tool(read_only=True)
def double(number: int) -> int:
    """Double a number."""
    return 2 * number


@pytest.mark.proof
def test_agent_works_with_a_model_over_the_wire():
    wanted = (ToolCall("double", '{"number": 21}', "c0"), ToolCall("double", "{broken", "c1"))
    with ChatServer.of_answers(said("", *wanted), said("It is 42.")) as server:
        result = asyncio.run(run_agent(open_model("chat:m", server.url), "double", [double], instructions="Be short."))
    assert result.text == "It is 42."
    first, second = server.asked
    assert (first.path, first.body["model"], first.is_streamed) == ("/v1/chat/completions", "m", False)
    assert first.body["messages"] == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "double"},
    ]
    [offered] = first.body["tools"]
    assert offered["function"]["name"] == "double"
    assert offered["function"]["parameters"]["required"] == ["number"]
    results = [message for message in second.body["messages"] if message["role"] == "tool"]
    assert [message["tool_call_id"] for message in results] == ["c0", "c1"]
    assert results[0]["content"] == "42"
    assert results[1]["content"].startswith("Error: ")


@pytest.mark.proof
def test_conversation_that_was_begun_elsewhere_goes_on_and_calls_without_ids_get_some():
    calls = (ToolCall("double", '{"number": 1}'), ToolCall("double", '{"number": 1}'))
    so_far: list[Message] = [
        SystemMessage("Be short."),
        UserMessage("go"),
        ModelReply("I see.", calls),
        *(ToolMessage(call, "2") for call in calls),
    ]
    with ChatServer.of_answers(said("done")) as server:
        reply = asyncio.run(open_model("chat:m", server.url).request(so_far, [from_function(double).spec]))
    assert reply.text == "done"
    sent = server.asked[0].body["messages"]
    made = [call["id"] for call in sent[2]["tool_calls"]]
    assert len(set(made)) == 2
    assert [message["tool_call_id"] for message in sent[3:]] == made


def test_agent_as_a_tool_may_be_called_from_one_event_loop_after_another():
    with ChatServer.of_answers(said("one"), said("two")) as server:
        agent = AgentTool("speaker", "Speaks.", open_model("chat:m", server.url))
        assert [agent.run({"task": "go"}).output, agent.run({"task": "go"}).output] == ["one", "two"]


@pytest.mark.proof
def test_only_the_key_for_servers_of_ones_own_is_sent_to_one(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-of-a-provider")
    with ChatServer.of_answers(said("one"), said("two")) as server:
        asyncio.run(run_agent(open_model("chat:m", server.url), "go"))
        monkeypatch.setenv("TOOLKIT_MODEL_KEY", "of-my-own")
        asyncio.run(run_agent(open_model("chat:m", server.url), "go"))
    assert [asked.headers["Authorization"] for asked in server.asked] == ["Bearer none", "Bearer of-my-own"]


@pytest.mark.parametrize(
    ("name", "model", "cost"),
    [
        ("openai-chat:gpt-4o-mini", "gpt-4o-mini", (1000 * 0.15 + 500 * 0.60) / 1_000_000),
        ("openai-chat:nobodys-model", "nobodys-model", None),
    ],
)
def test_request_to_a_provider_costs_what_its_prices_say_and_nothing_is_made_up(monkeypatch, name, model, cost):
    spoken = ModelReply("hello", usage=Usage(1000, 500))
    with ChatServer.of_model(ScriptedModel([spoken])) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        reply = asyncio.run(open_model(name).request([UserMessage("go")], []))
    assert (server.asked[0].body["model"], reply.usage.input_tokens, reply.usage.output_tokens) == (model, 1000, 500)
    assert reply.usage.cost == pytest.approx(cost)


@pytest.mark.proof
def test_server_of_ones_own_costs_what_one_says_oneself_and_is_never_billed_as_a_provider():
    spoken = ScriptedModel([ModelReply("hello", usage=Usage(2_000_000, 1_000_000))] * 2)
    prices = {"chat:priced": Price(0.25, 1.5)}
    with ChatServer.of_model(spoken) as server:
        free, priced = (open_model(name, server.url, prices=prices) for name in ("chat:gpt-4o", "chat:priced"))
        assert asyncio.run(free.request([UserMessage("go")], [])).usage.cost is None
        result = asyncio.run(run_agent(priced, "go"))
    assert (result.usage.cost, result.run.uses[0].cost, result.transcript.as_record()[-1]["usage"]["cost"]) == (2,) * 3


@pytest.mark.parametrize(
    ("name", "base_url", "message"),
    [
        ("nothing", None, "'nothing' is not the name of a model"),
        ("scripted", None, "'scripted' is not the name of a model"),
        ("scripetd:x.yaml", None, "did you mean 'scripted'?"),
        ("chat:m", None, "'chat:m' needs the base URL"),
        ("chat:m", "localhost:11434/v1", "the base URL of 'chat:m' does not begin with http:// or https://"),
        ("openai-chat:m", "http://127.0.0.1:1/v1", "cannot be used with a base URL"),
        ("nowhere:m", None, "'nowhere:m' cannot be used"),
        ("quux:m", None, "write PROVIDER:NAME with a provider such as anthropic, "),
        ("opnai-chat:gpt-4o", None, "did you mean 'openai-chat:gpt-4o'"),
        ("openai-chat:gpt-4o", None, "'openai-chat:gpt-4o' needs OPENAI_API_KEY in the environment, and it is not set"),
        (
            "groq:llama",
            None,
            f"'groq:llama' needs 'pydantic-ai-slim[groq]', which is not installed: {INSTALL} 'pydantic-ai-slim[groq]'",
        ),
    ],
)
def test_name_that_means_no_model_is_refused_with_its_hint(name, base_url, message):
    with pytest.raises(ConfigurationError) as caught:
        open_model(name, base_url)
    assert message in str(caught.value)


@pytest.mark.proof
def test_command_without_the_extra_says_how_to_install_it(tmp_path):
    (tmp_path / "pydantic_ai.py").write_text("raise ModuleNotFoundError('pydantic_ai')", "utf-8")
    command = [sys.executable, "-m", "toolkit_cli", "agent", "hello", "--model", "openai-chat:gpt-4o"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NO_COLOR": "1"}
    ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == (
        f"error: 'openai-chat:gpt-4o' needs 'toolkit-cli[agent]', which is not installed\nhint: {INSTALL} 'toolkit-cli[agent]'\n"
    )


def test_provider_that_was_left_out_is_named():
    known = next(name for name in known_model_names() if name.startswith("anthropic:"))
    with pytest.raises(ConfigurationError) as caught:
        open_model(known.partition(":")[2])
    assert f"did you mean '{known}'" in str(caught.value)


def test_script_is_opened_by_its_name(tmp_path):
    path = tmp_path / "script.yaml"
    path.write_text("turns: [hello]\n", "utf-8")
    model = open_model(f"scripted:{path}")
    assert isinstance(model, ScriptedModel)
    assert os.path.basename(path) in model.name  # noqa: PTH119 - text is compared
