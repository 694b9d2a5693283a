"""A server's form is filled in by a person, member by member; nobody's answer is made up."""

import sys

import anyio
import mcp_types as types
import pytest

from tests.mcp.served import in_this_process
from tests.terminals import Terminal
from toolkit.mcp import McpTools, StdioServer, close_sessions

TOOLS = '''
from toolkit import tool


@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe a file."""
    open("wiped", "a").write(path)
    return f"wiped {path}"
'''
SHOP = f"""
[mcp.shop]
command = '{sys.executable}'
args = ['-m', 'toolkit_cli', 'serve', 'tools.py', '-q']
cwd = '.'
"""
CALL = ("run", "shop.wipe", "path=a.txt", "--start", "shop", "--yes")


@pytest.fixture
def shop(tmp_path):
    """A project that uses a server of ours."""
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "toolkit.toml").write_text(SHOP, "utf-8")
    return tmp_path


def answered(shop, *typed):
    """Return the exit code and what was shown, with each letter typed at the menu, and each text after its prompt.

    What is typed before a prompt stands there is thrown away, so a text is typed after its prompt and nothing else.
    """
    terminal = Terminal(shop, *CALL)
    for one in typed:
        if isinstance(one, str):
            terminal.answer(one)
        else:
            prompt, text = one
            terminal.expect(prompt)
            if text is not None:
                terminal.child.send(f"{text}\r")
    return terminal.end(), terminal.seen


def test_question_of_our_own_server_is_answered_member_by_member(shop):
    code, seen = answered(shop, "f", ("decision (reject or approve) =", "approve"), ("reason (string", ""), "o")
    assert (code, (shop / "out.txt").read_text("utf-8")) == (0, "wiped a.txt\n")
    assert (shop / "wiped").read_text("utf-8") == "a.txt"
    assert "f fill in the form" in seen


@pytest.mark.proof
def test_o_sends_nothing_that_nobody_has_filled_in(shop):
    code, seen = answered(shop, "o", "r", ("the reason", "no"))
    assert code == 3
    assert not (shop / "wiped").exists()
    assert "'o' is not an answer" in seen


@pytest.mark.proof
def test_member_that_does_not_fit_is_asked_for_again(shop):
    code, seen = answered(
        shop,
        "f",
        ("decision (reject or approve) =", "aprove"),
        ("did you mean 'approve'?", None),
        ("decision (reject or approve) =", ""),  # Enter, which is no answer either
        ("it must be one of", None),
        ("decision (reject or approve) =", "reject"),
        ("reason (string", "too risky"),
        "o",
    )
    assert code == 3
    assert "too risky" in seen
    assert not (shop / "wiped").exists()


@pytest.mark.proof
def test_form_of_a_server_behind_ours_is_the_form_that_the_client_shows(shop):
    server = StdioServer(
        "shop", sys.executable, ("-m", "toolkit_cli", "serve", "tools.py", "-q"), cwd=shop, trusted=True
    )
    asked = []

    async def answer(context, params):
        asked.append(params)
        if "decision" in params.requested_schema["properties"] and "asks: " in params.message:
            return types.ElicitResult(action="accept", content={"decision": "approve"})
        return types.ElicitResult(action="accept", content={"decision": "approve", "reason": ""})

    async def talk():
        async with in_this_process(McpTools(server).tools(), elicitation_callback=answer) as (_, client):
            return await client.call_tool("shop_wipe", {"path": "a.txt"})

    try:
        result = anyio.run(talk)
    finally:
        close_sessions()
    assert (result.is_error, result.content[0].text) == (False, "wiped a.txt")
    ours, theirs = asked
    assert ours.message.startswith("Run shop_wipe?")
    assert theirs.message.startswith("the server 'shop' asks this; your answer is sent to it\n\nasks: Run wipe?\n| ")
    assert theirs.requested_schema == ours.requested_schema
