"""What `--as` shows of a provider is what its own SDK sends, by hand and from our agent, to a server on this machine."""

import json
from typing import Any

import pytest

from tests.chat_server import ChatServer, Raw, said
from tests.cli.test_client_views import ROWS, TOOLS
from toolkit import ToolCall

FAILED, DONE = ({"product": "none"}, {"product": "pot"})
SCHEMA = {"type": "object", "properties": {"product": {"type": "string"}}, "required": ["product"]}
TEXTS = {
    "stock": "Count the pieces of a product.",
    "colours": "List the colours of a product.",
    "report": "Report on a product, with a picture and a link.",
}


def functions(**extra):
    """Return the tools as OpenAI describes functions."""
    return [{"name": name, "description": text, "parameters": SCHEMA, **extra} for name, text in TEXTS.items()]


def as_chat(*results):
    """Return the messages of the Chat Completions API with these results of the two calls."""
    calls = [
        {"id": "c1", "type": "function", "function": {"name": "stock", "arguments": json.dumps(FAILED)}},
        {"id": "c2", "type": "function", "function": {"name": "report", "arguments": json.dumps(DONE)}},
    ]
    return [
        {"role": "user", "content": "how many?"},
        {"role": "assistant", "content": None, "tool_calls": calls},
        *({"role": "tool", "tool_call_id": f"c{n}", "content": text} for n, text in enumerate(results, 1)),
    ]


def as_responses(*results):
    """Return the input of the Responses API with these results of the two calls."""
    call = {"type": "function_call"}
    return [
        {"role": "user", "content": "how many?"},
        call | {"call_id": "c1", "name": "stock", "arguments": json.dumps(FAILED)},
        call | {"call_id": "c2", "name": "report", "arguments": json.dumps(DONE)},
        *({"type": "function_call_output", "call_id": f"c{n}", "output": text} for n, text in enumerate(results, 1)),
    ]


def as_messages(*results):
    """Return the messages of Anthropic's API with these results of the two calls, of which the first has failed."""
    return [
        {"role": "user", "content": "how many?"},
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "stock", "input": FAILED},
                {"type": "tool_use", "id": "c2", "name": "report", "input": DONE},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": results[0], "is_error": True},
                {"type": "tool_result", "tool_use_id": "c2", "content": results[1]},
            ],
        },
    ]


@pytest.fixture
def shown(invoke, project):
    """Return the failed result and the other one as `--as` shows them, and the tools as they are exported."""
    (project / "tools.py").write_text(TOOLS, "utf-8")

    def show(client, dialect):
        results = []
        for tool, product in (("stock", "none"), ("report", "pot")):
            done = invoke("run", f"tools.py:{tool}", f"product={product}", "--as", client, "--format", "json", "-q")
            [part] = json.loads(done.stdout)["received"]["parts"]
            results.append(part["text"])
        assert [f"{one}\n" for one in results] == [ROWS[client][3], ROWS[client][0]]
        return results, json.loads(invoke("schema", "tools.py", "--dialect", dialect).stdout)

    return show


@pytest.mark.proof
def test_client_of_openai_sends_what_is_shown(shown):
    from openai import OpenAI

    results, tools = shown("openai", "openai")
    with ChatServer.of_answers(said("It is over.")) as server:
        with OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
            reply = client.chat.completions.create(model="m", messages=as_chat(*results), tools=tools)
        assert reply.choices[0].message.content == "It is over."
    [asked] = server.asked
    assert (asked.path, asked.body) == (
        "/v1/chat/completions",
        {
            "model": "m",
            "messages": as_chat("Error: there is no product 'none'", "red, sold out"),
            "tools": [{"type": "function", "function": one} for one in functions()],
        },
    )


@pytest.mark.proof
def test_client_of_openai_sends_what_is_shown_over_the_newer_api(shown):
    from openai import OpenAI

    results, tools = shown("openai-responses", "openai")
    with ChatServer.of_answers(Raw(SPOKEN["openai"]("It is over."))) as server:
        flat: list[Any] = [{"type": "function", "strict": False, **one["function"]} for one in tools]
        with OpenAI(base_url=server.url, api_key="none", max_retries=0) as client:
            reply = client.responses.create(model="m", input=as_responses(*results), tools=flat)
        assert reply.output_text == "It is over."
    [asked] = server.asked
    assert (asked.path, asked.body) == (
        "/v1/responses",
        {
            "model": "m",
            "input": as_responses("Error: there is no product 'none'", "red, sold out"),
            "tools": functions(type="function", strict=False),
        },
    )


