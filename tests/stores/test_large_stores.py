"""Many runs and many items in one store: each is done once, and a process takes no more memory for more of them."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

from tests.peaks import ONE_ARENA, PEAK, needs_peaks

TOOLS = """
from toolkit import tool

@tool(read_only=True)
def square(n: int) -> int:
    \"""Square a number.\"""
    return n * n
"""
RUNS, ITEMS = 20, 50
FEW, MANY = 1_500, 7_500
"""How many items have begun when the peak is looked at first, and five times as many."""
MEASURED = f"""
{PEAK}
from toolkit import tool

@tool(read_only=True)
def square(n: int) -> int:
    \"""Square a number, and note the peak so far at two of them.\"""
    if n in ({FEW - 1}, {MANY - 1}):
        with open("peaks.txt", "a") as file:
            file.write(f"{{peak()}}\\n")
    return n * n
"""
OPENING = """
import os, sys
import dbos, toolkit.stores.dbos_parts
from toolkit.stores.databases import StoreUrl  # private
from toolkit.stores.stores import Store  # private

def open_when_all_are_there(number, waiting, starting):
    os.close(starting)
    os.read(waiting, 1)
    with Store(StoreUrl.parse(f"sqlite:///{number}.db")) as store:
        store.join()

at_once, rounds = map(int, sys.argv[1:])
for number in range(rounds):
    waiting, starting = os.pipe()
    for _ in range(at_once):
        if os.fork() == 0:
            open_when_all_are_there(number, waiting, starting)
            sys.exit()
    os.close(starting)
    ends = [os.wait()[1] for _ in range(at_once)]
    os.close(waiting)
    print(ends.count(0))
"""
"""Opens new stores, each in several processes at the same moment; prints how many of them could."""
AT_ONCE, ROUNDS = 8, 6


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    return tmp_path


def run(folder, store, numbers, out, *words):
    """Run a batch to its end, check its results, and return what it has reported."""
    items = folder / f"{out}.jsonl"
    items.write_text("".join(f'{{"n": {n}}}\n' for n in numbers), "utf-8")
    batch = ["run", "tools.py:square", "--each", items.name, "--out", out, "--store", store, "--quiet", *words]
    done = subprocess.run(
        [sys.executable, "-m", "toolkit_cli", *batch],
        capture_output=True,
        check=False,
        cwd=folder,
        stdin=-3,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state"), **ONE_ARENA},
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in (folder / out).read_text("utf-8").splitlines()]
    assert found == [{"item": item, "output": n * n} for item, n in enumerate(numbers, 1)]
    return done.stderr


@pytest.mark.proof
def test_a_new_store_can_be_opened_by_many_processes_at_once(tmp_path, figure):
    command = [sys.executable, "-c", OPENING, str(AT_ONCE), str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, text=True)
    assert done.stdout.split() == [str(AT_ONCE)] * ROUNDS, done.stderr
    figure(f"{AT_ONCE} processes at once opened a store that was not there, {ROUNDS} times, without an error")


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["SQLite", "PostgreSQL"])
def test_twenty_runs_at_once_share_one_new_store(folder, figure, request, kind):
    is_file = kind == "SQLite"
    store = f"sqlite:///{folder}/runs.db" if is_file else request.getfixturevalue("postgres").url("twenty")
    numbers = [range(first, first + ITEMS) for first in range(0, RUNS * ITEMS, ITEMS)]
    with ThreadPoolExecutor(RUNS) as pool:
        errors = list(pool.map(lambda n: run(folder, store, numbers[n], f"{n}.out"), range(RUNS)))
    assert errors == [""] * RUNS
    figure(
        f"twenty batches at once on one store of {kind}, each with its own items: {RUNS * ITEMS:,} of {RUNS * ITEMS:,} items, no error"
    )


@needs_peaks
@pytest.mark.proof
@pytest.mark.usefixtures("cold_starts")
def test_many_items_of_a_store_take_no_more_memory_than_few(folder, figure):
    (folder / "tools.py").write_text(MEASURED, "utf-8")
    run(folder, f"sqlite:///{folder}/runs.db", range(MANY), "results", "--jobs", "2")
    few, many = (int(line) / 1024 for line in (folder / "peaks.txt").read_text("utf-8").splitlines())
    figure(f"peak memory of a batch in a store: {few:.1f} MiB after {FEW:,} items, {many:.1f} MiB after {MANY:,}")
    assert many < few + 6
