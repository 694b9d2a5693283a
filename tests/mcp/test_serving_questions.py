"""Who is asked before a served call runs: by elicitation, by a parked call, or by nobody."""

import asyncio

import anyio
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from tests.mcp.served import in_this_process, until
from toolkit import ToolContext, tool
from toolkit.builtin import HumanInput
from toolkit.mcp import Options, Rules

ERAS = ["legacy", "2026-07-28"]
RAN = []


@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe a file."""
    RAN.append(path)
    return f"wiped {path}"


@tool(read_only=True)
async def ask_twice(context: ToolContext) -> str:
    """Ask twice at once."""
    both = await asyncio.gather(*(context.request_approval_async(f"May I {word}?") for word in ("come", "go")))
    return " ".join(type(one).__name__ for one in both)


@tool(read_only=True)
async def ask_about_words(words: str, context: ToolContext) -> str:
    """Ask about words from somewhere."""
    return type(await context.request_approval_async(words, {"words": words}, preview=words)).__name__


@tool(read_only=True)
def ask_from_a_thread(context: ToolContext) -> str:
    """Ask in a plain function."""
    return type(context.request_approval("May I?")).__name__


@pytest.fixture(autouse=True)
def nothing_ran():
    RAN.clear()


@pytest.fixture(params=ERAS, ids=["handshake", "stateless"])
def era(request):
    return request.param


def answering(action, **content):
    """Return a client's way to ask, and the questions that it was asked."""
    asked = []

    async def answer(context, question):
        asked.append(question)
        return types.ElicitResult(action=action, content=content or None)

    return answer, asked


def call(era, name, arguments, answer=None, options=None):
    async def talk():
        async with in_this_process(
            [wipe, ask_twice, ask_about_words, ask_from_a_thread, HumanInput()],
            era,
            options,
            elicitation_callback=answer,
        ) as (_, client):
            try:
                return await client.call_tool(name, arguments)
            except MCPError as error:  # it would come in an exception group
                return error

    result = anyio.run(talk)
    if isinstance(result, MCPError):
        raise result
    return result.is_error, result.content[0].text


def test_plain_yes_runs_the_call_that_was_shown(era):
    answer, asked = answering("accept", decision="approve")
    assert call(era, "wipe", {"path": "a\u202eb.txt"}, answer) == (False, "wiped a\u202eb.txt")
    assert RAN == ["a\u202eb.txt"]
    [question] = asked
    assert question.message == (
        "Run wipe?\n\ntool: wipe (tests.mcp.test_serving_questions)\nrisk: DESTRUCTIVE\n"
        'asked because: the tool is destructive\narguments: {\n  "path": "a\\u202eb.txt"\n}'
    ).replace("tests.mcp.test_serving_questions", question.message.partition("(")[2].partition(")")[0])
    assert question.requested_schema["required"] == ["decision"]


def test_words_from_outside_paint_no_other_question(era):
    answer, asked = answering("accept", decision="approve")
    call(era, "ask_about_words", {"words": "tool: calculator\nrisk: read-only\r\n\narguments: none"}, answer)
    [question] = asked
    assert question.message.splitlines() == [
        "asks: tool: calculator",
        "| risk: read-only\\r",
        "| ",
        "| arguments: none",
        "",
        f"tool: ask_about_words ({__file__})",
        "risk: requires approval · read-only",
        "asked because: the tool asks",
        "arguments: {",
        r'  "words": "tool: calculator\nrisk: read-only\r\n\narguments: none"',
        "}",
        "effect: tool: calculator",
        "| risk: read-only\\r",
        "| ",
        "| arguments: none",
    ]


@pytest.mark.parametrize(
    ("action", "content", "words"),
    [
        ("decline", {}, "Rejected by reviewer"),
        ("cancel", {}, "Rejected by reviewer: the question was dismissed"),
        ("accept", {}, "Rejected by reviewer"),
        ("accept", {"decision": "yes"}, "Rejected by reviewer"),
        ("accept", {"decision": "reject", "reason": "not today"}, "Rejected by reviewer: not today"),
        ("decline", {"decision": "approve"}, "Rejected by reviewer"),
    ],
)
def test_nothing_else_is_a_yes(era, action, content, words):
    answer, _ = answering(action, **content)
    assert call(era, "wipe", {"path": "a.txt"}, answer) == (True, words)
    assert RAN == []


def test_client_that_fails_to_ask_has_not_approved(era):
    async def fail(context, question):
        return types.ErrorData(code=types.INTERNAL_ERROR, message="no form")

    if era == "legacy":
        assert call(era, "wipe", {"path": "a.txt"}, fail) == (
            True,
            "Rejected by reviewer: the client could not ask: no form",
        )
    else:
        with pytest.raises(MCPError, match="no form"):
            call(era, "wipe", {"path": "a.txt"}, fail)
    assert RAN == []


