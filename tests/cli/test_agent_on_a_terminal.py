"""On a terminal a person sees what a model says as it comes, takes turns with it, and is asked as everywhere."""

import json
import re
import signal

import pytest

from tests.chat_server import ChatServer, Silence
from tests.terminals import Terminal
from toolkit.agents import ModelReply

SCRIPT = """\
turns:
  - say: I shall write it.
    calls: [{tool: file_write, arguments: {path: answer.txt, content: "42"}}]
  - It is written.
  - "You said \\e[2J thanks."
  - It is too late.
"""
PROMPT_IS_OPEN = "\x1b[?2004h"

pytestmark = pytest.mark.usefixtures("no_keys")


@pytest.fixture
def scripted(project):
    (project / "script.yaml").write_text(SCRIPT, "utf-8")
    return project


def agent(folder, *arguments, model="scripted:script.yaml", **options):
    return Terminal(folder, "agent", *arguments, "--model", model, "--tools", "file_write", **options)


def test_a_chat_is_not_kept(scripted):
    terminal = agent(scripted, "--journal")
    assert terminal.end() == 2
    refused = "--journal records a task so that it can be resumed, but a chat has no single task"
    assert refused in terminal.child.before


def say(terminal, text):
    """Wait for the prompt, and type."""
    terminal.expect(PROMPT_IS_OPEN)
    terminal.child.send(text)


def messages(folder):
    return [message["text"] for message in json.loads((folder / "said.json").read_text("utf-8"))["messages"]]


def test_chat_is_one_conversation_with_questions_and_one_transcript(scripted):
    chat = agent(scripted, "--transcript", "said.json")
    chat.expect("chat with scripted:script.yaml with 1 tool · /help lists the commands · Ctrl-D ends it")
    say(chat, "write\r")
    chat.answer("o")
    chat.expect("It is written.")
    say(chat, "thanks\r")
    say(chat, "\x04")
    assert chat.end() == 0
    assert (scripted / "answer.txt").read_text("utf-8") == "42"
    assert chat.stdout == "It is written.\nYou said \x1b[2J thanks.\n"
    assert r"You said \x1b[2J thanks." in chat.seen
    assert "3 requests to scripted:script.yaml · " in chat.seen
    assert [text for text in messages(scripted) if not text.startswith("Successfully")] == [
        "write",
        "I shall write it.",
        "It is written.",
        "thanks",
        "You said \x1b[2J thanks.",
    ]


def test_budget_of_a_chat_is_for_the_calls_that_the_model_makes(scripted):
    write = "{calls: [{tool: file_write, arguments: {path: answer.txt, content: x}}]}"
    (scripted / "thrice.yaml").write_text(f"turns: [{write}, one, {write}, two, {write}, three]\n", "utf-8")
    chat = agent(scripted, "--yes", "--budget", "2 calls", model="scripted:thrice.yaml")
    for task, answer in (
        ("first", "one"),
        ("second", "two"),
        ("third", "error: the budget is used up: 2 of 2 calls"),
        ("fourth", "three"),
    ):
        say(chat, f"{task}\r")
        chat.expect(answer)
    say(chat, "\x04")
    assert chat.end() == 0
    assert chat.stdout == "one\ntwo\nthree\n"


@pytest.mark.proof
def test_commands_of_a_chat_tell_and_begin_afresh_and_never_reach_the_model(scripted):
    chat = agent(scripted, "--transcript", "said.json", "--yes")
    for command, answer in (
        ("/tools", "file_write  Writes content to a file"),
        ("/help", "/reset  start a new conversation"),
        ("/reste", "there is no command '/reste'; did you mean '/reset'"),
        ("go", "It is written."),
        ("/usage", "2 requests to scripted:script.yaml"),
        ("/reset", "new conversation started"),
        ("go", "It is written."),
    ):
        say(chat, f"{command}\r")
        chat.expect(answer)
    say(chat, "/exit\r")
    assert chat.end() == 0
    kept = json.loads((scripted / "said.json").read_text("utf-8"))
    assert [len(said) for said in (*kept["earlier"], kept["messages"])] == [4, 4]
    assert "/" not in "".join(message["text"] for message in kept["messages"] if message["role"] == "user")


def test_answer_is_shown_once_where_data_and_talk_are_one_terminal(scripted):
    once = agent(scripted, "go", "--yes", with_stdout=True)
    assert once.end() == 0
    assert once.seen.count("It is written.") == 1
    assert once.seen.index("I shall write it.") < once.seen.index("file_write") < once.seen.index("It is written.")


def test_answer_that_goes_elsewhere_is_seen_on_the_terminal_too(scripted):
    seen = agent(scripted, "go", "--yes")
    assert (seen.end(), seen.stdout) == (0, "It is written.\n")
    assert seen.seen.count("It is written.") == 1


