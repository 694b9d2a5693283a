"""Measure M: how processor time grows with each input that can be large.

The unit is what an eighth of the input takes, eight times: 1 is linear growth, and quadratic growth would be 8. What a
tiny input takes, which is mostly the start of a process, is subtracted from both. Processor time is measured instead of
waiting, with that of all child processes, so that other work on the machine hardly counts.
"""

import asyncio
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from bench.batches import PIPELINE, TOOL
from bench.cold_starts import ONE_OF_MANY, ONE_OF_MANY_CLASSES, command, installed_command, project
from bench.rows import Row
from bench.served import TOOL as SERVED_TOOL, OverHttp, our_server_over_http
from bench.timing import Times, Work
from toolkit import load_tools
from toolkit.agents import ScriptedModel, run_agent

TIMES = 8
"""How many times larger the large input is than the small one."""

ROUNDS = 3
CALLS_OF_A_CLIENT = 500
ITEMS = 1_000_000
PEAK = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
FILES_IN_A_FOLDER = 100
NO_TOOLS = '"""A module that defines no tool."""\n\n\ndef total(numbers):\n    return sum(numbers)\n'
API = '[openapi.shop]\ndocument = "api.json"\nmax_tools = 10_000\n'
SERVER = '[mcp.zoo]\ncommand = "toolkit"\nargs = ["serve", "many.py", "--quiet"]\n'
LENGTH = '''
from toolkit import tool


@tool(read_only=True)
def length(text: str) -> int:
    """Count the characters of a text."""
    return len(text)
'''
LENGTHS = """
tools: [./length.py]
inputs: {text: {type: string}}
steps:
  - {use: length, with: {text: "${{ inputs.text }}"}}
"""
FIRST_STEP = """
tools: [./adding.py]
inputs: {n: {type: integer}}
steps:
  - {use: add, with: {n: "${{ inputs.n }}"}}
"""
NEXT_STEP = '  - {use: add, with: {n: "${{ prev }}"}}\n'


class Growth(NamedTuple):
    """An input that can be large.

    Attributes:
        measure: What is measured; `{size}` in it is the size of the large input.
        size: The size of the large input.
        work: Prepares an input of some size in a folder, and returns the work on it.
    """

    measure: str
    size: int
    work: Callable[[Path, int], Work]


def growths() -> Iterator[Row]:
    """Measure every input in `INPUTS`."""
    for growth in INPUTS:
        with project() as folder, tempfile.TemporaryDirectory() as state:
            os.environ["XDG_STATE_HOME"] = state
            yield row_of(growth, folder)


