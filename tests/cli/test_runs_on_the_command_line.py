"""What `toolkit run` starts is one run: its tools share a blackboard, and may speak to the user."""

import json

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
    return "heard" if context.run.send(Message(text, tool="speak", run=context.run.id)) else "alone"
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
      - {tool: communicate, arguments: {message: "Found it."}}
  - calls:
      - {tool: communicate, arguments: {message: " "}}
  - calls:
      - {tool: blackboard_get, arguments: {name: kept}}
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
        "communicate",
        "blackboard_get",
    ]
    assert [line for line in lines if line.startswith("communicate:")] == ["communicate: Found it."]


AGENT = """
agent: simple
name: greeter
description: Greets somebody.
model: scripted:dear.yaml
"""
GREETING = """
name: greeting
description: Greet, and repeat it.
inputs: {}
steps:
  - {id: greet, use: ./greeter.yaml, with: {task: Greet Ada}}
  - {id: repeat, set: "${{ prev }}!"}
"""
PRICES = '[prices."scripted:dear.yaml"]\ninput = 2\noutput = 10\n'


def test_steps_and_what_their_models_cost_are_data_with_format_json(invoke, project):
    (project / "toolkit.toml").write_text(PRICES, "utf-8")
    (project / "dear.yaml").write_text(
        "turns: [{say: hello, usage: {input_tokens: 1000, output_tokens: 100}}]\n", "utf-8"
    )
    (project / "greeter.yaml").write_text(AGENT, "utf-8")
    (project / "greeting.yaml").write_text(GREETING, "utf-8")
    result = invoke("run", "greeting.yaml", "--format", "json")
    assert result.exit_code == 0
    record = json.loads(result.stdout)
    assert record["output"] == "hello!"
    assert record["usage"] == {"requests": 1, "input_tokens": 1000, "output_tokens": 100, "cost": 0.003}
    assert [(step["id"], step["status"], step["attempts"], step["seconds"] >= 0) for step in record["steps"]] == [
        ("greet", "ok", 1, True),
        ("repeat", "ok", 0, True),  # which calls nothing
    ]
