"""Generates the tables of keys in the pages on pipelines and on cases from the tables of keys that the code uses."""

from collections.abc import Sequence

from docs.generators.regions import with_regions
from toolkit.cases.case_format import CASE, EXPECT  # private
from toolkit.pipelines.pipeline_format import TOP  # private
from toolkit.pipelines.step_keys import BESIDE, STEP  # private

PAGE = "pipelines.md"
PAGE_OF_CASES = "testing-tools.md"


def pages() -> dict[str, str]:
    """Return the pages with the current keys, by their paths in the docs."""
    top = [(key.name, key.meaning) for key in TOP]
    steps = [(key.name, ", ".join(f"`{kind}`" for kind in BESIDE if kind in key.beside), key.meaning) for key in STEP]
    regions = {
        "the keys of a pipeline": _table(("key", "meaning"), top),
        "the keys of a step": _table(("key", "in a step with", "meaning"), steps),
    }
    of_cases = {
        "the keys of a case": _table(("key", "meaning"), [(key.name, key.meaning) for key in CASE]),
        "the keys of what is expected": _table(("key", "meaning"), [(key.name, key.meaning) for key in EXPECT]),
    }
    return {PAGE: with_regions(PAGE, regions), PAGE_OF_CASES: with_regions(PAGE_OF_CASES, of_cases)}


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *((f"`{name}`", *others) for name, *others in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
