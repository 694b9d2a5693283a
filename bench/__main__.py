"""Print the table: `python -m bench`, `python -m bench --markdown`, `python -m bench C D` for some measures alone."""

import argparse
import os
import platform
import sys
from collections.abc import Iterator, Sequence

from bench.rows import Row

HEADINGS = ("", "measure", "floor", "ours", "ratio (best / median)", "target", "goal", "reached", "beside it, same run")
FAMILIES = {"A": "cold_starts", "B": "calls", "C": "calls", "D": "calls", "F": "side_by_side"}


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
    """Yield the rows that were asked for, family by family."""
    wanted = [code.upper() for code in codes]
    families = dict.fromkeys(module for letter, module in FAMILIES.items() if not wanted or letter in letters(wanted))
    for family in families:
        yield from (row for row in rows_of(family) if not wanted or row.code in wanted or row.code[0] in wanted)


def letters(codes: Sequence[str]) -> set[str]:
    """Return the families that the codes belong to."""
    return {code[0] for code in codes}


def rows_of(family: str) -> Iterator[Row]:
    """Take all measures of a family; it is imported now, since cold starts need none of the others."""
    match family:
        case "cold_starts":
            from bench import cold_starts

            return cold_starts.rows()
        case "calls":
            from bench import calls

            return calls.rows()
        case _:
            from bench import side_by_side

            return side_by_side.rows()


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