NESTED = """\
from toolkit.agents import AgentTool
from toolkit.agents import ScriptedModel
from toolkit import ToolCall

inner = AgentTool(
    "inner", "Looks.", ScriptedModel([ToolCall("nothing"), "I have looked."]), read_only=True
)
"""
PIPELINE = """\
toolkit: 1
name: failing
description: Fail.
steps:
  - id: read
    use: file_read
    with: {path: nowhere.txt}
"""


def test_agents_and_pipelines_among_the_tools_are_shown_as_calls(scripted):
    (scripted / "tools.py").write_text(NESTED, "utf-8")
    (scripted / "failing.yaml").write_text(PIPELINE, "utf-8")
    (scripted / "nested.yaml").write_text(
        "turns: [{say: Look., calls: [{tool: inner, arguments: {task: look}}]}, {calls: [{tool: failing}]}, So be it.]\n",
        "utf-8",
    )
    tools = ("--tools", "tools.py", "--tools", "failing.yaml", "--yes")
    nested = agent(scripted, "go", *tools, model="scripted:nested.yaml", with_stdout=True)
    assert nested.end() == 0
    seen = re.sub(r"… scripted:nested.yaml is thinking\r\x1b\[K", "", nested.seen)
    lines = [line.split()[:3] for line in seen.partition("Look.")[2].splitlines()]
    assert [" ".join(words) for words in lines] == [
        "",
        "! 1/20 nothing",
        "✓ 1/20 inner",
        "✗ 1/1 read",
        "! 2/20 failing",
        "So be it.",
        "5 requests to",
    ]


@pytest.mark.proof
def test_ctrl_c_in_the_middle_of_a_reply_ends_the_agent_and_the_transcript_has_what_was_said(scripted):
    with ChatServer.of_answers(Silence(ModelReply("Well then"))) as server:
        there = {"TOOLKIT_MODEL_URL": server.url}
        cut = agent(scripted, "go", "--transcript", "said.json", model="chat:m", environment=there)
        cut.expect("Well")
        cut.child.send("\x03")
        assert cut.end() == 130
    assert "error: interrupted" in cut.seen
    assert (cut.stdout, messages(scripted)) == ("", ["go", "Well"])


WAITING = """\
import asyncio

async def reply(messages, tools):
    if messages[-1].text == "first":
        print("thinking")
        await asyncio.Event().wait()
    return "Here I am."
"""


@pytest.mark.proof
def test_model_that_thinks_is_shown_until_it_says_something(scripted):
    with ChatServer.of_answers(Silence()) as server:
        run = agent(scripted, "go", "--base-url", server.url, model="chat:m")
        run.expect("… chat:m is thinking")
        run.child.send("\x03")
        assert run.end() == 130
    assert run.seen.index("is thinking") < run.seen.index("\x1b[K")
    done = agent(scripted, "write", "--yes")
    assert done.end() == 0
    assert "… scripted:script.yaml is thinking\r\x1b[KI shall write it." in done.seen
    assert "thinking" not in done.stdout


def test_ctrl_c_in_a_chat_ends_the_answer_and_at_the_prompt_the_chat(scripted):
    (scripted / "waiting.py").write_text(WAITING, "utf-8")
    chat = agent(scripted, "--transcript", "said.json", model="scripted:waiting.py")
    say(chat, "first\r")
    chat.expect("thinking")
    chat.child.send("\x03")
    chat.expect("interrupted")
    say(chat, "second\r")
    chat.expect("Here I am.")
    say(chat, "\x03")
    assert chat.end() == 130
    assert messages(scripted) == ["first", "second", "Here I am."]


@pytest.mark.proof
def test_chat_that_is_told_to_end_from_outside_ends(scripted):
    (scripted / "waiting.py").write_text(WAITING, "utf-8")
    chat = agent(scripted, model="scripted:waiting.py", with_stdout=True)
    say(chat, "first\r")
    chat.expect("thinking")
    chat.child.kill(signal.SIGTERM)
    assert chat.end() == 128 + signal.SIGTERM


def test_chat_that_may_ask_nothing_is_none(scripted):
    refused = agent(scripted, "--no-input")
    assert refused.end() == 2
    assert "error: the task is missing" in refused.seen


def test_agent_of_a_file_chats(scripted):
    (scripted / "clerk.yaml").write_text(
        "agent: simple\nname: clerk\ndescription: Write.\nmodel: scripted:script.yaml\ntools: [file_write]\n", "utf-8"
    )
    chat = Terminal(scripted, "agent", "clerk.yaml")
    chat.expect("chat with scripted:script.yaml with 1 tool · /help lists the commands · Ctrl-D ends it")
    say(chat, "write\r")
    chat.answer("o")
    chat.expect("It is written.")
    say(chat, "\x04")
    assert chat.end() == 0
    assert (scripted / "answer.txt").read_text("utf-8") == "42"
