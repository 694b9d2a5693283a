"""Every hint that is a command works as it is printed."""

import ast
import json
import re
import shlex
import signal
import sqlite3
import sys
from pathlib import Path

import pytest

import toolkit
import toolkit_cli

TOOLS = '''
import os
import pathlib
import signal

from toolkit import tool


@tool(read_only=True)
def forecast(city: str) -> str:
    """Forecast the weather in a city."""
    return f"sun in {city}"


@tool
def harsh(n: int) -> int:
    """Count; the second one dies, once."""
    if n == 2 and pathlib.Path("deadly").exists():
        pathlib.Path("deadly").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return n


@tool(destructive=True)
def wipe(n: int) -> int:
    """Wipe a number."""
    return n
'''
SCRIPT = "turns: [done]\n"
AGENT = """agent: simple
name: clerk
description: A clerk.
model: scripted:script.yaml
inputs: {city: {type: string}}
"""
PIPELINE = """name: steps
description: Count twice.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps:
  - {id: one, use: harsh, with: {n: "${{ inputs.n }}"}}
  - {id: two, use: wipe, with: {n: "${{ inputs.n }}"}, approve: true}
"""
ZOO = '''
from toolkit import tool


@tool(read_only=True)
def feed(animal: str) -> str:
    """Feed an animal."""
    return animal
'''
STORE = "sqlite:///my%20store/runs.db"


@pytest.fixture(autouse=True)
def files(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project / "config"))
    write_files(project)


def write_files(project):
    (project / "my store").mkdir()
    (project / "config" / "toolkit").mkdir(parents=True)
    (project / "empty").mkdir()
    write(project, "tools.py", TOOLS)
    write(project, "my tools.py", TOOLS)
    write(project, "steps.yaml", PIPELINE)
    write(project, "script.yaml", SCRIPT)
    write(project, "clerk.yaml", AGENT)
    write(project, "items.jsonl", '{"n": 1}\n{"n": 2}\n')
    write(project, "toolkit.toml", "")


def write(project, name, text):
    (project / name).write_text(text, "utf-8")


def scenario_lock_without_a_lockfile(project, run):
    return run("lock", "my tools.py")


def scenario_lock_with_changes(project, run):
    run("lock", "--update", "tools.py")
    write(project, "tools.py", TOOLS.replace("the weather", "snow"))
    return run("lock", "--format", "github", "tools.py") + run("lint", "tools.py")


def scenario_lock_with_a_broken_lockfile(project, run):
    run("lock", "--update", "tools.py")
    text = (project / "toolkit.lock").read_text("utf-8")
    write(project, "toolkit.lock", text.replace('"toolkit-lock": 1', '"toolkit-lock": 9'))
    return run("lock", "tools.py")


def scenario_lock_with_something_else(project, run):
    write(project, "toolkit.lock", "{}")
    write(project, "toolkit.toml", 'sources = ["tools.py"]\n')
    said = run("lock")
    (project / "toolkit.lock").unlink()  # as the hint says
    return said


def serve_zoo(project):
    arguments = ["-m", "toolkit_cli", "serve", str(project / "zoo.py")]
    write(project, "config/toolkit/config.toml", f"[mcp.zoo]\ncommand = '{sys.executable}'\nargs = {arguments}\n")


def scenario_server_that_has_changed(project, run):
    serve_zoo(project)
    write(project, "zoo.py", ZOO)
    run("lock", "--update", "zoo")
    write(project, "zoo.py", ZOO.replace("an animal.", "an ani\u200bmal well."))
    return run("show", "zoo") + run("lint", "empty")


def scenario_server_with_invisible_characters(project, run):
    serve_zoo(project)
    write(project, "zoo.py", ZOO.replace("an animal.", "an ani\u200bmal well."))
    return run("show", "zoo")


def scenario_file_of_a_client_that_is_broken(project, run):
    (project / ".cursor").mkdir()
    write(project, ".cursor/mcp.json", '{"mcpServers": []}')
    return run("mcp", "install", "cursor", "tools.py", "--project", "--yes")


