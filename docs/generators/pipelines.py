"""Generates the tables of keys in `docs/pipelines.md` from the tables of keys that the code uses."""

from collections.abc import Sequence

from docs.generators.regions import with_regions
from toolkit.pipelines.pipeline_reader import TOP_ROWS  # private
from toolkit.pipelines.step_keys import BESIDE, STEP_ROWS  # private

PAGE = "pipelines.md"


def pages() -> dict[str, str]:
    """Return the page with the current keys, by its path in the docs."""
    top = [(row.name, row.meaning) for row in TOP_ROWS]
    steps = [
        (row.name, ", ".join(f"`{kind}`" for kind in BESIDE if kind in row.beside), row.meaning) for row in STEP_ROWS
    ]
    regions = {
        "the keys of a pipeline": _table(("key", "meaning"), top),
        "the keys of a step": _table(("key", "in a step with", "meaning"), steps),
    }
    return {PAGE: with_regions(PAGE, regions)}


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *((f"`{name}`", *others) for name, *others in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
