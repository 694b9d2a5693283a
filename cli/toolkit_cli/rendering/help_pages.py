"""Colours help pages for a terminal: headings, and the names of commands and options below them."""

import re

from toolkit_cli import console
from toolkit_cli.rendering.styles import Line, paint

_HEADING = re.compile(r"\S.*:")
_TERM = re.compile(r"  (\S+(?: \S+)*)(.*)", re.DOTALL)
_USAGE = "Usage:"


def for_its_reader(page: str) -> str:
    """Return a help page as it is or, for a terminal, in colour."""
    if not console.data_has_colour():
        return page
    is_listing, lines = False, []
    for line in page.split("\n"):
        is_listing = bool(_HEADING.fullmatch(line)) or (is_listing and not line[:1].strip())
        lines.append(paint(_styled(line, is_listing=is_listing), colour=True))
    return "\n".join(lines)


def _styled(line: str, *, is_listing: bool) -> Line:
    if line.startswith(_USAGE):
        return [("strong", _USAGE), ("plain", line.removeprefix(_USAGE))]
    if _HEADING.fullmatch(line):
        return [("strong", line)]
    if is_listing and (found := _TERM.fullmatch(line)):
        return [("plain", "  "), ("hint", found[1]), ("plain", found[2])]
    return [("plain", line)]