def scenario_lint(project, run):
    write(project, "pyproject.toml", "")
    write(project, "baseline.json", "[]")
    write(
        project,
        "noqa.py",
        'from toolkit import tool\n\n\n@tool  # noqa: TK999\ndef go() -> str:\n    """Go."""\n    return ""\n',
    )
    said = (
        run("lint", "--baseline", "baseline.json", "tools.py") + run("lint", "noqa.py") + run("lint", "--explain", "x")
    )
    write(project, "toolkit.toml", '[lint]\nignore = ["NOTHING"]\n')
    said += run("lint", "tools.py")
    write(project, "toolkit.toml", "")
    return said


def scenario_settings(project, run):
    write(project, "toolkit.toml", 'keep_runs = "30d"\n')
    said = run("list")
    write(project, "toolkit.toml", "")
    return said


def scenario_unknown_operation(project, run):
    api = {"openapi": "3.1.0", "servers": [{"url": "https://shop.example"}], "paths": {"/orders": {"get": {}}}}
    write(project, "my shop.json", json.dumps(api))
    return run("list", "my shop.json:nothing")


def scenario_definitions_that_a_program_computes(project, run):
    definition = {"name": "find", "description": "Find an order.", "parameters": {"type": "object", "properties": {}}}
    write(project, "tools.json", json.dumps([definition]))
    made = "def define(name, model):\n    return {'name': name, 'input_schema': model.schema()}\n"
    write(project, "desk.py", f"import anthropic\n\n\n{made}")
    return run("lint", "--static", "desk.py")


def scenario_unmarked_function(project, run):
    write(project, "my plain.py", "def go() -> str:\n    return 'gone'\n")
    return run("lint", "plain.py") + run("show", "my plain.py:go") + run("show", "my plain.py")


def scenario_ready_tool(project, run):
    return run("run", "process")


def scenario_missing_words(project, run):
    return "".join(
        run(*words)
        for words in [
            ("--verbose", "list"),
            ("run", "my tools.py:forecast"),
            ("policy", "check", "my tools.py:forecast"),
            ("policy", "check"),
            ("agent", "--model", "scripted:script.yaml"),
            ("agent", "clerk.yaml", "go"),
            ("agent", "steps.yaml", "go"),
            ("runs", "show", "nothing"),
            ("runs", "decide"),
            ("runs", "decide", "nothing", "approve"),
            ("runs", "prune", "--state", "running"),
            ("runs", "schedule", "0 6 * * *", "--store", STORE),
            ("--show-completion", "dash"),
            ("new", "tool", "greet", "--path", "my folder"),
        ]
    )


def scenario_doubt(project, run):
    (project / "deadly").touch()
    run("run", "tools.py:harsh", "--each", "items.jsonl", dies=True)
    return run("runs", "resume", newest(run))


def scenario_doubt_in_a_store(project, run):
    (project / "deadly").touch()
    run("run", "tools.py:harsh", "--each", "items.jsonl", "--store", STORE, dies=True)
    return run("runs", "resume", newest(run, "--store", STORE), "--store", STORE)


def scenario_other_python_of_a_run_in_a_store(project, run):
    (project / "deadly").touch()
    run("run", "tools.py:harsh", "--each", "items.jsonl", "--store", STORE, "--python", sys.executable, dies=True)
    return run("runs", "resume", newest(run, "--store", STORE), "--repeat", "--store", STORE)


def scenario_pending_approvals(project, run):
    said = run("run", "steps.yaml", "n=1", "--journal", "--on-approval", "wait") + run("runs", "approvals")
    write(project, "tools.py", f"{TOOLS}\n")
    return said + run("runs", "resume", newest(run))


def scenario_pending_approvals_in_a_store(project, run):
    wait = ("--on-approval", "wait", "--store", STORE)
    return run("run", "steps.yaml", "--each", "items.jsonl", *wait)


