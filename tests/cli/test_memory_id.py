"""`--memory-id`: whose memory tools work on, said once for a whole command; no argument and no model says it."""

import pytest

TOOLS = """\
from typing import Annotated

from toolkit import MemoryId, tool


@tool(read_only=True)
def recall(key: str, owner: Annotated[str, MemoryId]) -> str:
    \"\"\"Recall something.\"\"\"
    return f"{key} of {owner}"


@tool(read_only=True)
def guess(key: str, owner: Annotated[str, MemoryId] | None = None) -> str:
    \"\"\"Recall something of anybody.\"\"\"
    return f"{key} of {owner}"
"""
CHAIN = """\
name: chain
description: Recall.
tools: [./tools.py]
inputs: {key: {type: string}}
steps:
  - recall: {key: "${{ inputs.key }}"}
"""
OUTER = "name: outer\ndescription: Recall.\ninputs: {key: {type: string}}\nsteps:\n  - use: ./chain.yaml\n    with: {key: x}\n"
AGENT = """\
agent: simple
name: clerk
description: Recall.
model: scripted:script.yaml
tools: [./tools.py]
"""
SCRIPT = 'turns:\n  - calls: [{tool: recall, arguments: {key: x, owner: eve}}]\n  - "{recall}"\n'
LEADER = "agent: simple\nname: leader\ndescription: Lead.\nmodel: scripted:lead.yaml\ntools: [./clerk.yaml]\n"
LEAD = 'turns:\n  - calls: [{tool: clerk, arguments: {task: x}}]\n  - "{clerk}"\n'


@pytest.fixture
def files(project):
    for name, text in {
        "tools.py": TOOLS,
        "chain.yaml": CHAIN,
        "outer.yaml": OUTER,
        "clerk.yaml": AGENT,
        "script.yaml": SCRIPT,
        "leader.yaml": LEADER,
        "lead.yaml": LEAD,
    }.items():
        (project / name).write_text(text, "utf-8")


COMMANDS = {
    "a tool": ["run", "tools.py:recall", "key=x"],
    "a pipeline": ["run", "chain.yaml", "key=x"],
    "a pipeline in a pipeline": ["run", "outer.yaml", "key=x"],
    "an agent in a file": ["run", "clerk.yaml", "task=x"],
    "an agent that leads another": ["run", "leader.yaml", "task=x"],
    "an agent": ["agent", "x", "--model", "scripted:script.yaml", "--tools", "tools.py"],
    "an agent with an agent as a tool": [
        "agent",
        "x",
        "--model",
        "scripted:lead.yaml",
        "--tools",
        "clerk.yaml",
        "--yes",
    ],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_every_tool_of_a_command_works_on_that_memory(invoke, files, command):
    ended = invoke(*command, "--memory-id", "ada", "--quiet")
    assert (ended.exit_code, ended.stdout) == (0, "x of ada\n")


def test_without_one_the_error_names_the_option(invoke, files):
    ended = invoke("run", "tools.py:recall", "key=x")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert "the context has none; write ToolContext(memory_id=…), or --memory-id on the command line" in ended.stderr
    assert invoke("run", "tools.py:guess", "key=x", "--quiet").stdout == "x of None\n"


def test_no_argument_sets_it(invoke, files):
    ended = invoke("run", "tools.py:recall", "--args", '{"key": "x", "owner": "eve"}', "--memory-id", "ada", "-q")
    assert "of eve" not in ended.stdout


@pytest.mark.parametrize(
    "command", ["run tools.py:recall key=x", "agent x --model scripted:script.yaml", "serve tools.py"]
)
def test_a_blank_one_is_refused(invoke, files, command):
    ended = invoke(*command.split(), "--memory-id", " ")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert ended.stderr == "error: --memory-id: the id is empty\nhint: write --memory-id ID\n"