def row_of(growth: Growth, folder: Path) -> Row:
    """Measure one input in a folder of its own for each size."""
    sizes = (1, growth.size // TIMES, growth.size)
    works = []
    for size in sizes:
        (at := folder / f"of_{size}").mkdir()
        works.append(growth.work(at, size))
    taken = [[processor_seconds(work) for work in works] for _ in range(ROUNDS)]
    start, small, large = (min(column) for column in zip(*taken, strict=True))
    grown, linear = large - start, TIMES * (small - start)
    exponent = 1 + math.log(grown / linear, TIMES)
    return Row(
        "M",
        f"{growth.measure.format(size=f'{growth.size:,}')}: exponent {exponent:.2f}",
        Times(linear, linear),
        f"{TIMES} times an eighth",
        Times(grown, grown),
        target=math.log(growth.size) / math.log(growth.size / TIMES),
        goal=1.0,
    )


def memory_of_items() -> Iterator[Row]:
    """Measure the most memory that batches of an eighth of a million items and of a million use."""
    with project() as folder, tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state
        few, many = (_peak_of_batch(folder / f"of_{size}", size) for size in (ITEMS // TIMES, ITEMS))
    measure = f"memory of a batch of {ITEMS:,} items"
    yield Row(
        "M",
        measure,
        Times(few, few),
        "an eighth of the items",
        Times(many, many),
        target=1.1,
        goal=1.02,
        is_memory=True,
    )


def _peak_of_batch(folder: Path, size: int) -> int:
    """Return the most memory in bytes that the command uses for a batch in a new folder."""
    folder.mkdir()
    # A small process starts the command, since a child's peak includes what its parent used when it was started.
    words = [sys.executable, "-c", PEAK, installed_command(), *_batch_of(folder, size)]
    peak = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=True, text=True)
    return int(peak.stdout) * (1 if sys.platform == "darwin" else 1024)


def processor_seconds(work: Work) -> float:
    """Return the processor time of some work and of the child processes that ended during it, in seconds."""
    before = _used()
    work()
    return _used() - before


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _lint_files(folder: Path, size: int) -> Work:
    for number in range(size):
        _write_tools(folder / f"tools_{number}.py", 1)
    return command(folder, "lint", "--exit-zero", "--no-cache", ".")


def _lint_folders(folder: Path, size: int) -> Work:
    for number in range(size):
        (at := folder / f"folder_{number // FILES_IN_A_FOLDER}").mkdir(exist_ok=True)
        _write_tools(at / f"tools_{number}.py", 1)
    return command(folder, "lint", "--exit-zero", "--no-cache", ".")


def _lint_plain_files(folder: Path, size: int) -> Work:
    for number in range(size):
        (folder / f"module_{number}.py").write_text(NO_TOOLS, "utf-8")
    return command(folder, "lint", "--exit-zero", "--no-cache", ".")


def _lint_tools(folder: Path, size: int) -> Work:
    _write_tools(folder / "many.py", size)
    return command(folder, "lint", "--exit-zero", "--no-cache", "many.py")


def _list_classes(folder: Path, size: int) -> Work:
    text = '"""Tools."""\n' + "".join(ONE_OF_MANY_CLASSES.format(number=number) for number in range(size))
    (folder / "classes.py").write_text(text, "utf-8")
    return command(folder, "list", "classes.py")


def _run_steps(folder: Path, size: int) -> Work:
    (folder / "adding.py").write_text(TOOL, "utf-8")
    (folder / "steps.yaml").write_text(FIRST_STEP + NEXT_STEP * (size - 1), "utf-8")
    return command(folder, "run", "steps.yaml", "n=1", "--quiet")


def _run_items(folder: Path, size: int) -> Work:
    return command(folder, *_batch_of(folder, size))


def _batch_of(folder: Path, size: int) -> tuple[str, ...]:
    (folder / "adding.py").write_text(TOOL, "utf-8")
    (folder / "adding.yaml").write_text(PIPELINE, "utf-8")
    (folder / "items.jsonl").write_text("".join(f'{{"n": {number}}}\n' for number in range(size)), "utf-8")
    return "run", "adding.yaml", "--each", "items.jsonl", "--out", "out", "--quiet", "--no-journal"


def _pass_megabytes(folder: Path, size: int) -> Work:
    (folder / "length.py").write_text(LENGTH, "utf-8")
    (folder / "length.yaml").write_text(LENGTHS, "utf-8")
    (folder / "text.txt").write_text("a b\n" * (size * 250_000), "utf-8")
    return command(folder, "run", "length.yaml", "text=@text.txt", "--quiet")


def _list_server(folder: Path, size: int) -> Work:
    _write_tools(folder / "many.py", size)
    (folder / "toolkit.toml").write_text(SERVER, "utf-8")
    return command(folder, "list", "zoo", "--start", "zoo")


def _list_operations(folder: Path, size: int) -> Work:
    paths = {f"/orders/{number}/{{id}}": {"get": _operation(number)} for number in range(size)}
    document = {"openapi": "3.1.0", "servers": [{"url": "https://shop.example"}], "paths": paths}
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    (folder / "toolkit.toml").write_text(API, "utf-8")
    return command(folder, "list", "shop")


def _operation(number: int) -> dict[str, object]:
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "operationId": f"findOrder{number}",
        "summary": f"Find an order in form {number}.",
        "parameters": [parameter],
    }


def _offer_tools(folder: Path, size: int) -> Work:
    _write_tools(folder / "many.py", size)
    tools = list(load_tools(str(folder)).values())
    return lambda: asyncio.run(run_agent(ScriptedModel(["Done."]), "Do nothing.", tools))


def _call_from_clients(folder: Path, size: int) -> Work:
    (folder / "tools.py").write_text(SERVED_TOOL, "utf-8")

    def run() -> None:
        with our_server_over_http(str(folder)) as port, ThreadPoolExecutor(size) as pool:
            for done in [pool.submit(_many_calls, port) for _ in range(size)]:
                done.result()

    return run


def _many_calls(port: int) -> None:
    client = OverHttp(port)
    for _ in range(CALLS_OF_A_CLIENT):
        client.call(1)


def _write_tools(file: Path, count: int) -> None:
    text = "from toolkit import tool\n" + "".join(ONE_OF_MANY.format(number=number) for number in range(count))
    file.write_text(text, "utf-8")


INPUTS = (
    Growth("lint of {size} files", 2_000, _lint_files),
    Growth("lint of {size} files in folders of 100", 10_000, _lint_folders),
    Growth("lint of {size} files that define no tool", 50_000, _lint_plain_files),
    Growth("lint of a file with {size} tools", 5_000, _lint_tools),
    Growth("list of {size} class tools", 4_000, _list_classes),
    Growth("pipeline of {size} steps", 1_000, _run_steps),
    Growth("batch of {size} items", 1_000_000, _run_items),
    Growth("value of {size} MB through an expression", 48, _pass_megabytes),
    Growth("list of a server with {size} tools", 4_000, _list_server),
    Growth("list of {size} operations of an OpenAPI document", 4_000, _list_operations),
    Growth("{size} tools offered to a model", 500, _offer_tools),
    Growth("500 calls each of {size} clients of a server", 64, _call_from_clients),
)
MEASURES = {"M": [growths, memory_of_items]}
