"""Generates the tables of keys in `docs/pipelines.md` from the tables of keys that the code uses."""

from collections.abc import Sequence

from docs.generators.regions import with_regions
from toolkit.pipelines.pipeline_format import TOP  # private
from toolkit.pipelines.step_keys import BESIDE, STEP  # private

PAGE = "pipelines.md"


def pages() -> dict[str, str]:
    """Return the page with the current keys, by its path in the docs."""
    top = [(key.name, key.meaning) for key in TOP]
    steps = [(key.name, ", ".join(f"`{kind}`" for kind in BESIDE if kind in key.beside), key.meaning) for key in STEP]
    regions = {
        "the keys of a pipeline": _table(("key", "meaning"), top),
        "the keys of a step": _table(("key", "in a step with", "meaning"), steps),
    }
    return {PAGE: with_regions(PAGE, regions)}


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *((f"`{name}`", *others) for name, *others in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
