"""Whatever way a disk fails under a batch, the batch stops with one line, loses nothing, and goes on to its end."""

import json

import pytest

from tests.failing_disks import FAILING, needs_failing_disks

pytestmark = [needs_failing_disks, pytest.mark.proof]

TOOLS = f"""
{FAILING}
import pathlib
import sys
from toolkit import tool

def fail_as_said(moment):
    said = pathlib.Path("failing").read_text().split() if pathlib.Path("failing").exists() else ["never"]
    if said[0] == moment:
        refuse(*said[1:])

fail_as_said("before")

class Summary:
    \"""Standard error; the disk fails when the summary is printed, before the end of the run is recorded.\"""

    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        if " items · " in text:
            fail_as_said("end")
        return self.stream.write(text)

    def __getattr__(self, name):
        return getattr(self.stream, name)

sys.stderr = Summary(sys.stderr)

@tool(idempotent=True)
def square(n: int) -> int:
    \"""Square a number.\"""
    if n == 20:
        fail_as_said("amid")
    if n == 1_000:
        raise ValueError("too large")
    with open("effects.txt", "a") as file:
        file.write(f"{{n}}\\n")
    return n * n
"""
WAYS = {"full": "ENOSPC pwrite64", "read-only": "EROFS pwrite64", "failing fsync": "EIO fsync fdatasync"}
REASONS = ("database or disk is full", "disk i/o error")
KINDS = {"journal": 600, "store": 60}
"""How many items a batch has; those of a journal are so many that SQLite forces it to the disk in between."""


@pytest.fixture(autouse=True)
def tools(project, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(project / "state"))
    (project / "tools.py").write_text(TOOLS, "utf-8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moment", ["before", "amid"])
@pytest.mark.parametrize("way", WAYS)
def test_a_disk_that_fails_stops_a_batch_with_one_line_and_loses_nothing(project, program, figure, way, moment, kind):
    count = KINDS[kind]
    (project / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(count)), "utf-8")
    (project / "one.jsonl").write_text('{"n": -1}\n', "utf-8")
    place = f"sqlite:///{project}/runs.db" if kind == "store" else str(project / "state" / "toolkit" / "runs.db")
    options = ["--store", place] if kind == "store" else []
    batch = ["run", "tools.py:square", "--out", "results.jsonl", "--quiet", *options]
    assert program(*batch, "--each", "one.jsonl").returncode == 0  # from now on, the file is there
    (project / "effects.txt").unlink()
    (project / "failing").write_text(f"{moment} {WAYS[way]}", "utf-8")
    stopped = program(*batch, "--each", "items.jsonl")
    (project / "failing").unlink()
    run, *earlier = json.loads(program("runs", "list", "--format", "json", *options).stdout)
    if stopped.returncode:
        error, *more = stopped.stderr.splitlines()
        assert error.startswith("error: ")
        assert f"the {kind} '{place}'" in error
        assert error.rpartition(": ")[2] in REASONS
        assert len(more) == len(earlier)
        done, _, words = more[0].partition("; continue with: toolkit ") if more else ("", "", "")
        assert done.endswith((" item done", " items done")) == bool(more)
        assert program(*words.split() or [*batch, "--each", "items.jsonl"]).returncode == 0
    else:
        assert way == "failing fsync"  # SQLite goes on beside the file, and tries again to move what it has written
        assert run["state"] == "completed"
    results = (project / "results.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line) for line in results] == [{"item": n + 1, "output": n * n} for n in range(count)]
    effects = (project / "effects.txt").read_text("utf-8").split()
    assert set(effects) == {str(n) for n in range(count)}
    repeated = len(effects) - count
    assert repeated <= 1
    how = "stopped with one line, and went on to 100 %" if stopped.returncode else "went on to 100 %"
    figure(f"{kind}, {way} {moment}: {how}; {repeated} steps twice")


WAYS_TO_END = {"completed": ([1, 2], 0), "failed": ([1, 1_000], 1)}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("end", WAYS_TO_END)
@pytest.mark.parametrize("way", ["full", "read-only"])
def test_a_disk_that_fails_at_the_end_of_a_batch_loses_no_result_and_is_reported(project, program, way, end, kind):
    numbers, exit_code = WAYS_TO_END[end]
    (project / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in numbers), "utf-8")
    place = f"sqlite:///{project}/runs.db" if kind == "store" else str(project / "state" / "toolkit" / "runs.db")
    options = ["--store", place] if kind == "store" else []
    batch = ["run", "tools.py:square", "--each", "items.jsonl", "--on-item-error", "fail", *options]
    plain = program(*batch)
    (project / "failing").write_text(f"end {WAYS[way]}", "utf-8")
    done = program(*batch)
    (project / "failing").unlink()
    assert (done.returncode, done.stdout) == (exit_code, plain.stdout)
    run, before = json.loads(program("runs", "list", "--format", "json", *options).stdout)
    more = f" --store {place}" if options else ""
    complete = "its results are complete, but " if end == "completed" else ""
    reason = REASONS[way == "read-only"]
    _, *said = done.stderr.splitlines()
    assert said == [
        *(["error: item 2: ValueError: too large"] if exit_code else []),
        f"warning: the end of this run was not recorded: cannot write the {kind} '{place}': {reason}",
        f"hint: {complete}`toolkit runs list{more}` shows the run as killed",
        *([f"1 item done; continue with: toolkit runs resume {run['id']}{more}"] if exit_code else []),
    ]
    assert (run["state"], before["state"]) == ("killed", end)
