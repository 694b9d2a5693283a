"""Replies over a real connection, plain and streamed: what is a reply, what is none, and how that is told."""

import asyncio
import json
import re

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from pydantic_ai.models import known_model_names

from tests.chat_server import Answer, ChatServer, Raw, Silence, failure, said
from tests.volumes import examples
from toolkit import ToolCall, tool
from toolkit.agents import (
    ModelError,
    ModelReply,
    ScriptedModel,
    Transcript,
    Usage,
    UserMessage,
    open_model,
    run_agent,
    streamed,
)

pytestmark = pytest.mark.usefixtures("no_keys")

KEY = "sk-my-own-secret-key"
ONE = ToolCall("double", '{"number": 21}', "c1")
BROKEN = ToolCall("no_such_tool", "{broken", "c2")


def asked(server, *, is_streamed, timeout=None):
    """Return the reply, the pieces that came before it, and how often the server was asked."""
    model = open_model("chat:m", server.url, timeout=timeout)
    pieces: list[object] = []
    if is_streamed:
        reply = asyncio.run(streamed(model, [UserMessage("go")], [], pieces.append))
    else:
        reply = asyncio.run(model.request([UserMessage("go")], []))
    assert [one.is_streamed for one in server.asked] == [is_streamed] * len(server.asked)
    return reply, pieces


def test_plain_reply_has_text_calls_and_what_it_used():
    spoken = ScriptedModel([ModelReply("I see two.", (ONE, BROKEN), Usage(10, 2))])
    with ChatServer.of_model(spoken) as server:
        assert asked(server, is_streamed=False) == (ModelReply("I see two.", (ONE, BROKEN), Usage(10, 2)), [])


def test_streamed_reply_is_told_word_by_word_and_call_by_call_and_is_the_same():
    spoken = ScriptedModel([ModelReply("I see two.", (ONE, BROKEN), Usage(10, 2))])
    with ChatServer.of_model(spoken) as server:
        reply, pieces = asked(server, is_streamed=True)
    assert reply == ModelReply("I see two.", (ONE, BROKEN), Usage(10, 2))
    assert pieces == ["I", " see", " two.", ONE, BROKEN]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_text_that_is_cut_at_the_limit_of_length_is_an_answer_that_says_so(is_streamed):
    with ChatServer.of_answers(said("once upon", finish="length")) as server:
        reply, _ = asked(server, is_streamed=is_streamed)
    assert (reply.text, reply.cut, reply.as_record()["cut"]) == ("once upon", True, True)


NO_REPLY = "closed the connection: Connection error$"
NO_STREAM = "gave no reply: Streamed response ended without content or tool calls$"
FAILURES: dict[str, tuple[Answer, str, str, int]] = {
    "calls cut": (said("", ToolCall("double", '{"numb'), finish="length"), "was cut in the middle of its calls", "was cut in the middle of its calls", 1),
    "withheld": (said("", finish="content_filter"), "withheld the reply", "withheld the reply", 1),
    "400": (failure(400, "no such model"), *("answered with status 400: no such model$",) * 2, 1),
    "401": (failure(401, f"wrong key: {KEY}"), *(r"status 401: wrong key: \*{10} \(its key comes from TOOLKIT_MODEL_KEY in the environment\)$",) * 2, 1),
    "429": (failure(429, "slow down"), *("answered with status 429: slow down$",) * 2, 3),
    "500": (failure(500, "out of order"), *("answered with status 500: out of order$",) * 2, 3),
    "text of 500": (Raw("out of order\n", 500, "text/plain", {"Retry-After-Ms": "1"}), *("status 500: out of order$",) * 2, 3),
    "no choices": (Raw({"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": []}), "sent something that is not a reply", NO_STREAM, 1),
    "no JSON": (Raw("not json {"), "gave no reply: Failed to decode response as JSON", NO_STREAM, 1),
    "a page": (Raw("<html>hello</html>", content_type="text/html"), "expected JSON data$", NO_STREAM, 1),
    "other JSON": (Raw({"hello": "world"}), "gave no reply: Invalid response", NO_STREAM, 1),
    "null": (Raw("null"), "expected JSON data$", NO_STREAM, 1),
}  # fmt: skip


@pytest.mark.proof(everyday=4)
@pytest.mark.parametrize("is_streamed", [False, True])
@pytest.mark.parametrize("what", FAILURES)
def test_what_is_no_reply_is_told_in_words_and_tried_again_twice_at_most(what, is_streamed, monkeypatch):
    monkeypatch.setenv("TOOLKIT_MODEL_KEY", KEY)
    answer, plain, stream, times = FAILURES[what]
    with ChatServer.of_answers(*[answer] * 5) as server, pytest.raises(ModelError) as caught:
        asked(server, is_streamed=is_streamed)
    assert re.search(stream if is_streamed else plain, str(caught.value))
    assert (caught.value.code, len(server.asked)) == ("model", times)
    assert KEY not in "".join(map(str, _chain(caught.value)))
    assert "\n" not in str(caught.value)


@pytest.mark.proof
def test_stream_that_ends_without_saying_why_was_cut_and_a_plain_reply_is_whole():
    answer = said("half a", finish=None)
    with ChatServer.of_answers(answer) as server:
        assert asked(server, is_streamed=False)[0].text == "half a"
    with ChatServer.of_answers(answer) as server, pytest.raises(ModelError, match="was cut: its stream ended without"):
        asked(server, is_streamed=True)


