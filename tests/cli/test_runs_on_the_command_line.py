"""What `toolkit run` starts is one run: its tools share a blackboard, and may speak to the user."""

import pytest

TOOLS = '''
from toolkit import ToolContext, tool
from toolkit.runs import Message


@tool
def keep(value: str, context: ToolContext) -> str:
    """Keep a value."""
    context.run.blackboard.add(value, name="kept")
    return "kept"


@tool
def recall(context: ToolContext) -> str:
    """Recall the value."""
    return f"{context.run.blackboard.get('kept')} after {context.run.counts}"


@tool
def speak(text: str, context: ToolContext) -> str:
    """Speak to the user."""
    return "heard" if context.run.tell(Message(text, tool="speak", run=context.run.id)) else "alone"
'''
PIPELINE = """
name: both
description: Keep a value and recall it.
tools: [./run_tools.py]
inputs: {}
steps:
  - {use: keep, with: {value: tea}}
  - {use: recall, with: {}}
"""


@pytest.fixture
def house(project):
    (project / "run_tools.py").write_text(TOOLS, "utf-8")
    (project / "both.yaml").write_text(PIPELINE, "utf-8")
    return project


def test_steps_of_a_pipeline_share_the_blackboard_of_their_run(invoke, house):
    result = invoke("run", "both.yaml", "--quiet")
    assert (result.exit_code, result.stdout) == (0, "tea after {'keep': 1}\n")


def test_what_tools_say_stands_on_stderr_with_nothing_that_a_terminal_obeys(invoke, house):
    result = invoke("run", "run_tools.py:speak", "text=hello\x1b[2J\nthere")
    assert (result.exit_code, result.stdout) == (0, "heard\n")
    assert result.stderr == "speak: hello\\x1b[2J\nspeak: there\n"


def test_quiet_silences_what_tools_say(invoke, house):
    result = invoke("run", "run_tools.py:speak", "text=hello", "--quiet")
    assert (result.stdout, result.stderr) == ("alone\n", "")


def test_a_tool_that_ends_the_run_is_told_in_its_words_and_fails_the_command(invoke, house):
    (house / "ending.py").write_text(
        '''
from toolkit import tool
from toolkit.errors import BudgetExceeded, TerminationRequested


@tool
def end() -> str:
    """End the run."""
    raise TerminationRequested("nothing is left to do")


@tool
def spend() -> str:
    """Spend what there is."""
    raise BudgetExceeded("cost", 0.5, 0.75)
''',
        "utf-8",
    )
    ended = invoke("run", "ending.py:end")
    assert (ended.exit_code, ended.stdout) == (1, "")
    assert ended.stderr == "error: the run was ended: nothing is left to do\n"
    spent = invoke("run", "ending.py:spend")
    assert (spent.exit_code, spent.stderr) == (1, "error: the budget is used up: $0.75 of $0.50\n")


SCRIPT = """
turns:
  - calls:
      - {tool: progress, arguments: {status: "looking\\u001b[2J"}}
  - calls:
      - {tool: keep, arguments: {value: tea}}
  - calls:
      - {tool: blackboard}
  - calls:
      - {tool: blackboard_get, arguments: {name: kept}}
      - {tool: communicate, arguments: {message: "Found it."}}
      - {tool: communicate, arguments: {message: " "}}
  - It is {blackboard_get}.
"""


def test_an_agent_speaks_on_stderr_in_its_own_words_and_sees_the_blackboard(invoke, house):
    (house / "script.yaml").write_text(SCRIPT, "utf-8")
    tools = [word for name in ("run_tools.py", "progress", "communicate", "blackboard") for word in ("--tools", name)]
    result = invoke("agent", "look", "--model", "scripted:script.yaml", "--yes", *tools)
    assert (result.exit_code, result.stdout) == (0, "It is tea.\n")
    lines = [" ".join(line.split()) for line in result.stderr.splitlines()]
    assert lines[0] == "progress: looking\\x1b[2J"
    assert [line.split()[2] for line in lines if line[0] in "✓✗!+-"] == [
        "keep",
        "blackboard",
        "blackboard_get",
        "communicate",
    ]
    assert [line for line in lines if line.startswith("communicate:")] == ["communicate: Found it."]
