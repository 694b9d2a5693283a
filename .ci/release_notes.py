"""Print the section of the changelog that belongs to a tag: `python .ci/release_notes.py v0.2.0`.

Exits with 1 and a message when the changelog has no section of this version, so that nothing is released without one.
"""

import re
import sys
from pathlib import Path

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def release_notes(tag: str, changelog: str) -> str | None:
    """Return the text under the heading of this version, or None when there is no such heading."""
    heading = rf"^## \[{re.escape(tag.removeprefix('v'))}\].*\n"
    found = re.search(rf"{heading}(?P<text>(?:(?!## \[).*\n?)*)", changelog, re.MULTILINE)
    return found["text"].strip() + "\n" if found else None


def main() -> int:
    """Print the notes of the tag in the first argument."""
    notes = release_notes(sys.argv[1], CHANGELOG.read_text("utf-8"))
    if notes is None:
        print(f"{CHANGELOG.name} has no section '## [{sys.argv[1].removeprefix('v')}]'", file=sys.stderr)
        return 1
    print(notes, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
