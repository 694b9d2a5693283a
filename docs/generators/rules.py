"""Generates the pages of `docs/rules/` from the docstrings of the rules."""

import re

from toolkit.lint import all_pages
from toolkit_cli.rendering.findings import explanation_of, index_of  # private

HEAD = """\
# The rules of lint

`toolkit lint` checks all of these rules, except those that are off by default. [Linting](../linting.md) describes how
to choose them, and `toolkit lint --explain CODE` shows the same pages. Tools of other frameworks are checked with the
profile `essential` unless you ask for `recommended` or `all`.

"""
NOTE = "<!-- not run: the tests of the rules lint it -->\n"


def pages() -> dict[str, str]:
    """Return the text of every page, by its path in the docs."""
    rules = list(all_pages())
    found = {
        f"rules/{rule.name}.md": re.sub(r"^(?=```\w)", NOTE, explanation_of(rule), flags=re.MULTILINE) for rule in rules
    }
    return {"rules/README.md": HEAD + index_of(rules), **found}
