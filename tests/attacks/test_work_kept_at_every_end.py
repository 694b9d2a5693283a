"""Ends of runs that lose work or never come."""

import json
import signal

import pytest
from typer.testing import CliRunner

from toolkit_cli.main import application

TOOLS = '''
import signal
import threading

from toolkit import ConfigurationError, ExitEarlyError, ToolExecutionError, tool
from toolkit.errors import ApprovalTimeoutError, BudgetExceeded, TerminationRequested


def interrupt(number):
    """End as a signal does it: a plain function has the main thread, or a thread that is given up."""
    signal.raise_signal(number)
    threading.Event().wait()


def fail(error):
    """Raise an error."""
    raise error


ENDINGS = {
    "failure": lambda: fail(ToolExecutionError("it failed")),
    "bug": lambda: fail(RuntimeError("it broke")),
    "timeout": lambda: fail(TimeoutError("it took too long")),
    "exit": lambda: fail(SystemExit(3)),
    "ctrl-c": lambda: fail(KeyboardInterrupt),
    "interrupt": lambda: interrupt(signal.SIGINT),
    "terminate": lambda: interrupt(signal.SIGTERM),
    "hang-up": lambda: interrupt(signal.SIGHUP),
    "reviewer": lambda: fail(ExitEarlyError("enough")),
    "unanswered": lambda: fail(ApprovalTimeoutError("nobody answered")),
    "budget": lambda: fail(BudgetExceeded("actions", 3, 3)),
    "end": lambda: fail(TerminationRequested("all is said")),
    "set-up": lambda: fail(ConfigurationError("it is set up wrongly")),
}


@tool(read_only=True)
def note(text: str) -> str:
    """Note a text."""
    return f"noted {text}"


@tool(read_only=True)
def end(how: str) -> str:
    """End the run."""
    return ENDINGS[how]()


@tool(read_only=True)
async def end_aside(how: str) -> str:
    """End the run in the event loop."""
    import asyncio

    if how in ("interrupt", "terminate", "hang-up"):
        signal.raise_signal({"interrupt": signal.SIGINT, "terminate": signal.SIGTERM, "hang-up": signal.SIGHUP}[how])
        await asyncio.Event().wait()
    return ENDINGS[how]()


@tool(read_only=True)
def note_or_end(text: str, how: str) -> str:
    """Note a text, or end the run."""
    return ENDINGS[how]() if text == "stop" else note(text)
'''
HOWS = [
    "failure", "bug", "timeout", "exit", "ctrl-c", "interrupt", "terminate", "hang-up", "reviewer", "unanswered",
    "budget", "end", "set-up",
]  # fmt: skip
HEAD = "tools: [./tools.py]\ninputs: {how: {type: string}}\nsteps:\n"
WITH_HOW = 'with: {how: "${{ inputs.how }}"}'


def notes(count, indent="  "):
    return "".join(f'{indent}- {{id: n{at}, use: note, with: {{text: "{at}"}}}}\n' for at in range(count))


def chain(count, tool):
    return f"{HEAD}{notes(count)}  - {{id: last, use: {tool}, {WITH_HOW}}}\n", {
        f"n{at}": f"noted {at}" for at in range(count)
    }


def nested(count, tool):
    outer = f"{HEAD}{notes(1)}  - {{id: inner, use: ./chain_{count}_{tool}.yaml, {WITH_HOW}}}\n"
    return outer, {"n0": "noted 0"} | {f"inner/n{at}": f"noted {at}" for at in range(count)}


def branches(count, tool):
    side = f"{notes(count, '        ')}        - {{id: last, use: {tool}, {WITH_HOW}}}\n"
    text = f"{HEAD}  - id: both\n    parallel:\n      one:\n{side}      two: [{{id: quiet, set: 1}}]\n"
    return text, {f"both/one/n{at}": f"noted {at}" for at in range(count)}


def items(count, tool):
    listed = ", ".join([f'"{at}"' for at in range(count)] + ['"stop"', '"after"'])
    aside = ", timeout: 1h" if tool == "end_aside" else ""
    text = (
        f"{HEAD}  - {{id: each, for_each: '${{{{ [{listed}] }}}}', use: note_or_end, "
        f'with: {{text: "${{{{ item }}}}", how: "${{{{ inputs.how }}}}"}}{aside}}}\n'
    )
    return text, {f"each[{at}]": f"noted {at}" for at in range(count)}


SHAPES = {"chain": chain, "nested": nested, "branches": branches, "items": items}


def kept_in(out):
    steps = json.loads(out)["steps"]
    outputs = {step["path"]: step["output"] for step in steps if step["status"] == "ok" and step["tool"] == "note"}
    items = {
        f"{step['path']}[{item['index']}]": item["output"]
        for step in steps
        for item in step.get("items", {}).get("kept", ())
    }
    return outputs | items


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("count", [pytest.param(1, marks=pytest.mark.proof), 3])
@pytest.mark.parametrize("how", HOWS)
def test_no_end_loses_a_step_or_an_item(tmp_path, monkeypatch, attacks, how, count):
    if how == "hang-up" and not hasattr(signal, "SIGHUP"):
        pytest.skip("this system knows no hang-up")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    for tool in ("end", "end_aside"):
        for shape, make in SHAPES.items():
            text, expected = make(count, tool)
            file = tmp_path / f"{shape}_{count}_{tool}.yaml"
            file.write_text(text, "utf-8")
            ended = CliRunner().invoke(application(), ["run", file.name, f"how={how}", "--format", "json"])
            what = f"{how} in {file.name}: {ended.exit_code}, {ended.stdout}, {ended.stderr}"
            attacks.count(what, held=ended.exit_code != 0 and kept_in(ended.stdout) == expected)


@pytest.mark.proof(everyday=3)
@pytest.mark.parametrize("how", HOWS)
def test_no_end_loses_a_call_of_an_agent(tmp_path, monkeypatch, attacks, how):
    if how == "hang-up" and not hasattr(signal, "SIGHUP"):
        pytest.skip("this system knows no hang-up")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    for tool in ("end", "end_aside"):
        turns = [f'  - calls: [{{tool: note, arguments: {{text: "{at}"}}}}]\n' for at in range(2)]
        turns.append(f"  - calls: [{{tool: {tool}, arguments: {{how: {how}}}}}]\n")
        (tmp_path / "script.yaml").write_text(f"turns:\n{''.join(turns)}", "utf-8")
        words = ["agent", "go", "--model", "scripted:script.yaml", "--tools", "tools.py", "--format", "json"]
        ended = CliRunner().invoke(application(), words)
        steps = [(step["tool"], step["output"]) for step in json.loads(ended.stdout)["steps"]]
        what = f"{how} in {tool}: {ended.exit_code}, {ended.stdout}, {ended.stderr}"
        expected = [("note", "noted 0"), ("note", "noted 1"), (tool, "")]
        attacks.count(what, held=ended.exit_code != 0 and steps == expected)
