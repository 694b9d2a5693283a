"""Ends of runs that lose work or never come."""

import json
import os
import select
import signal
import subprocess
import sys
from typing import Any

import pytest

from tests.processes import survivors

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are sent, and processes are watched over")

TOOLS = '''
import asyncio, os, subprocess, sys, threading, time
from toolkit import ToolExecutionError, tool

WORK = 3600


def announce(what):
    """Tell the test where the run is; it waits for this."""
    with open(os.environ["NEWS"], "w") as news:
        news.write(what)


@tool
def note(text: str) -> str:
    """Note a text."""
    if text == "bad":
        raise ToolExecutionError("this one is bad")
    return f"noted {text}"


@tool
async def block(text: str = "") -> str:
    """Block the event loop."""
    announce("block")
    time.sleep(WORK)
    return text


@tool
async def swallow(text: str = "") -> str:
    """Ignore every cancellation."""
    announce("swallow")
    while True:
        try:
            await asyncio.sleep(WORK)
        except asyncio.CancelledError:
            pass


@tool
async def wait_aside(text: str = "") -> str:
    """Wait in the event loop, and end when asked to."""
    announce("wait_aside")
    await asyncio.Event().wait()
    return text


@tool
def wait(text: str = "") -> str:
    """Wait in a thread."""
    announce("wait")
    threading.Event().wait()
    return text


@tool
def ignore(text: str = "") -> str:
    """Ignore every exception, Ctrl-C too."""
    announce("ignore")
    while True:
        try:
            time.sleep(WORK)
        except BaseException:
            pass


@tool
def start(text: str = "") -> str:
    """Start a process and wait for it."""
    announce("start")
    subprocess.run([sys.executable, "-c", "import time; time.sleep(3600)"])
    return text


@tool
async def start_and_block(text: str = "") -> str:
    """Start a process, and block the event loop until it has ended."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
    announce("start_and_block")
    child.wait()
    return text


@tool
def stop_if(text: str) -> str:
    """Wait at the text `stop`; note any other."""
    if text == "stop":
        announce("stop_if")
        threading.Event().wait()
    return f"noted {text}"


@tool
async def block_if(text: str) -> str:
    """Block the event loop at the text `stop`; note any other."""
    if text == "stop":
        announce("block_if")
        time.sleep(WORK)
    return f"noted {text}"
'''

CHAIN = """
tools: [./tools.py]
inputs: {{}}
steps:
  - {{id: one, use: note, with: {{text: "1"}}}}
  - {{id: two, use: note, with: {{text: "2"}}}}
  - {{id: last, use: {tool}, with: {{text: x}}}}
"""
EACH = """
tools: [./tools.py]
inputs: {{}}
steps:
  - {{id: one, use: note, with: {{text: "1"}}}}
  - id: each
    for_each: ${{{{ ["a", "b", "c", "stop"] }}}}
    max_parallel: {at_once}
    use: {tool}
    with: {{text: "${{{{ item }}}}"}}
"""
PARALLEL = """
tools: [./tools.py]
inputs: {{}}
steps:
  - {{id: one, use: note, with: {{text: "1"}}}}
  - id: both
    parallel:
      done: [{{id: two, use: note, with: {{text: "2"}}}}, {{id: three, use: note, with: {{text: "3"}}}}]
      stuck: [{{id: last, use: {tool}, with: {{text: x}}}}]
"""
NESTED = """
tools: [./tools.py]
inputs: {{}}
steps:
  - {{id: one, use: note, with: {{text: "1"}}}}
  - {{id: inner, use: ./chain_{tool}.yaml, with: {{}}}}
"""
NOTED = {"one": "noted 1", "two": "noted 2"}
EXPECTED = {
    "chain": NOTED,
    "parallel": {"one": "noted 1", "both/done/two": "noted 2", "both/done/three": "noted 3"},
    "nested": {"one": "noted 1", "inner/one": "noted 1", "inner/two": "noted 2"},
}
WAITING = ["block", "swallow", "wait_aside", "wait", "ignore", "start", "start_and_block"]


