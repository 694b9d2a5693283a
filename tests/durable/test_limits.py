"""Limits of a tool hold for all workers of a store together, on a server too."""

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
        file.write(f"{there} {os.getpid()}\\n")
    time.sleep(0.2)
    os.unlink(mark)
    return n
'''
RATE, SECONDS, TOGETHER = 6, 3.0, 2


@pytest.mark.proof
def test_limits_hold_for_three_workers_of_a_server(postgres, tmp_path, figure):
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    settings = f'[limits.visit]\nrate = "{RATE}/{SECONDS:g}s"\nconcurrency = {TOGETHER}\n'
    (tmp_path / "toolkit.toml").write_text(settings, "utf-8")
    (tmp_path / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(18)), "utf-8")
    variables = {**os.environ, "TOOLKIT_STORE": postgres.url("limits"), "TOOLKIT_AUDIT": "0"}
    program = [sys.executable, "-m", "toolkit_cli"]
    options = {"cwd": tmp_path, "env": variables, "stdin": -3, "text": True}
    command = [*program, "worker", "--tools", "tools.py", "--jobs", "4"]
    workers = [subprocess.Popen(command, stdout=-3, stderr=-1, **options) for _ in range(3)]
    try:
        for worker in workers:
            assert worker.stderr.readline().startswith("working on ")
        words = [*program, "run", "tools.py:visit", "--each", "items.jsonl", "--jobs", "0", "--quiet"]
        done = subprocess.run(words, capture_output=True, check=False, timeout=300, **options)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.communicate(timeout=60)
    assert [json.loads(line)["output"] for line in done.stdout.splitlines()] == list(range(18))
    visits = [line.split() for line in (tmp_path / "visits.txt").read_text("utf-8").splitlines()]
    most, processes = max(int(visit[0]) for visit in visits), len({visit[1] for visit in visits})
    with psycopg.connect(postgres.url("limits")) as store:
        rows = store.execute("SELECT started_at_epoch_ms FROM dbos.workflow_status ORDER BY 1").fetchall()
    began = [row[0] / 1000 for row in rows]
    shortest = min(later - earlier for earlier, later in zip(began, began[RATE:], strict=False))
    figure(f"limits on PostgreSQL, {processes} workers: {most} at once (limit {TOGETHER}), {RATE} in {shortest:.1f} s")
    assert most <= TOGETHER
    assert len(began) == 18
    assert shortest >= SECONDS
