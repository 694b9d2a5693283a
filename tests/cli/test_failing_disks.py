"""Whatever way a disk fails under a batch, the batch stops with one line, loses nothing, and goes on to its end."""

import json

import pytest

from tests.failing_disks import FAILING, needs_failing_disks

pytestmark = [needs_failing_disks, pytest.mark.proof]

TOOLS = f"""
{FAILING}
import pathlib
from toolkit import tool

def fail_as_said(moment):
    said = pathlib.Path("failing").read_text().split() if pathlib.Path("failing").exists() else ["never"]
    if said[0] == moment:
        refuse(*said[1:])

fail_as_said("before")

@tool(idempotent=True)
def square(n: int) -> int:
    \"""Square a number.\"""
    if n == 20:
        fail_as_said("amid")
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
