"""The pages of `docs/rules/`: what the rules themselves say."""

import re

from toolkit.lint import all_pages
from toolkit_cli.rendering.rules import index_of, page_of  # private

HEAD = """\
# The rules of lint

`toolkit lint` looks for all of these unless it is told otherwise, but for those that are off; [Linting](../linting.md)
says how.
`toolkit lint --explain CODE` shows the same pages.

Some of what other checkers look for cannot happen here, and needs no rule: `for_each` takes one item at a time unless
`max_parallel` says how many, no more than 1,000 at a time, and no more than 100,000 altogether.

"""
NOTE = "<!-- not run: the tests of the rules lint it -->\n"


def pages() -> dict[str, str]:
    """Return the text of every page, by its place in the docs."""
    rules = list(all_pages())
    found = {f"rules/{rule.name}.md": re.sub(r"^(?=```\w)", NOTE, page_of(rule), flags=re.MULTILINE) for rule in rules}
    return {"rules/README.md": HEAD + index_of(rules), **found}
