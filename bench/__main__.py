"""Print the table: `python -m bench`, `python -m bench --markdown`, `python -m bench C D` for some measures alone."""

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module

from bench.rows import Row

HEADINGS = (
    "",
    "measure",
    "what counts as 1",
    "ours",
    "ratio (best / median)",
    "target",
    "goal",
    "reached",
    "beside it, same run",
)
FAMILIES = {
    "A1": "cold_starts",
    "A2": "cold_starts",
    "A3": "cold_starts",
    "B1": "calls",
    "B2": "calls",
    "C": "calls",
    "D": "calls",
    "E": "batches",
    "F1": "side_by_side",
    "F2": "side_by_side",
    "G": "cold_starts",
    "H1": "served",
    "H2": "served",
    "I": "many_files",
    "J": "cold_starts",
    "K": "kept_calls",
}


def main() -> int:
    """Measure what was asked for, print the table, and end with 1 if a target was missed."""
    options = parse(sys.argv[1:])
    lines, missed = [], []
    for row in measured(options.measures):
        lines.append(cells(row))
        missed += [row] if row.verdict == "MISSED" else []
        print(".", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    print(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}, {os.cpu_count()} cores\n")
    print(as_markdown(lines) if options.markdown else as_text(lines))
    return bool(missed)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("measures", nargs="*", help="the measures to take, such as A2 C; all of them by default")
    parser.add_argument("--markdown", action="store_true", help="print the table for a document")
    return parser.parse_args(words)


def measured(codes: Sequence[str]) -> Iterator[Row]:
    """Take the measures that were asked for, and yield their rows."""
    for code, family in FAMILIES.items():
        if not codes or any(code.startswith(wanted.upper()) for wanted in codes):
            for measure in import_module(f"bench.{family}").MEASURES[code]:
                yield from measure()


def cells(row: Row) -> tuple[str, ...]:
    """Return a row as texts."""
    best, median = row.figure(row.ours)
    show = ratio if row.unit else duration
    floor = f"{row.unit_name} {duration(row.unit.best)}" if row.unit else "-"
    others = ", ".join(f"{name} {show(row.figure(times)[0])}" for name, times in row.references.items())
    return (
        row.code,
        row.measure,
        floor,
        duration(row.ours.best),
        f"{show(best)} / {show(median)}",
        f"<= {show(row.target)}",
        f"<= {show(row.goal)}",
        row.verdict,
        others,
    )


def ratio(number: float) -> str:
    """Return a ratio with as many digits as mean something."""
    return f"{number:.2f}" if number < 10 else f"{number:.1f}"  # noqa: PLR2004 - two digits before the point


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def as_text(lines: Sequence[tuple[str, ...]]) -> str:
    """Return the table in columns."""
    table = [HEADINGS, *lines]
    widths = [max(len(line[column]) for line in table) for column in range(len(HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table
    )


def as_markdown(lines: Sequence[tuple[str, ...]]) -> str:
    """Return the table for a document."""
    table = [HEADINGS, ("---",) * len(HEADINGS), *lines]
    return "\n".join("| " + " | ".join(line) + " |" for line in table)


if __name__ == "__main__":
    sys.exit(main())