def scenario_listed_approvals_in_a_store(project, run):
    scenario_pending_approvals_in_a_store(project, run)
    listed = run("runs", "approvals", "--store", STORE)
    return listed + run("runs", "decide", listed.partition("runs decide ")[2].split()[0], "--store", STORE)


def scenario_given_approval_in_a_store(project, run):
    listed = scenario_listed_approvals_in_a_store(project, run)
    return run("runs", "decide", listed.partition("runs decide ")[2].split()[0], "approve", "--store", STORE)


def scenario_end_that_cannot_be_recorded(project, run):
    batch = ("run", "tools.py:forecast", "--each", "items.jsonl", "--store", STORE)
    run(*batch)
    with sqlite3.connect(project / "my store" / "runs.db") as database:
        database.executescript(
            "CREATE TRIGGER run_ends BEFORE UPDATE OF ended ON toolkit_runs BEGIN SELECT RAISE(FAIL, 'full'); END;"
        )
    return run(*batch)


def scenario_secrets(project, run):
    write(project, "enter.py", "from toolkit import tool\nfrom pydantic import SecretStr\n\n\n@tool\ndef enter(password: SecretStr) -> str:\n    \"\"\"Enter.\"\"\"\n    raise ValueError('no')\n")  # fmt: skip
    write(project, "token.yaml", "name: token\ndescription: Enter.\ntools: [./enter.py]\ninputs: {password: {type: string}}\nsteps:\n  - {use: enter, with: {password: '${{ inputs.password }}'}}\n")  # fmt: skip
    run("run", "token.yaml", "--journal", "password=correct-horse-9")
    return run("runs", "resume", newest(run), "--repeat")


def scenario_tests_that_fail(project, run):
    write(project, "bad.py", 'from toolkit import tool\n\n\n@tool(read_only=True)\ndef half(n: int) -> float:\n    """Halve."""\n    return 1 / n\n\n\n@tool(read_only=True)\ndef leave(n: int) -> int:\n    """Leave."""\n    import os\n    os._exit(3)\n')  # fmt: skip
    return run("test", "bad.py")


def scenario_tools_that_are_only_read(project, run):
    (project / "installed" / "livekit").mkdir(parents=True)
    write(project, "installed/livekit/agents.py", "class Found: ...\n\n\ndef function_tool(run):\n    return run\n")
    write(project, "voice.py", "import sys\n\nsys.path.insert(0, 'installed')\nfrom livekit.agents import Found, function_tool\n\n\n@function_tool\ndef stock() -> int:\n    \"\"\"Count.\"\"\"\n    return 3\n\n\nfound = Found()\n")  # fmt: skip
    (project / "voice.py").rename(project / "my voice.py")
    return run("list", "my voice.py") + run("run", "my voice.py:found")


def scenario_first_cases(project, run):
    said = run("new", "cases", "my tools.py")
    return said + run("run", "my tools.cases.yaml") + (project / "my tools.cases.yaml").read_text("utf-8")


def scenario_case_of_a_run(project, run):
    run("run", "steps.yaml", "n=1", "--journal", "--approve", "wipe")
    id = newest(run)
    said = run("new", "cases", "steps", "--from", id) + run("new", "tool", "--from", id)
    return said + run("new", "cases", "--from", "script.yaml") + run("new", "tool")


def newest(run, *more):
    listed = run("runs", "list", "--format", "json", *more)
    return json.loads(listed[listed.index("[") :])[0]["id"]


