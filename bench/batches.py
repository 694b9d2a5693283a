"""Measure E: the time per record and per step of a batch, without a journal, with one, and with stores."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from bench.cold_starts import command, project, python
from bench.rows import Row
from bench.timing import Times, Work, in_turns
from tests.databases import Postgres, programs

ROUNDS = 3
MANY = 40_000
SOME = 1_000
STEPS = 3
TOOL = '''
from toolkit import tool


@tool(read_only=True)
def add(n: int, more: int = 1) -> int:
    """Add to a number."""
    return n + more
'''
PIPELINE = """
tools: [./adding.py]
inputs: {n: {type: integer}}
steps:
  - {id: one, use: add, with: {n: "${{ inputs.n }}"}}
  - {id: two, use: add, with: {n: "${{ prev }}"}}
  - {id: three, use: add, with: {n: "${{ prev }}"}}
"""
FLOOR = """
import json, sys
from pydantic import TypeAdapter
from pydantic_core import to_json
from typing_extensions import NotRequired, TypedDict

class Arguments(TypedDict):
    n: int
    more: NotRequired[int]

validate = TypeAdapter(Arguments).validator.validate_json
with open(sys.argv[1]) as items, open("floor.out", "w") as out:
    for number, line in enumerate(items, 1):
        n = json.loads(line)["n"]
        for _ in range(3):
            n = validate(to_json({"n": n}))["n"] + 1
        out.write(json.dumps({"item": number, "output": n}) + "\\n")
"""


def batches() -> Iterator[Row]:
    """Measure three steps per record: without a journal, with a journal, with SQLite and with PostgreSQL."""
    with project() as directory, tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        _write(directory)
        floor = _each(lambda file: python(directory, FLOOR.replace("sys.argv[1]", repr(file))), MANY)
        plain = _each(partial(_run, directory, "--no-journal"), MANY)
        yield Row("E", "three steps a record, read and written", floor, "validated steps", plain, 2.5, 2.0)
        recorded = {"journal": _each(partial(_run, directory), SOME)}
        with stores() as urls:
            for name, url in urls.items():
                recorded[name] = _each(partial(_run, directory, "--store", url), SOME)
        for name, times in {"no journal": plain, **recorded}.items():
            a_step = Times(times.best / STEPS, times.median / STEPS)
            yield Row("E", f"a step of a batch: {name}", None, "-", a_step, *_AIMS[name])


_AIMS = {"no journal": (5e-5, 2e-5), "journal": (5e-4, 2e-4), "SQLite": (2e-2, 5e-3), "PostgreSQL": (2e-2, 5e-3)}


@contextmanager
def stores() -> Iterator[dict[str, str]]:
    """Provide the URLs of the stores to measure, starting a PostgreSQL server if it is installed."""
    urls = {"SQLite": "sqlite:///bench.db"}
    if programs() is None:
        yield urls
        return
    with tempfile.TemporaryDirectory(prefix="toolkit-bench-postgres-") as folder:
        Path(folder).chmod(0o755)
        server = Postgres(Path(folder) / "server")
        try:
            yield urls | {"PostgreSQL": server.url("bench")}
        finally:
            server.kill()


def _write(directory: Path) -> None:
    (directory / "adding.py").write_text(TOOL, "utf-8")
    (directory / "adding.yaml").write_text(PIPELINE, "utf-8")
    for count in (1, SOME, MANY):
        (directory / f"{count}.jsonl").write_text("".join(f'{{"n": {n}}}\n' for n in range(count)), "utf-8")


def _run(directory: Path, *options_and_file: str) -> Work:
    *options, file = options_and_file
    return command(directory, "run", "adding.yaml", "--each", file, "--out", "ours.out", "--quiet", *options)


def _each(work_on: Callable[[str], Work], count: int) -> Times:
    """Return the time per record, as the difference between a run with many records and a run with one."""
    times = in_turns({"one": work_on("1.jsonl"), "many": work_on(f"{count}.jsonl")}, rounds=ROUNDS)
    one, many = times["one"], times["many"]
    return Times((many.best - one.best) / count, (many.median - one.median) / count)


MEASURES = {"E": [batches]}