def test_client_that_cannot_ask_is_refused(era):
    is_error, words = call(era, "wipe", {"path": "a.txt"})
    assert (is_error, words) == (
        True,
        "Rejected by reviewer: this client cannot be asked whether 'wipe' may run",
    )
    assert RAN == []


def test_question_that_nobody_can_look_through_is_not_asked(era):
    answer, asked = answering("accept", decision="approve")
    is_error, words = call(era, "wipe", {"path": "a" * 30_000}, answer)
    assert is_error
    assert words.endswith("characters, too many for a person to review; make the call smaller")
    assert (RAN, asked) == ([], [])


def test_two_questions_of_one_call_are_both_asked(era):
    answer, asked = answering("accept", decision="approve")
    assert call(era, "ask_twice", {}, answer) == (False, "Continue Continue")
    assert sorted(question.message.splitlines()[0] for question in asked) == ["asks: May I come?", "asks: May I go?"]


def test_plain_functions_can_ask(era):
    answer, asked = answering("accept", decision="approve")
    assert call(era, "ask_from_a_thread", {}, answer) == (False, "Continue")
    assert len(asked) == 1


def test_person_behind_the_client_answers_in_own_words(era):
    answer, asked = answering("accept", answer="at noon")
    assert call(era, "human_input", {"input": "When?"}, answer) == (False, "at noon")
    assert [question.message for question in asked] == ["When?"]


def test_unanswered_question_is_a_refusal(era):
    async def never(context, question):
        await anyio.sleep_forever()

    options = Options(rules=Rules(approval_timeout=0.2))

    async def talk():
        async with in_this_process([wipe], era, options, elicitation_callback=never) as (server, client):
            if era == "legacy":
                return await client.call_tool("wipe", {"path": "a.txt"})
            first = await client.session.call_tool("wipe", {"path": "a.txt"}, allow_input_required=True)
            await until(lambda: not server._pending._parked)
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await repeated(client, first)
            return None

    result = anyio.run(talk)
    assert result is None or result.content[0].text == "Rejected by reviewer: nobody answered within 0.2 seconds"
    assert RAN == []


APPROVED = types.ElicitResult(action="accept", content={"decision": "approve"})


async def repeated(client, first, name="wipe", path="a.txt", state=None):
    """Repeat a call with the answer to its question."""
    answers = dict.fromkeys(first.input_requests, APPROVED)
    return await client.session.call_tool(
        name,
        {"path": path},
        input_responses=answers,
        request_state=state or first.request_state,
        allow_input_required=True,
    )


@tool(destructive=True)
def erase(path: str) -> str:
    """Erase a file."""
    RAN.append(path)
    return f"erased {path}"


def parked(use):
    """Let a call wait for its answer, and do something with what the client was told."""
    answer, _ = answering("decline")

    async def talk():
        async with in_this_process([wipe, erase], "2026-07-28", elicitation_callback=answer) as (server, client):
            first = await client.session.call_tool("wipe", {"path": "a.txt"}, allow_input_required=True)
            assert first.result_type == "input_required"
            return await use(server, client, first)

    return anyio.run(talk)


def test_token_is_good_for_one_repetition():
    async def use(server, client, first):
        done = await repeated(client, first)
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await repeated(client, first)
        return done.content[0].text

    assert parked(use) == "wiped a.txt"
    assert RAN == ["a.txt"]


@pytest.mark.parametrize(("name", "path"), [("wipe", "b.txt"), ("erase", "a.txt")])
def test_token_is_good_for_the_very_same_call(name, path):
    async def use(server, client, first):
        with pytest.raises(MCPError, match="Invalid or expired requestState"):
            await repeated(client, first, name, path)

    parked(use)
    assert RAN == []


def test_token_cannot_be_made_or_changed():
    async def use(server, client, first):
        [inner] = server._pending._parked
        last = "A" if first.request_state[-1] != "A" else "B"
        for state in (inner, first.request_state[:-1] + last, "v1.AAAA", ""):
            with pytest.raises(MCPError, match="Invalid or expired requestState"):
                await repeated(client, first, state=state or " ")

    parked(use)
    assert RAN == []


def test_repetition_without_an_answer_asks_again():
    async def use(server, client, first):
        again = await client.session.call_tool(
            "wipe", {"path": "a.txt"}, request_state=first.request_state, allow_input_required=True
        )
        assert (again.result_type, RAN) == ("input_required", [])
        assert again.request_state != first.request_state
        return (await repeated(client, again)).content[0].text

    assert parked(use) == "wiped a.txt"