SLOW = ("in_a_store", "server_that_has_changed", "server_with_invisible_characters")
"""How the names of scenarios end that start many programs."""
SCENARIOS = {
    name.removeprefix("scenario_"): made for name, made in list(globals().items()) if name.startswith("scenario_")
}
COMMAND = re.compile(
    r"`(toolkit [^`]+)`|(?:(?:with|write|it|one|them|again): +|^  )(toolkit (?:[^\n;,]|,(?! or ))+)", re.MULTILINE
)
PLACEHOLDER = re.compile(r"…|\b(ID|TARGET|NAME|FILE|ARG|TASK)\b|name=value")
"""What somebody has to replace before the command works."""
UNUSABLE = {2, 4, 70}
DESCRIPTIONS = (
    "`toolkit runs decide` needs the id of a question",
    "`toolkit runs schedule` needs a time and a target",
    "the 64 hexadecimal digits that `toolkit policy check --format json` shows",
    "the age up to which `toolkit runs prune` keeps runs; only in your own configuration",
    "whether `toolkit test --update` may rewrite the expected `output`",
)
"""Texts that mention a command, and do not suggest it."""
ELSEWHERE = (
    "\0 (step by step: `toolkit mcp doctor \0`)",
    "`toolkit lint \0 --provider NAME` shows all of them",
    "`toolkit mcp doctor \0` checks it step by step",
    "`toolkit mcp install` adds them",
    "sign in with `toolkit mcp login \0\0`",
    "whose access tokens `toolkit serve --http` accepts",
)
"""What the tests of the doctor, of installing, and of signing in try: it needs servers that are broken, or a browser."""
SUBJECTS = ("`toolkit runs resume`",)
"""Texts that begin a sentence about a command."""


def running(program, folder):
    """Return a function that runs the program in a folder, and returns all that it printed."""

    def run(*words, dies=False):
        done = program(*words, cwd=folder)
        assert (done.returncode == -signal.SIGKILL) is dies, done.stderr
        return done.stderr + done.stdout

    return run


@pytest.mark.parametrize(
    "scenario",
    [
        pytest.param(scenario, id=name, marks=pytest.mark.proof if name.endswith(SLOW) else ())
        for name, scenario in SCENARIOS.items()
    ],
)
def test_command_in_a_hint_works_as_it_is_printed(project, program, scenario):
    output = scenario(project, running(program, project)).replace("%0A", "\n")
    for text in DESCRIPTIONS:
        output = output.replace(text, "")
    found = [next(filter(None, one.groups())) for one in COMMAND.finditer(output)]
    assert found, output
    commands = [command for command in dict.fromkeys(found) if not PLACEHOLDER.search(command)]
    done = {command: program(*shlex.split(command)[1:]) for command in reversed(commands)}  # the last one ends the run
    assert [f"{command}\n{one.stderr}" for command, one in done.items() if one.returncode in UNUSABLE] == []


WORDS = "agent|lint|list|lock|mcp|new|policy|run|runs|schema|serve|show|test|ui|worker|--version"
SUGGESTION = re.compile(rf"`toolkit ({WORDS}) \S|: toolkit ({WORDS})\b|^toolkit ({WORDS}) ")


def suggestions():
    """Return a pattern for each text in the source that suggests a command, by where it is."""
    found, mentions = {}, {*DESCRIPTIONS, *ELSEWHERE, *SUBJECTS}
    for room in (toolkit, toolkit_cli):
        for file in sorted(Path(str(room.__file__)).parent.rglob("*.py")):
            tree = ast.parse(file.read_text("utf-8"))
            within = {
                id(part)
                for node in ast.walk(tree)
                if isinstance(node, ast.Expr | ast.JoinedStr) or (isinstance(node, ast.keyword) and node.arg == "help")
                for part in ast.walk(node)
                if part is not node
            }
            for node in ast.walk(tree):
                if id(node) not in within and SUGGESTION.search(text := text_of(node)) and text not in mentions:
                    found[f"{file.name}: {text}"] = ".*".join(map(re.escape, text.split("\0")))
    return found


def text_of(node):
    """Return the text of a literal, with NUL for what is put into it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


@pytest.mark.proof
def test_every_command_that_the_source_suggests_is_tried(tmp_path, program, monkeypatch):
    outputs = []
    for name, scenario in SCENARIOS.items():
        (tmp_path / name).mkdir()
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / name / "state"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / name / "config"))
        write_files(tmp_path / name)
        outputs.append(scenario(tmp_path / name, running(program, tmp_path / name)))
    printed = "\n".join(outputs)
    missing = [place for place, pattern in suggestions().items() if not re.search(pattern, printed)]
    assert "\n".join(missing) == ""
