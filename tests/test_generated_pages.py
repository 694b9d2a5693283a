"""Pages that are generated say what the code says; after a change: `python -m docs`."""

import pytest

from docs.generators import pages
from docs.generators.regions import DOCS

PAGES = pages()


@pytest.mark.parametrize("place", sorted(PAGES))
def test_generated_page_says_what_the_code_says(place):
    assert (DOCS / place).read_text("utf-8") == PAGES[place]


def test_no_page_of_a_rule_that_is_gone_is_left():
    assert {f"rules/{file.name}" for file in DOCS.glob("rules/*.md")} == {
        place for place in PAGES if place.startswith("rules/")
    }
