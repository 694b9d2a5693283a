"""Replaces the generated parts of a page, each of which is between two comments with its name."""

from collections.abc import Mapping
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]


def with_region(page: str, name: str, text: str) -> str:
    """Return a page of the docs with a new text between `<!-- NAME -->` and `<!-- the end of NAME -->`."""
    return with_regions(page, {name: text})


def with_regions(page: str, texts: Mapping[str, str]) -> str:
    """Return a page of the docs with new texts in several regions."""
    whole = (DOCS / page).read_text("utf-8")
    for name, text in texts.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- the end of {name} -->\n"
        before, _, rest = whole.partition(begin)
        _, _, after = rest.partition(end)
        whole = f"{before}{begin}\n{text}\n{end}{after}"
    return whole
