"""Renders a unified diff for a terminal."""

from toolkit_cli.rendering.excerpts import shown_source
from toolkit_cli.rendering.styles import Line, Style


def as_lines(difference: str) -> list[Line]:
    """Return the lines of a unified diff, with invisible characters escaped."""
    return [[(style_of(line), shown_source(line))] for line in difference.removesuffix("\n").split("\n")]


def style_of(line: str) -> Style:
    """Return the style for a line of a unified diff."""
    if line.startswith(("---", "+++")):
        return "strong"
    if line.startswith("@@"):
        return "quiet"
    return "good" if line.startswith("+") else "bad" if line.startswith("-") else "plain"
