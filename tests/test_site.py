"""The docs site shows every page; `.ci/run` builds it, and a link or anchor that leads nowhere fails the build."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def places_in(entry):
    """Return the pages that an entry of the navigation leads to."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [place for each in inner for place in places_in(each)]


def test_navigation_leads_to_every_page_once():
    """The pages of the rules are found from their list."""
    navigation = tomllib.loads((ROOT / ".zensical.toml").read_text("utf-8"))["project"]["nav"]
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("**/*.md")}
    rules = {page for page in pages if page.startswith("rules/")} - {"rules/README.md"}
    assert sorted(places_in(navigation)) == sorted(pages - rules)
