"""Pages that are generated say what the code says; after a change: `python -m docs`."""

import pytest

from docs.generators import pages
from docs.generators.regions import DOCS


@pytest.fixture(scope="module")
def generated():
    return pages()


@pytest.mark.proof
def test_generated_pages_say_what_the_code_says(generated):
    stale = [place for place, text in generated.items() if (DOCS / place).read_text("utf-8") != text]
    assert stale == []


def test_no_page_of_a_rule_that_is_gone_is_left(generated):
    assert {f"rules/{file.name}" for file in DOCS.glob("rules/*.md")} == {
        place for place in generated if place.startswith("rules/")
    }
