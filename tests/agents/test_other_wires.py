"""Providers with a wire of their own stream through the same door, and a cut stream is known on each."""

import asyncio
import json

import pytest

from tests.chat_server import ChatServer, Raw
from toolkit import ToolCall, ToolSpec
from toolkit.agents import ModelError, UserMessage, open_model

pytestmark = pytest.mark.usefixtures("no_keys")

DOUBLE = ToolSpec("double", "Double.", {"type": "object", "properties": {"number": {"type": "integer"}}})
CALL = ToolCall("double", '{"number": 2}', "t1")

MESSAGES = [
    {"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant", "model": "claude-m", "content": [], "stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 10, "output_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": " world"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t1", "name": "double", "input": {}}},
    {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"number": 2}'}},
    {"type": "content_block_stop", "index": 1},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 12}},
    {"type": "message_stop"},
]  # fmt: skip

RESPONSE = {"id": "r", "object": "response", "created_at": 1, "status": "in_progress", "model": "gpt-m", "output": [], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None, "instructions": None, "metadata": {}, "temperature": 1, "top_p": 1}  # fmt: skip
ITEM = {"id": "i", "type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "hello world", "annotations": []}]}  # fmt: skip
USED = {"input_tokens": 10, "output_tokens": 12, "total_tokens": 22, "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
RESPONSES = [
    {"type": "response.created", "sequence_number": 0, "response": RESPONSE},
    {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": {**ITEM, "status": "in_progress", "content": []}},
    {"type": "response.content_part.added", "sequence_number": 2, "item_id": "i", "output_index": 0, "content_index": 0, "part": {"type": "output_text", "text": "", "annotations": []}},
    {"type": "response.output_text.delta", "sequence_number": 3, "item_id": "i", "output_index": 0, "content_index": 0, "delta": "hello", "logprobs": []},
    {"type": "response.output_text.delta", "sequence_number": 4, "item_id": "i", "output_index": 0, "content_index": 0, "delta": " world", "logprobs": []},
    {"type": "response.output_item.done", "sequence_number": 5, "output_index": 0, "item": ITEM},
    {"type": "response.completed", "sequence_number": 6, "response": {**RESPONSE, "status": "completed", "output": [ITEM], "usage": USED}},
]  # fmt: skip

GEMINI = [
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "hello"}]}, "index": 0}], "modelVersion": "gemini-m"},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": " world"}]}, "index": 0, "finishReason": "STOP"}], "modelVersion": "gemini-m", "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 12, "totalTokenCount": 22}},
]  # fmt: skip

WIRES = {
    "anthropic:claude-m": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", MESSAGES, -2, ["hello", " world", CALL]),
    "openai:gpt-m": ("OPENAI_API_KEY", "OPENAI_BASE_URL", RESPONSES, -1, ["hello", " world"]),
    "google:gemini-m": ("GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL", GEMINI, -1, ["hello", " world"]),
}  # fmt: skip


@pytest.fixture(params=WIRES)
def wire(request, monkeypatch):
    """Asks a provider whose stream has these events, and returns the reply and its pieces."""
    key, where, events, last, pieces = WIRES[request.param]

    def ask(chosen):
        named = [(f"event: {one['type']}\n" if "type" in one else "", json.dumps(one)) for one in chosen]
        body = "".join(f"{name}data: {data}\n\n" for name, data in named)
        told: list[object] = []
        with ChatServer.of_answers(Raw(body, content_type="text/event-stream")) as server:
            monkeypatch.setenv(key, "sk-of-nobody")
            monkeypatch.setenv(where, server.url if "OPENAI" in where else server.url.removesuffix("/v1"))
            reply = asyncio.run(open_model(request.param).stream([UserMessage("go")], [DOUBLE], told.append))  # type: ignore[attr-defined]
        return reply, told

    return ask, events, last, pieces


@pytest.mark.proof
def test_whole_stream_is_a_reply_with_its_pieces_and_its_use(wire):
    ask, events, _, pieces = wire
    reply, told = ask(events)
    assert told == pieces
    assert [reply.text, *reply.calls] == ["hello world", *pieces[2:]]
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 12)


@pytest.mark.proof
def test_stream_without_its_last_event_is_cut(wire):
    ask, events, last, _ = wire
    with pytest.raises(ModelError, match="was cut: its stream ended without a reason to finish"):
        ask(events[:last])
