"""The docs site shows every page; `.ci/run` builds it, and a link or anchor that leads nowhere fails the build."""

import re
import tomllib
from pathlib import Path

import pytest

from docs.generators import api, library

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def pages_of_the_api():
    return api.pages()


def places_in(entry):
    """Return the pages that an entry of the navigation leads to."""
    if isinstance(entry, str):
        return [entry]
    inner = entry.values() if isinstance(entry, dict) else entry
    return [place for each in inner for place in places_in(each)]


def test_navigation_leads_to_every_page_once(pages_of_the_api):
    """The pages of the rules are found from their list; those of the API are made when the site is built."""
    navigation = tomllib.loads((ROOT / ".zensical.toml").read_text("utf-8"))["project"]["nav"]
    written = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").glob("**/*.md")}
    pages = {page for page in written if not page.startswith("api/")} | pages_of_the_api.keys()
    rules = {page for page in pages if page.startswith("rules/")} - {"rules/README.md"}
    assert sorted(places_in(navigation)) == sorted(pages - rules)


def test_site_leaves_out_the_scripts_that_write_its_pages():
    project = tomllib.loads((ROOT / ".zensical.toml").read_text("utf-8"))["project"]
    assert project["exclude_docs"].split() == ["*.py", "__pycache__/"]


def test_chart_of_a_pipeline_that_a_page_prints_is_drawn_on_it_too():
    """A reader of the site sees the drawing, made by the program, and not only its text for Mermaid."""
    pages = [page for page in (ROOT / "docs").glob("**/*.md") if "flowchart TD" in page.read_text("utf-8")]
    assert pages
    for page in pages:
        text = page.read_text("utf-8")
        written = re.findall(r'^    n\d+[^"\n]*"([^"]*)"', text, re.MULTILINE)
        drawings = [
            re.findall(r"<tspan[^>]*>([^<]*)</tspan>", (page.parent / place).read_text("utf-8"))
            for place in re.findall(r"\]\((pictures/[\w-]+\.svg)\)", text)
        ]
        assert written in drawings


def test_pages_of_the_api_have_every_public_name(pages_of_the_api):
    headings = {place: re.findall(r"^## (.+)$", text, re.MULTILINE) for place, text in pages_of_the_api.items()}
    assert headings == {f"api/{face}.md": [name for name, _ in library.public_names(face)] for face in library.FACES}


MODULE = '''
LIMIT: int = 3
"""How many there are at most."""


def find(name: str, *paths: str, limit: int = LIMIT, **more: object) -> list[str]:
    """Return what has a name.

    It looks everywhere.

    Args:
        name: What it is called,
            in full.
        limit: How many at most.

    Example:
        >>> find("a")
        []
    """


class Box(dict):
    """Holds things."""

    def __init__(self, size: int) -> None:
        self.size = size

    @property
    def is_full(self) -> bool:
        """Whether nothing more fits."""

    def _hidden(self):
        """Nobody sees this."""
'''
SHOWN = """\
## LIMIT

```py
LIMIT: int
```

How many there are at most.

## find

```py
def find(name: str, *paths: str, limit: int = LIMIT, **more: object) -> list[str]
```

Return what has a name.

It looks everywhere.

**Args**

- `name`: What it is called, in full.
- `limit`: How many at most.

**Example**

```pycon
>>> find("a")
[]
```

## Box

```py
class Box(size: int)
```

Holds things.

### Box.is_full

```py
is_full: bool
```

Whether nothing more fits.
"""


def test_a_name_is_shown_with_its_signature_its_documentation_and_its_methods(tmp_path, monkeypatch):
    (tmp_path / "shelf_of_the_site.py").write_text(MODULE, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    shown = [api.entry(name, "shelf_of_the_site") for name in ("LIMIT", "find", "Box")]
    assert "\n".join(shown) == SHOWN
