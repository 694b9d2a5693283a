"""The table of `python -m bench`."""

from collections.abc import Iterator

from bench.__main__ import table
from bench.rows import Row
from bench.timing import Times


def test_bench_shows_a_row_before_it_takes_the_next_measure() -> None:
    taken: list[str] = []
    lines = table(_rows(taken), is_markdown=True)
    next(lines), next(lines)

    _, first = next(lines)

    assert first == "| C | one call | a call 1 ms | 2 ms | 2.00 / 2.00 | <= 4.00 | <= 2.50 | goal |  |"
    assert taken == ["one call"]


def test_bench_prints_its_table_in_columns() -> None:
    head, first, second = (line for _, line in table(_rows([]), is_markdown=False))

    assert [head.index(word) for word in ("measure", "ours", "reached")] == [4, 96, 152]
    assert [line[4:13] + line[96:100] + line[152:] for line in (first, second)] == [
        "one call 2 msgoal",
        "two calls2 msgoal",
    ]


def _rows(taken: list[str]) -> Iterator[Row]:
    for name in ("one call", "two calls"):
        taken.append(name)
        yield Row("C", name, Times(0.001, 0.001), "a call", Times(0.002, 0.002), target=4.0, goal=2.5)
