"""Limits of a tool hold wherever its calls are made: for the items of a batch and in steps, on all workers together."""

import json
import os
import subprocess
import sys

import pytest

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

import psycopg

TOOLS = '''
import os
import time

from toolkit import tool

@tool(idempotent=True)
def visit(n: int) -> int:
    """Be there for a moment, and keep who is there at the same time."""
    mark = f"there-{n}"
    open(mark, "x").close()
    there = len([name for name in os.listdir() if name.startswith("there-")])
    with open("visits.txt", "a") as file:
        file.write(f"{there} {os.getpid()} {time.time()}\\n")
    time.sleep(0.2)
    os.unlink(mark)
    return n

@tool(idempotent=True)
async def stumble(n: int) -> int:
    """Fail at first."""
    with open("attempts.txt", "a") as file:
        file.write(f"{time.time()}\\n")
    raise ConnectionError("not yet")
'''
PIPELINE = """
name: tour
description: Visit two numbers for each.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps:
  - parallel:
      one: [{use: visit, with: {n: "${{ inputs.n }}"}}]
      other: [{use: visit, with: {n: "${{ inputs.n + 100 }}"}}]
output: "${{ inputs.n }}"
"""
RETRIED = """
name: stumbling
description: Try a few times.
tools: [./tools.py]
inputs: {n: {type: integer}}
steps: [{use: stumble, with: {n: "${{ inputs.n }}"}, retry: {attempts: 3, backoff: 1ms}}]
"""
RATE, SECONDS, TOGETHER, ITEMS = 6, 3.0, 2, 9
LATE = 0.5
"""Seconds that a call may take from its turn to the line that it writes."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "tour.yaml").write_text(PIPELINE, "utf-8")
    (tmp_path / "stumbling.yaml").write_text(RETRIED, "utf-8")
    settings = f'[limits.visit]\nrate = "{RATE}/{SECONDS:g}s"\nconcurrency = {TOGETHER}\n'
    (tmp_path / "toolkit.toml").write_text(settings, "utf-8")
    return tmp_path


def write_items(folder, count):
    (folder / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(count)), "utf-8")


def run(folder, *words, **variables):
    """Run a batch in a process, and return what came of it."""
    command = [sys.executable, "-m", "toolkit_cli", "run", *words, "--each", "items.jsonl", "--quiet"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=300, **options(folder, **variables))
    return [json.loads(line)["output"] for line in done.stdout.splitlines()]


def options(folder, **variables):
    state = {"XDG_STATE_HOME": str(folder / "state"), "TOOLKIT_AUDIT": "0"}
    return {"cwd": folder, "env": {**os.environ, **state, **variables}, "stdin": -3, "text": True}


def visits(folder):
    """Return how many were there at most, in how many processes, and when each call began."""
    lines = [line.split() for line in (folder / "visits.txt").read_text("utf-8").splitlines()]
    return max(int(line[0]) for line in lines), len({line[1] for line in lines}), [float(line[2]) for line in lines]


def shortest(began, rate=RATE):
    """Return the shortest time in which one call more than the rate began."""
    began = sorted(began)
    return min(later - earlier for earlier, later in zip(began, began[rate:], strict=False))


@pytest.mark.proof
@pytest.mark.parametrize("words", [("--no-journal",), (), ("--store", "sqlite:///runs.db")])
def test_limits_hold_for_steps_of_items_side_by_side(folder, figure, words):
    write_items(folder, ITEMS)
    assert run(folder, "tour.yaml", *words, "--jobs", "4") == list(range(ITEMS))
    most, _, began = visits(folder)
    figure(f"limits of steps, {' '.join(words) or 'journal'}: {most} at once, {RATE} in {shortest(began):.1f} s")
    assert most <= TOGETHER
    assert len(began) == 2 * ITEMS
    assert shortest(began) >= SECONDS - LATE


@pytest.mark.proof
@pytest.mark.parametrize(("target", "count"), [("tools.py:visit", 2 * ITEMS), ("tour.yaml", ITEMS)])
def test_limits_hold_for_three_workers_of_a_server(postgres, folder, figure, target, count):
    write_items(folder, count)
    database = f"limits_{count}"
    url = postgres.url(database)
    program = [sys.executable, "-m", "toolkit_cli", "worker", "--tools", target.partition(":")[0], "--jobs", "4"]
    of_worker = options(folder, TOOLKIT_STORE=url)
    workers = [subprocess.Popen(program, stdout=-3, stderr=-1, **of_worker) for _ in range(3)]
    try:
        for worker in workers:
            assert worker.stderr.readline().startswith("working on ")
        with psycopg.connect(url, autocommit=True) as store:
            store.execute(
                "CREATE TABLE began (at double precision);"
                "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN INSERT INTO began VALUES (NEW.began); RETURN NULL; END $$;"
                "CREATE TRIGGER note AFTER INSERT ON toolkit_turns FOR EACH ROW EXECUTE FUNCTION note()"
            )
        outputs = run(folder, target, "--jobs", "0", TOOLKIT_STORE=url)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.communicate(timeout=60)
    assert outputs == list(range(count))
    most, processes, _ = visits(folder)
    with psycopg.connect(url) as store:
        began = [row[0] for row in store.execute("SELECT at FROM began")]
        left = store.execute("SELECT count(*) FROM toolkit_turns WHERE ended IS NULL").fetchone()
    measured = shortest(began)
    figure(
        f"limits of {target} on PostgreSQL, {processes} workers: {most} at once (limit {TOGETHER}), "
        f"{RATE} in {measured:.2f} s"
    )
    assert processes > 1
    assert most <= TOGETHER
    assert len(began) == 2 * ITEMS
    assert measured >= SECONDS
    assert left == (0,)


@pytest.mark.proof
def test_each_attempt_of_a_step_counts_as_a_call(folder):
    write_items(folder, 1)
    (folder / "toolkit.toml").write_text('[limits.stumble]\nrate = "2/2s"\n', "utf-8")
    assert run(folder, "stumbling.yaml", "--on-item-error", "skip") == []
    attempts = [float(line) for line in (folder / "attempts.txt").read_text("utf-8").splitlines()]
    assert len(attempts) == 3
    assert shortest(attempts, 2) >= 2.0 - LATE


@pytest.mark.proof
def test_a_killed_worker_holds_nobody_up(folder):
    (folder / "toolkit.toml").write_text("[limits.visit]\nconcurrency = 1\n", "utf-8")
    write_items(folder, 3)
    text = TOOLS.replace("time.sleep(0.2)", "n == 0 and not os.path.exists('died') and die()\n    time.sleep(0.01)")
    text += "\ndef die():\n    open('died', 'x').close()\n    os.unlink('there-0')\n    os.kill(os.getpid(), 9)\n"
    (folder / "tools.py").write_text(text, "utf-8")
    variables = {"TOOLKIT_STORE": "sqlite:///runs.db"}
    command = [sys.executable, "-m", "toolkit_cli", "worker", "--tools", "tour.yaml", "--quiet"]
    of_worker = options(folder, **variables)
    workers = [subprocess.Popen(command, stdout=-3, stderr=-3, **of_worker) for _ in range(2)]
    try:
        assert run(folder, "tour.yaml", "--jobs", "0", **variables) == [0, 1, 2]
    finally:
        for worker in workers:
            worker.terminate()
        ended = sorted(worker.wait(60) for worker in workers)
    assert ended[0] == -9
    assert visits(folder)[0] == 1
