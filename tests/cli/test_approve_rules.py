"""Rules of `--approve`: they hold when a call is made, and one that can allow nothing is reported before the run."""

import shlex

import pytest

TOOLS = """
from toolkit import tool

@tool(destructive=True)
def refund(order: str, note: str = "") -> str:
    "Refund an order."
    return f"refunded {order}"

@tool
def orders() -> list[str]:
    "List the orders."
    return ["A-1", "A-2"]
"""
PIPELINE = """
name: everyone
description: Refund every order.
tools: [./tools.py]
inputs: {}
steps:
  - id: all
    use: orders
  - for_each: ${{ steps.all.output }}
    use: refund
    with: {order: "${{ item }}"}
"""


@pytest.fixture
def desk(project):
    (project / "tools.py").write_text(TOOLS, "utf-8")
    (project / "p.yaml").write_text(PIPELINE, "utf-8")
    return project


def test_a_rule_over_a_computed_argument_is_held_against_the_call_when_it_is_made(desk, invoke):
    ended = invoke("run", "p.yaml", "--approve", "refund(order=A-*)", "--quiet")
    assert (ended.exit_code, ended.stdout) == (0, '["refunded A-1","refunded A-2"]\n')


def test_a_call_that_the_rule_does_not_cover_is_refused_when_it_is_made(desk, invoke):
    ended = invoke("run", "p.yaml", "--approve", "refund(order=*-1)", "--quiet")
    assert ended.exit_code == 3
    assert "item 2 of 2: Rejected by reviewer: there is no terminal to ask on" in ended.stderr


def test_without_a_rule_a_computed_call_is_refused_before_any_work(desk, invoke):
    ended = invoke("run", "p.yaml")
    assert ended.exit_code == 3
    assert "step 'refund' needs approval" in ended.stderr
    assert "orders" not in ended.stderr


def test_a_rule_that_names_no_tool_is_an_error_with_the_closest_name(desk, invoke):
    ended = invoke("run", "p.yaml", "--approve", "refnd(order=A-*)")
    assert ended.exit_code == 2
    assert ended.stderr.endswith(
        "error: --approve 'refnd(order=A-*)' names a tool that this run does not call\nhint: did you mean 'refund'?\n"
    )


def test_a_rule_that_can_match_no_call_is_reported_before_the_run(desk, invoke):
    ended = invoke("run", "tools.py:refund", "order=B-1", "--approve", "refund(order=A-*)")
    assert ended.exit_code == 3
    assert ended.stderr.startswith(
        "warning: --approve 'refund(order=A-*)' matches no call of this run\n"
        "hint: its arguments are already known and differ; `--dry-run` shows them\n"
    )


def test_a_rule_over_an_argument_that_the_tool_does_not_have_is_reported(desk, invoke):
    ended = invoke("run", "p.yaml", "--approve", "refund(ordr=A-*)")
    assert ended.exit_code == 3
    assert (
        "warning: --approve 'refund(ordr=A-*)' matches no call of this run\n"
        "hint: 'refund' has no argument 'ordr'; did you mean 'order'?\n"
    ) in ended.stderr


def test_a_rule_that_names_no_served_tool_is_an_error(desk, invoke):
    ended = invoke("serve", "tools.py", "--approve", "refnd")
    assert ended.exit_code == 2
    assert (
        "error: --approve 'refnd' names a tool that this run does not call\nhint: did you mean 'refund'?"
        in ended.stderr
    )


def test_a_rule_that_names_no_tool_of_an_agent_is_an_error(desk, invoke, monkeypatch):
    (desk / "script.yaml").write_text("turns:\n  - say: done\n", "utf-8")
    ended = invoke("agent", "x", "--tools", "tools.py", "--model", "scripted:script.yaml", "--approve", "refnd")
    assert ended.exit_code == 2
    assert (
        "error: --approve 'refnd' names a tool that this run does not call\nhint: did you mean 'refund'?"
        in ended.stderr
    )


NOTES = """
from toolkit import tool


@tool
def note(text: str) -> str:
    '''Write a note down.'''
    return text


@tool(destructive=True)
def erase(text: str) -> str:
    '''Erase a note.'''
    return text


@tool(requires_approval=True)
def send(text: str) -> str:
    '''Send a note.'''
    return text
"""


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("note", "allow it with --approve 'note(text=milk)', or every call of the tool with --approve note"),
        ("erase", "allow it with --approve 'erase(text=milk)'"),
        ("send", "allow it with --approve 'send(text=milk)'"),
    ],
)
def test_every_call_of_a_tool_is_only_proposed_for_a_model_and_without_a_mark_of_danger(program, project, name, hint):
    (project / "notes.py").write_text(NOTES, "utf-8")
    (project / "turns.yaml").write_text(
        f"turns:\n  - calls: [{{tool: {name}, arguments: {{text: milk}}}}]\n  - Done.\n", "utf-8"
    )
    agent = program("agent", "Note: milk", "--tools", "notes.py", "--model", "scripted:turns.yaml")
    assert (agent.returncode, agent.stderr.splitlines()[-1]) == (3, f"hint: {hint}")
    run = program("run", f"notes.py:{name}", "text=milk")
    assert "every call" not in run.stderr
    flags = [shlex.split(part.rpartition("--approve ")[2])[0] for part in hint.split(", or ")]
    for flag in flags:
        again = program(
            "agent", "Note: milk", "--tools", "notes.py", "--model", "scripted:turns.yaml", "--approve", flag
        )
        assert again.returncode == 0