@pytest.fixture
def place(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    for tool in WAITING:
        for shape, text in (("chain", CHAIN), ("parallel", PARALLEL), ("nested", NESTED)):
            (tmp_path / f"{shape}_{tool}.yaml").write_text(text.format(tool=tool), "utf-8")
        timed = CHAIN.format(tool=tool).replace("with: {text: x}", "with: {text: x}, timeout: 200ms")
        (tmp_path / f"timed_{tool}.yaml").write_text(timed, "utf-8")
    for tool in ("stop_if", "block_if"):
        (tmp_path / f"each_{tool}.yaml").write_text(EACH.format(tool=tool, at_once=1), "utf-8")
    os.mkfifo(tmp_path / "news")
    return tmp_path


class Running:
    """A run in a process of its own; everything that it starts carries its mark in the environment."""

    def __init__(self, folder, *arguments):
        self.mark = f"{folder.name}-{os.urandom(8).hex()}"
        self.seen = ""
        self._news = os.open(folder / "news", os.O_RDONLY | os.O_NONBLOCK)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "toolkit_cli", "run", *arguments],
            cwd=folder,
            env={**os.environ, "NEWS": str(folder / "news"), "MARK_OF_THE_RUN": self.mark, "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def wait_until(self, *lines):
        """Wait until the tool that holds the run has begun, and these steps have been shown as done."""
        assert self._process.stderr is not None
        sources: list[Any] = [self._news, self._process.stderr]
        ready, _, _ = select.select(sources, [], [], 60)
        while self._news not in ready and (line := self._process.stderr.readline()):
            self.seen += line
            ready, _, _ = select.select(sources, [], [], 60)
        assert self._news in ready, self.seen
        while not all(f" {line} " in self.seen for line in lines):
            line = self._process.stderr.readline()
            assert line, self.seen
            self.seen += line

    def send(self, *numbers):
        for number in numbers:
            self._process.send_signal(number)

    def end(self):
        """Wait for the end; return the exit code and what is on stdout."""
        out, err = self._process.communicate(timeout=60)
        self.seen += err
        os.close(self._news)
        return self._process.returncode, out

    def close_stdout(self):
        self._process.stdout.close()
        self._process.stdout = None

    def survivors(self):
        """Return the processes that carry the mark, once there has been time for all of them to go."""
        return survivors(f"MARK_OF_THE_RUN={self.mark}", 10)


def kept_in(out):
    """Return the outputs of steps that ended well, and those of the items of a step that did not."""
    steps = json.loads(out)["steps"]
    outputs = {step["path"]: step["output"] for step in steps if step["status"] == "ok"}
    items = {
        f"{step['path']}[{item['index']}]": item["output"]
        for step in steps
        for item in step.get("items", {}).get("kept", ())
    }
    return outputs | items


EACH_KEPT = {"one": "noted 1", "each[0]": "noted a", "each[1]": "noted b", "each[2]": "noted c"}
INT, TERM, HUP = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
ONCE = [
    ("chain", "block", [INT]),
    ("nested", "start_and_block", [TERM]),
    ("nested", "block", [HUP]),
    ("each", "block_if", [TERM]),
    ("each", "stop_if", [INT]),
    ("parallel", "wait_aside", [TERM]),
    ("parallel", "start", [TERM]),
    ("nested", "wait", [HUP]),
    ("chain", "swallow", [TERM]),
    ("chain", "ignore", [INT]),
]
TWICE = [
    ("chain", "block", [INT, TERM]),
    ("chain", "swallow", [HUP, INT]),
    ("nested", "swallow", [INT, TERM]),
    ("parallel", "swallow", [TERM, INT]),
    ("chain", "ignore", [INT, TERM]),
    ("nested", "ignore", [HUP, TERM]),
    ("parallel", "ignore", [INT, HUP]),
    ("each", "block_if", [INT, TERM]),
    ("chain", "start_and_block", [TERM, INT]),
    ("chain", "start", [INT, TERM]),
]


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize(("shape", "tool", "signals"), ONCE + TWICE)
def test_signals_lose_no_work_and_leave_nobody_behind(place, attacks, shape, tool, signals):
    expected = EXPECTED.get(shape, EACH_KEPT)
    running = Running(place, f"{shape}_{tool}.yaml", "--format", "json")
    running.wait_until(*(path for path in expected if "[" not in path))
    running.send(*signals)
    exit_code, out = running.end()
    what = f"{shape} of {tool}, signals {signals}"
    attacks.count(f"{what}: exit code {exit_code}", held=exit_code in {128 + number for number in signals})
    attacks.count(f"{what}: {out}", held=kept_in(out) == expected)
    attacks.count(f"{what}: {running.survivors()} survive", held=running.survivors() == [])


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("tool", ["block", "swallow", "wait_aside", "wait", "start_and_block"])
def test_time_that_is_over_ends_every_tool(place, attacks, tool):
    running = Running(place, f"timed_{tool}.yaml", "--format", "json")
    exit_code, out = running.end()
    kept = {path: output for path, output in kept_in(out).items() if path != "last"}
    attacks.count(f"timed {tool}: exit code {exit_code}", held=exit_code == 5)
    attacks.count(f"timed {tool}: {out}", held=kept == NOTED)
    attacks.count(f"timed {tool}: {running.survivors()} survive", held=running.survivors() == [])


@pytest.mark.proof(everyday=1)
@pytest.mark.parametrize("tool", ["block", "swallow"])
def test_timeout_of_the_command_ends_every_tool(place, attacks, tool):
    exit_code, out = Running(place, f"tools.py:{tool}", "--timeout", "200ms", "--format", "json").end()
    attacks.count(f"--timeout with {tool}: exit code {exit_code}", held=exit_code == 5)
    attacks.count(f"--timeout with {tool}: {out}", held=json.loads(out)["error_code"] == "timeout")


def test_people_read_what_was_done(place, attacks):
    running = Running(place, "each_block_if.yaml")
    running.wait_until("one")
    running.send(INT)
    exit_code, out = running.end()
    shown = running.seen[running.seen.index("finished before the failure") :]
    expected = """\
finished before the failure
  one  noted 1
  each, item 1 (a)  noted a
  each, item 2 (b)  noted b
  each, item 3 (c)  noted c
error: interrupted
hint: in step 'each'
"""
    attacks.count(running.seen, held=(exit_code, out, shown) == (130, "", expected))


def test_closed_pipe_holds_nothing_up(place, attacks):
    running = Running(place, "chain_block.yaml", "--format", "json")
    running.wait_until("one", "two")
    running.close_stdout()
    running.send(TERM)
    exit_code, _ = running.end()
    attacks.count(f"closed pipe: exit code {exit_code}", held=exit_code == 143 and "Traceback" not in running.seen)
