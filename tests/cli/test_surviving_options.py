"""Options of a run that is resumed, or whose items a worker processes: each survives, or says why it does not."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given, strategies as st

from toolkit_cli.agent_options import AgentOptions  # private
from toolkit_cli.run_options import RunOptions  # private
from toolkit_cli.shared_options import forgotten, recorded, restored, spread  # private

TOOLS = '''
import json
import time
from pathlib import Path
from typing import Annotated
from toolkit import MemoryId, ToolContext, tool

@tool(read_only=True)
def look(n: int, context: ToolContext, memory: Annotated[str, MemoryId]) -> str:
    """Look."""
    if n == 2 and Path("broken").exists():
        raise ValueError("broken")
    if n == 3:
        time.sleep(30)
    return f"{n} {context.get('tenant')} {memory}"

@tool
def wipe(n: int) -> str:
    """Wipe."""
    return f"wiped {n}"
'''
FORGOTTEN = {
    RunOptions: {
        "words", "args", "input", "store", "journal", "dry_run", "yes", "no_input", "approve",
        "grant", "start", "consent", "verbose", "quiet", "debug",
    },
    AgentOptions: {
        "go_on", "journal", "yes", "no_input", "approve", "grant", "start", "consent", "verbose", "quiet", "debug",
    },
}  # fmt: skip


def options_of(kind):
    """Return every option of a command, as Typer sees it: its name and its type."""

    def command(options):
        """Take the options."""

    command.__annotations__ = {"options": kind}
    return {name: get_args(option)[0] for name, option in spread(command).__annotations__.items()}


def values_of(kind):
    """Return a strategy for the values of an option."""
    members = get_args(kind) or (kind,)
    known = {str: st.text(), int: st.integers(), bool: st.booleans(), Path: st.text("abc/", min_size=1).map(Path)}
    if all(isinstance(member, str) for member in members):
        return st.sampled_from(members)
    parts: list[Any] = []
    for member in members:
        if member is type(None):
            parts.append(st.none())
        elif member in known:
            parts.append(known[member])
        elif get_args(member) == (str,):
            parts.append(st.lists(st.text()))
        else:
            parts.append(st.sampled_from(get_args(member)))
    return st.one_of(parts)


def fill(kind, values):
    """Return the options with values by name, in their nested tuples."""
    inner = {name: fill(own, values) for name, own in kind.__annotations__.items() if hasattr(own, "_fields")}
    return kind(**inner, **{name: values[name] for name in kind._fields if name in values})


def flat(options):
    """Return the values of options by name, without their nested tuples."""
    found = {}
    for name, value in options._asdict().items():
        found |= flat(value) if hasattr(value, "_fields") else {name: value}
    return found


@pytest.mark.parametrize("kind", [RunOptions, AgentOptions])
def test_every_option_survives_or_says_why_not(kind):
    whys = forgotten(kind)
    assert whys.keys() == FORGOTTEN[kind]
    assert all(len(why.split()) > 3 for why in whys.values())


@pytest.mark.parametrize("kind", [RunOptions, AgentOptions])
@given(data=st.data())
def test_recorded_options_are_restored(kind, data):
    options = options_of(kind)
    values = data.draw(st.fixed_dictionaries({name: values_of(own) for name, own in options.items()}))
    again = flat(restored(kind, json.loads(json.dumps(recorded(fill(kind, values))))))
    usual = flat(kind(*(["target"] if "target" in options else [])))
    for name in options:
        assert again[name] == (usual[name] if name in FORGOTTEN[kind] else values[name]), name


def toolkit(folder, *arguments, state=None):
    """Run the program, and return its exit code and what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *arguments],
        cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("store", [None, pytest.param("sqlite:///runs.db", marks=pytest.mark.proof)])
def test_options_apply_again_when_a_batch_is_resumed(tmp_path, monkeypatch, store):
    if store is not None:
        pytest.importorskip("dbos", reason="the extra `durable` is not installed")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "items.jsonl").write_text("1\n2\n3\n", "utf-8")
    (tmp_path / "broken").touch()
    more = [] if store is None else ["--store", store]
    typed = (
        "tools.py:look --each items.jsonl --out out.jsonl --on-item-error skip --timeout 1s --context tenant=acme "
        "--memory-id m7 --jobs 2"
    )
    toolkit(tmp_path, "run", *typed.split(), *more)
    first = (tmp_path / "out.jsonl").read_text("utf-8")
    assert first == '{"item": 1, "output": "1 acme m7"}\n'
    (tmp_path / "broken").unlink()
    (tmp_path / "out.jsonl").unlink()
    runs = json.loads(toolkit(tmp_path, "runs", "list", "--format", "json", *more)[1])
    code, output, error = toolkit(tmp_path, "runs", "resume", runs[0]["id"], "--failed", *more)
    assert (output, "TypeError" in error) == ("", False), error
    assert (tmp_path / "out.jsonl").read_text("utf-8") == (
        '{"item": 1, "output": "1 acme m7"}\n{"item": 2, "output": "2 acme m7"}\n'
    )  # item 3 is stopped by the time limit again, and skipped
    assert code == 0


@pytest.mark.proof
@pytest.mark.parametrize("limit", ["option", "configuration"])
def test_worker_processes_items_with_the_options_of_their_run(tmp_path, monkeypatch, limit):
    pytest.importorskip("dbos", reason="the extra `durable` is not installed")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("TOOLKIT_STORE", "sqlite:///runs.db")
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "items.jsonl").write_text("1\n3\n", "utf-8")
    timeout = ["--timeout", "1s"] if limit == "option" else []
    (tmp_path / "toolkit.toml").write_text("" if timeout else '[defaults]\ntimeout = "1s"\n', "utf-8")
    typed = "tools.py:look --each items.jsonl --jobs 0 --context tenant=acme --memory-id m7"
    worker = subprocess.Popen(
        [sys.executable, "-m", "toolkit_cli", "worker", "--tools", "tools.py", "--context", "tenant=other"],
        cwd=tmp_path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        _, output, error = toolkit(tmp_path, "run", *typed.split(), *timeout)
    finally:
        worker.terminate()
        worker.wait()
    lines = [json.loads(line) for line in output.splitlines()]
    assert [line["item"] for line in lines] == [1, 2], error
    assert lines[0]["output"] == "1 acme m7"
    assert lines[1]["error_code"] == "timeout"
