"""Print the table: `python -m bench`, `python -m bench --markdown`, or `python -m bench C D` for some measures only.

Each row is printed as soon as it is measured, since the whole table takes many minutes.
"""

import argparse
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module

from bench.rows import Row

WIDTHS = {
    "": 2,
    "measure": 48,
    "what counts as 1": 40,
    "ours": 7,
    "ratio (best / median)": 21,
    "target": 10,
    "goal": 10,
    "reached": 7,
    "others in the same run": 22,
}
"""The headings, and the minimum width of each column in characters."""
FAMILIES = {
    "A1": "cold_starts",
    "A2": "cold_starts",
    "A3": "cold_starts",
    "B1": "calls",
    "B2": "calls",
    "C": "calls",
    "D": "calls",
    "E": "batches",
    "F1": "parallel_calls",
    "F2": "parallel_calls",
    "G": "cold_starts",
    "H1": "served",
    "H2": "served",
    "H3": "served",
    "I": "many_files",
    "J": "cold_starts",
    "K": "call_records",
    "L": "cases",
    "M": "growth",
}


def main() -> int:
    """Take the chosen measures, print the table, and return 1 if a target was missed."""
    options = parse(sys.argv[1:])
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores\n")
    missed = False
    for row, line in table(measured(options.measures), is_markdown=options.markdown):
        print(line, flush=True)
        missed |= row is not None and row.verdict == "MISSED"
    return int(missed)


def table(rows: Iterable[Row], *, is_markdown: bool) -> Iterator[tuple[Row | None, str]]:
    """Yield each line of the table with its row as soon as it is measured; the lines of the head have no row."""
    form = as_markdown if is_markdown else as_text
    yield None, form(tuple(WIDTHS))
    if is_markdown:
        yield None, form(("---",) * len(WIDTHS))
    for row in rows:
        yield row, form(cells(row))


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("measures", nargs="*", help="the measures to take, such as A2 C; all of them by default")
    parser.add_argument("--markdown", action="store_true", help="print the table for a document")
    return parser.parse_args(words)


def measured(codes: Sequence[str]) -> Iterator[Row]:
    """Take the chosen measures and yield their rows."""
    for code, family in FAMILIES.items():
        if not codes or any(code.startswith(wanted.upper()) for wanted in codes):
            for measure in import_module(f"bench.{family}").MEASURES[code]:
                yield from measure()


def cells(row: Row) -> tuple[str, ...]:
    """Return the cells of a row as strings."""
    best, median = row.figure(row.ours)
    amount = megabytes if row.is_memory else duration
    show = ratio if row.unit else amount
    floor = f"{row.unit_name} {amount(row.unit.best)}" if row.unit else "-"
    others = ", ".join(f"{name} {show(row.figure(times)[0])}" for name, times in row.references.items())
    return (
        row.code,
        row.measure,
        floor,
        amount(row.ours.best),
        f"{show(best)} / {show(median)}",
        f"<= {show(row.target)}",
        f"<= {show(row.goal)}",
        row.verdict,
        others,
    )


def ratio(number: float) -> str:
    """Format a ratio with three significant digits."""
    return f"{number:.2f}" if number < 10 else f"{number:.1f}"  # noqa: PLR2004 - two digits before the point


def duration(seconds: float) -> str:
    """Format a time in a suitable unit."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def megabytes(size: float) -> str:
    """Format a size in bytes."""
    return f"{size / 1e6:.3g} MB"


def as_text(line: Sequence[str]) -> str:
    """Format a row in columns."""
    return "  ".join(cell.ljust(width) for cell, width in zip(line, WIDTHS.values(), strict=True)).rstrip()


def as_markdown(line: Sequence[str]) -> str:
    """Format a row of a Markdown table."""
    return "| " + " | ".join(line) + " |"


if __name__ == "__main__":
    sys.exit(main())
