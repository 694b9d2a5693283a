"""Regions: the part of a written page that is generated, between two comments that name it."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]


def with_region(page: str, name: str, text: str) -> str:
    """Return a page of the docs with another text between `<!-- NAME -->` and `<!-- the end of NAME -->`."""
    begin, end = f"<!-- {name} -->\n", f"<!-- the end of {name} -->\n"
    before, _, rest = (DOCS / page).read_text("utf-8").partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{text}\n{end}{after}"