def _chain(error):
    """Yield an error and all that a traceback would show below it."""
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.mark.proof
def test_provider_that_has_no_such_model_is_told_with_the_nearest_one(monkeypatch):
    known = next(name for name in known_model_names() if name.startswith("openai-chat:"))
    body = {"error": {"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}}
    with ChatServer.of_answers(Raw(body, 404)) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        with pytest.raises(ModelError) as caught:
            asyncio.run(open_model(f"{known}x").request([UserMessage("go")], []))
    assert str(caught.value).endswith(f"answered with status 404: no such model (did you mean '{known}'?)")


@pytest.mark.usefixtures("no_keys")
def test_server_that_wants_a_key_or_is_somewhere_else_is_told_with_the_hint():
    with ChatServer.of_answers(failure(401, "no"), failure(404, "no"), failure(404, "no")) as server:
        for url, hint in (
            (server.url, "no (its key comes from TOOLKIT_MODEL_KEY in the environment, which is not set)"),
            (server.url, "status 404: no"),
            (server.url.removesuffix("/v1"), f"no (most servers of the chat API are at {server.url})"),
        ):
            with pytest.raises(ModelError) as caught:
                asyncio.run(open_model("chat:m", url).request([UserMessage("go")], []))
            assert str(caught.value).endswith(hint)


@pytest.mark.proof
def test_server_that_is_busy_for_a_moment_is_asked_again():
    with ChatServer.of_answers(failure(503, "starting"), failure(429, "slow down"), said("here")) as server:
        reply, _ = asked(server, is_streamed=True)
    assert (reply.text, len(server.asked)) == ("here", 3)


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("is_streamed", "times"), [(True, 1), (False, 3)])
def test_connection_that_breaks_in_the_middle_is_told_and_a_stream_that_has_begun_is_not_repeated(is_streamed, times):
    answer = said("one two three", cut_after=3) if is_streamed else Raw('{"id": "x"', missing=100)
    with ChatServer.of_answers(*[answer] * 5) as server, pytest.raises(ModelError, match=NO_REPLY):
        asked(server, is_streamed=is_streamed)
    assert len(server.asked) == times


@pytest.mark.parametrize("is_streamed", [False, True])
def test_model_that_is_silent_too_long_is_given_up(is_streamed):
    with ChatServer.of_answers(Silence()) as server, pytest.raises(ModelError) as caught:
        asked(server, is_streamed=is_streamed, timeout=0.2)
    assert (str(caught.value), caught.value.code) == ("the model 'chat:m' sent nothing for 0.2 seconds", "timeout")


@pytest.mark.proof
def test_stream_that_falls_silent_is_given_up_and_what_was_said_stays_in_the_transcript():
    from toolkit import ToolContext
    from toolkit.agents import Transcript

    transcript = Transcript()
    with ChatServer.of_answers(Silence(ModelReply("well then"))) as server:
        model = open_model("chat:m", server.url, timeout=5)  # in which also a busy machine sends the first event
        talking = run_agent(model, "go", transcript=transcript, context=ToolContext(listener=lambda event: None))
        with pytest.raises(ModelError, match="sent nothing for 5 seconds"):
            asyncio.run(talking)
    assert [message.as_record() for message in transcript.messages][1:] == [ModelReply("well", cut=True).as_record()]


JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["index", "delta", "message", "content", "tool_calls", "function", "name", "arguments", "id", "finish_reason"]), inner, max_size=4), max_leaves=6)  # fmt: skip
FRAMES = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("id", "object", "created", "model", "usage", "error"), JSON)
    | {"choices": st.lists(JSON, max_size=2) | JSON},
)


@settings(
    max_examples=examples(15, everyday=5), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.binary(max_size=40) | FRAMES.map(lambda frame: json.dumps(frame).encode()), is_streamed=st.booleans())
def test_whatever_a_server_sends_is_a_reply_or_a_failure_of_the_model(body, is_streamed):
    data, kind = (
        (b"data: %s\n\ndata: [DONE]\n\n" % body, "text/event-stream") if is_streamed else (body, "application/json")
    )
    with ChatServer.of_answers(Raw(data, content_type=kind)) as server:
        try:
            reply, _ = asked(server, is_streamed=is_streamed)
        except ModelError:
            return
    json.dumps(reply.as_record())


def test_server_that_is_not_there_is_named_without_what_is_secret_in_its_address():
    model = open_model("chat:m", "http://me:my-password@127.0.0.1:9/v1?token=my-token")
    with pytest.raises(
        ModelError, match=r"^the server of 'chat:m' at http://127\.0\.0\.1:9/v1 cannot be reached: Conn"
    ):
        asyncio.run(run_agent(model, "go"))


@pytest.mark.proof
def test_half_characters_as_in_names_of_files_are_sent_as_question_marks():
    @tool(read_only=True)
    def list_files() -> str:
        """List the files."""
        return "caf\udce9.txt"

    said_before = Transcript(
        [UserMessage("I have \ud800"), ModelReply("you have \udfff", (ToolCall("double", '{"a": "\udc80"}'),))]
    )
    with ChatServer.of_model(ScriptedModel(["", ToolCall("list_files"), "done"])) as server:
        agent = run_agent(open_model("chat:m", server.url), "go \udcff", [list_files], transcript=said_before)
        assert asyncio.run(agent).text == "done"
    sent = json.dumps(server.asked[-1].body["messages"], ensure_ascii=False)
    assert [words in sent for words in ("I have ?", "you have ?", "go ?", "caf?.txt")] == [True] * 4
