"""The compose file of the page on batches does what the page says, with processes in the place of its containers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.databases import PASSWORD

pytest.importorskip("dbos", reason="the extra `durable` is not installed")

PAGE = (Path(__file__).parents[2] / "docs" / "batches.md").read_text("utf-8")
TOOLS = '''
from toolkit import tool

@tool(read_only=True)
def double(n: int) -> int:
    """Double a number."""
    return 2 * n
'''
REPORT = """
name: report
description: Double a number.
tools: [../tools.py]
inputs: {n: {type: integer}}
steps: [{use: double, with: {n: "${{ inputs.n }}"}}]
"""


def compose_file():
    found: Any = re.search(r"<!-- file: compose.yaml -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    return yaml.safe_load(found[1])


def commands():
    """Return the commands that the page shows after the file."""
    shown = PAGE.partition("<!-- not run: it needs containers -->")[2].partition("```console\n")[2].partition("```")[0]
    return [line.removeprefix("$ ") for line in shown.splitlines()]


@pytest.mark.proof
def test_three_workers_and_the_command_of_the_page_do_a_batch(postgres, tmp_path, figure):
    def processes_of(command, environment):
        """Return what starts a command of the page here: its server is another, and so is its user."""
        program, *words = [
            re.sub(r"toolkit@[\w.]+/", f"ada@127.0.0.1:{postgres.port}/", word) for word in command.split()
        ]
        assert program == "toolkit"
        variables = {
            name: value.replace("${STORE_PASSWORD}", PASSWORD).replace("toolkit@db/", f"ada@127.0.0.1:{postgres.port}/")
            for name, value in environment.items()
        }
        options = {"cwd": tmp_path, "env": {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state"), **variables}}
        return [sys.executable, "-m", "toolkit_cli", *words], {**options, "text": True, "stdin": -3}

    (tmp_path / "pipelines").mkdir()
    (tmp_path / "tools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "pipelines" / "report.yaml").write_text(REPORT, "utf-8")
    (tmp_path / "items.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(60)), "utf-8")
    services = compose_file()["services"]
    exported, up, run = commands()
    assert exported.split()[-1] == "PGPASSWORD=$STORE_PASSWORD"
    assert up == "docker compose up --detach"
    command, options = processes_of(services["worker"]["command"], services["worker"]["environment"])
    replicas = services["worker"]["deploy"]["replicas"]
    workers = [subprocess.Popen(command, stdout=-3, stderr=-1, **options) for _ in range(replicas)]
    try:
        begun = [worker.stderr.readline() for worker in workers]  # a batch may be done before the last one is there
        command, options = processes_of(run, {"PGPASSWORD": PASSWORD})
        done = subprocess.run(command, capture_output=True, check=False, timeout=120, **options)
    finally:
        for worker in workers:
            worker.terminate()
        ended = [worker.communicate(timeout=60)[1] for worker in workers]
    assert [json.loads(line)["output"] for line in done.stdout.splitlines()] == [2 * n for n in range(60)]
    assert done.returncode == 0
    store = postgres.shown("runs")
    assert begun == [f"working on report from {store}\n"] * replicas
    counts = [int(text.splitlines()[-1].partition(" ")[0]) for text in ended]
    assert sum(counts) == 60
    figure(f"the compose file's three workers on PostgreSQL: {counts} of 60 items")
