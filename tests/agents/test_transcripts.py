"""Transcripts: what was said, as data and back again."""

import json

import pytest
from hypothesis import given, strategies as st

from toolkit import ToolCall
from toolkit.agents import ModelReply, SystemMessage, ToolMessage, Transcript, Usage, UserMessage

TEXTS = st.text(max_size=8)
CALLS = st.builds(ToolCall, TEXTS, TEXTS, st.none() | TEXTS)
USES = st.builds(Usage, st.integers(0, 9), st.integers(0, 9), st.none() | st.floats(0, 9))


@st.composite
def turns(draw):
    """A reply with the results of its calls, all of them or the first few, as where the end came in between."""
    reply = draw(st.builds(ModelReply, TEXTS, st.lists(CALLS, max_size=3).map(tuple), USES, cut=st.booleans()))
    count = draw(st.integers(0, len(reply.calls)))
    return [reply, *(ToolMessage(call, draw(TEXTS), draw(st.booleans())) for call in reply.calls[:count])]


MESSAGES = st.lists(st.builds(SystemMessage, TEXTS).map(lambda one: [one]) | st.builds(UserMessage, TEXTS).map(lambda one: [one]) | turns(), max_size=5)  # fmt: skip


@given(MESSAGES)
def test_conversation_that_was_written_is_read_again_as_it_was(parts):
    said = Transcript([message for part in parts for message in part])
    again = Transcript.from_records(json.loads(json.dumps(said.as_record())))
    assert again.messages == said.messages


@given(MESSAGES)
def test_closing_gives_every_call_of_the_last_reply_a_result_and_changes_nothing_else(parts):
    said = Transcript([message for part in parts for message in part])
    before = said.messages
    said.close_calls("Ended: interrupted")
    added = said.messages[len(before) :]
    assert said.messages[: len(before)] == before
    assert all(isinstance(message, ToolMessage) and message.failed for message in added)
    last = parts[-1] if parts else []
    if last and isinstance(last[0], ModelReply):
        assert [message.call for message in (*last[1:], *added)] == list(last[0].calls)
    else:
        assert added == ()


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"role": "user"},
        {"role": "user", "text": 1},
        {"role": "nobody", "text": "hello"},
        {"role": "tool", "text": "a result of no call", "failed": False},
        {"role": "model", "text": "", "calls": [{}], "usage": {}},
        {"role": "model", "text": "", "calls": [], "usage": {"much": 1}},
        "hello",
    ],
)
def test_what_is_no_record_of_a_message_is_refused_with_its_number(record):
    with pytest.raises(ValueError, match="message 2 is not the record of a message"):
        Transcript.from_records([{"role": "user", "text": "hello"}, record])