@pytest.mark.proof
def test_client_of_anthropic_sends_what_is_shown(shown):
    from anthropic import Anthropic

    results, tools = shown("anthropic", "anthropic")
    with ChatServer.of_answers(Raw(SPOKEN["anthropic"]("It is over."))) as server:
        with Anthropic(base_url=server.url.removesuffix("/v1"), api_key="none", max_retries=0) as client:
            reply = client.messages.create(model="m", max_tokens=9, messages=as_messages(*results), tools=tools)
        assert reply.content[0].text == "It is over."
    [asked] = server.asked
    assert (asked.path, asked.body) == (
        "/v1/messages",
        {
            "model": "m",
            "max_tokens": 9,
            "messages": as_messages("Error: there is no product 'none'", "red, sold out"),
            "tools": [{"name": name, "description": text, "input_schema": SCHEMA} for name, text in TEXTS.items()],
        },
    )


def messages_reply(text="", *calls):
    """Return a reply of Anthropic's API."""
    content = [{"type": "tool_use", "id": c.id, "name": c.name, "input": json.loads(c.arguments)} for c in calls]
    used = {"input_tokens": 1, "output_tokens": 1}
    stop = {"stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None}
    content = content or [{"type": "text", "text": text}]
    return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": content, "usage": used, **stop}


def responses_reply(text="", *calls):
    """Return a reply of OpenAI's Responses API."""
    output = [
        {"type": "function_call", "id": f"f{c.id}", "call_id": c.id, "name": c.name, "arguments": c.arguments}
        for c in calls
    ]
    said = {"type": "output_text", "text": text, "annotations": []}
    spoken = {"type": "message", "id": "i", "role": "assistant", "status": "completed", "content": [said]}
    frame = {"id": "r", "object": "response", "created_at": 1, "status": "completed", "model": "m"}
    return {**frame, "output": output or [spoken], "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def gemini_reply(text="", *calls):
    """Return a reply of the Gemini API."""
    parts = [{"functionCall": {"id": c.id, "name": c.name, "args": json.loads(c.arguments)}} for c in calls]
    content = {"role": "model", "parts": parts or [{"text": text}]}
    return {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}


SPOKEN = {"anthropic": messages_reply, "openai": responses_reply, "google": gemini_reply}


def in_messages(body):
    """Return the results that Anthropic's API received, each with its call."""
    return [(one["content"][0]["text"], one["tool_use_id"]) for one in body["messages"][-1]["content"]]


def in_responses(body):
    """Return the results that OpenAI's Responses API received, each with its call."""
    return [(one["output"], one["call_id"]) for one in body["input"] if one.get("type") == "function_call_output"]


def in_gemini(body):
    """Return the results that the Gemini API received, each with its call."""
    answers = [part["functionResponse"] for part in body["contents"][-1]["parts"]]
    return [(one["response"]["return_value"], one["id"]) for one in answers]


@pytest.mark.proof
@pytest.mark.parametrize(
    ("provider", "client", "variable", "results_in"),
    [
        ("anthropic", "anthropic", "ANTHROPIC_BASE_URL", in_messages),
        ("openai", "openai-responses", "OPENAI_BASE_URL", in_responses),
        ("google", "gemini", "GOOGLE_GEMINI_BASE_URL", in_gemini),
    ],
)
def test_agent_sends_through_each_sdk_what_is_shown(program, project, provider, client, variable, results_in):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    calls = (ToolCall("stock", json.dumps(FAILED), "c1"), ToolCall("report", json.dumps(DONE), "c2"))
    replies = [Raw(SPOKEN[provider]("", *calls)), Raw(SPOKEN[provider]("It is over."))]
    with ChatServer.of_answers(*replies) as server:
        url = server.url if provider == "openai" else server.url.removesuffix("/v1")
        done = program(
            *("agent", "how many?", "--model", f"{provider}:m", "--tools", "tools.py", "--quiet"),
            env={f"{provider.upper()}_API_KEY": "none", variable: url},
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "It is over.\n", "")
    assert results_in(server.asked[-1].body) == [
        (ROWS[client][3].removesuffix("\n"), "c1"),
        (ROWS[client][0].removesuffix("\n"), "c2"),
    ]
