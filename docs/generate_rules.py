"""Write the pages of `docs/rules/` from the rules themselves: `python docs/generate_rules.py`."""

import re
from pathlib import Path

from toolkit.lint import all_pages
from toolkit_cli.rendering.rules import index_of, page_of  # private

FOLDER = Path(__file__).parent / "rules"
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
    """Return the text of every page by the name of its file."""
    rules = list(all_pages())
    found = {f"{rule.name}.md": re.sub(r"^(?=```\w)", NOTE, page_of(rule), flags=re.MULTILINE) for rule in rules}
    return {"README.md": HEAD + index_of(rules), **found}


def main() -> None:
    """Write the pages, and delete those of rules that are gone."""
    FOLDER.mkdir(exist_ok=True)
    written = pages()
    for name, text in written.items():
        (FOLDER / name).write_text(text, "utf-8")
    for file in FOLDER.glob("*.md"):
        if file.name not in written:
            file.unlink()


if __name__ == "__main__":
    main()
