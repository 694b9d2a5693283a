"""Measure I: lint of many files, in units of `ruff check` on the same files."""

import shutil
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from bench.cold_starts import command, process, project
from bench.rows import Row
from bench.timing import Work, in_turns

ROUNDS = 5
TOOLS_IN_A_FILE = 5
_TOOL = '''

@tool
def find_orders_{number}(customer: str, limit: int = 10) -> str:
    """Find the orders that a customer has placed in branch {number} of the shop.

    Args:
        customer: The name of the customer, such as `Berg`.
        limit: The maximum number of orders to return.

    Returns:
        One line for each order.
    """
    return f"{{limit}} orders of {{customer}}"
'''


def thousand_files() -> Iterator[Row]:
    """Measure lint of 1,000 files with five tools each: without a cache, unchanged, and with one change."""
    yield from _folder(1_000, rounds=ROUNDS, cold=(20.0, 10.0))


def ten_thousand_files() -> Iterator[Row]:
    """Measure the same for 10,000 files."""
    yield from _folder(10_000, rounds=1, cold=(20.0, 10.0))


def one_large_file() -> Iterator[Row]:
    """Measure lint of one file with 5,000 tools."""
    with project() as directory:
        (directory / "large.py").write_text(_source(0, 5_000), "utf-8")
        contestants = {
            "ruff check": _ruff(directory, "large.py"),
            "lint": command(directory, "lint", "--exit-zero", "--no-cache", "large.py"),
            "unchanged": command(directory, "lint", "--exit-zero", "large.py"),
        }
        times = in_turns(contestants, rounds=1)
    unit, ours = times.pop("ruff check"), times.pop("lint")
    yield Row("I", "toolkit lint FILE, 5,000 tools", unit, "ruff check, cold", ours, 40.0, 20.0, times)


def _folder(files: int, *, rounds: int, cold: tuple[float, float]) -> Iterator[Row]:
    with project() as directory:
        folder = directory / "many"
        folder.mkdir()
        for number in range(files):
            (folder / f"tools_{number}.py").write_text(_source(number * TOOLS_IN_A_FILE, TOOLS_IN_A_FILE), "utf-8")
        lint = command(directory, "lint", "--exit-zero", "many")
        contestants = {
            "ruff check": _ruff(directory, "many"),
            "ruff check, unchanged": process(directory, [_ruff_script(), "check", "--exit-zero", "many"]),
            "cold": command(directory, "lint", "--exit-zero", "--no-cache", "many"),
            "unchanged": lint,
            "one changed": _after_a_change(folder / "tools_0.py", lint),
            "other selection": command(directory, "lint", "--exit-zero", "--select", "TK2", "many"),
        }
        times = in_turns(contestants, rounds=rounds)
    unit, beside = times.pop("ruff check"), times.pop("ruff check, unchanged")
    for name in times:
        target, goal = cold if name == "cold" else (2.0, 1.0)
        measure = f"toolkit lint, {files:,} files, {name}"
        yield Row("I", measure, unit, "ruff check, cold", times[name], target, goal, {"ruff, unchanged": beside})


def _source(first: int, count: int) -> str:
    head = '"""Tools of a shop."""\n\nfrom toolkit import tool\n'
    return head + "".join(_TOOL.format(number=number) for number in range(first, first + count))


def _after_a_change(file: Path, work: Work) -> Work:
    """Return work that first changes a file, to different content each time."""

    def run() -> None:
        with file.open("a", encoding="utf-8") as stream:
            stream.write("\n# changed\n")
        work()

    return run


def _ruff(directory: Path, target: str) -> Work:
    """Return work that runs ruff once with all its rules and without its cache."""
    return process(directory, [_ruff_script(), "check", "--exit-zero", "--no-cache", "--select", "ALL", target])


def _ruff_script() -> str:
    found = shutil.which("ruff", path=sysconfig.get_path("scripts"))
    if found is None:
        raise SystemExit("bench: 'ruff' is not installed for this Python: pip install -e '.[dev]'")
    return found


MEASURES = {"I": [thousand_files, ten_thousand_files, one_large_file]}
