"""Many runs and many items in one store: each is done once, and a process takes no more memory for more of them."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

from tests.peaks import PEAK, needs_peaks

TOOLS = """
from toolkit import tool

@tool(read_only=True)
def square(n: int) -> int:
    \"""Square a number.\"""
    return n * n
"""
RUNS, ITEMS = 20, 50
FEW, MANY = 4_000, 24_000
"""More than may be on their way at once, and six times as many."""
OPENING = """
import os, sys
import dbos, toolkit.durable.serializers, toolkit.durable.tables
from toolkit.durable.store_urls import StoreUrl  # private
from toolkit.durable.stores import Store  # private

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
WITH_PEAK = f"""
{PEAK}
import sys
from toolkit_cli.main import main
try:
    main()
finally:
    print(peak(), file=sys.stderr)
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    return tmp_path


def run(folder, store, count, out, *words, program=("-m", "toolkit_cli")):
    """Run a batch to its end; return what it has reported."""
    items = folder / f"{count}.jsonl"
    if not items.exists():
        items.write_text("".join(f'{{"n": {n}}}\n' for n in range(count)), "utf-8")
    batch = ["run", "tools.py:square", "--each", items.name, "--out", out, "--store", store, "--quiet", *words]
    done = subprocess.run(
        [sys.executable, *program, *batch],
        capture_output=True,
        check=False,
        cwd=folder,
        stdin=-3,
        text=True,
        env={**os.environ, "XDG_STATE_HOME": str(folder / "state")},
    )
    assert done.returncode == 0, done.stderr
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
    with ThreadPoolExecutor(RUNS) as pool:
        errors = list(pool.map(lambda n: run(folder, store, ITEMS, f"{n}.out"), range(RUNS)))
    assert errors == [""] * RUNS
    expected = [{"item": n + 1, "output": n * n} for n in range(ITEMS)]
    for name in range(RUNS):
        lines = (folder / f"{name}.out").read_text("utf-8").splitlines()
        assert [json.loads(line) for line in lines] == expected
    figure(f"twenty batches at once on one store of {kind}: {RUNS * ITEMS:,} of {RUNS * ITEMS:,} items, no error")


@needs_peaks
@pytest.mark.proof
def test_many_items_of_a_store_take_no_more_memory_than_few(folder, figure):
    store = f"sqlite:///{folder}/runs.db"
    peaks = []
    for count in (FEW, MANY):
        talk = run(folder, store, count, "out.jsonl", "--jobs", "2", program=("-c", WITH_PEAK))
        peaks.append(int(talk.split()[-1]) / 1024)
        with (folder / "out.jsonl").open(encoding="utf-8") as results:
            assert all(json.loads(line) == {"item": n + 1, "output": n * n} for n, line in enumerate(results))
        with (folder / "out.jsonl").open(encoding="utf-8") as results:
            assert sum(1 for _ in results) == count
    figure(f"peak memory of a batch in a store: {peaks[0]:.0f} MiB for {FEW:,} items, {peaks[1]:.0f} MiB for {MANY:,}")
    assert peaks[1] < peaks[0] + 16
