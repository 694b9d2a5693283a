"""A unified difference, as a terminal may show it."""

from toolkit_cli.rendering.excerpts import shown_source
from toolkit_cli.rendering.styles import Line, Style


def as_lines(difference: str) -> list[Line]:
    """Return the lines of a difference between files, with what nobody would see written as escapes."""
    return [[(style_of(line), shown_source(line))] for line in difference.removesuffix("\n").split("\n")]


def style_of(line: str) -> Style:
    """Return how a line of a difference looks: by its first characters."""
    if line.startswith(("---", "+++")):
        return "strong"
    if line.startswith("@@"):
        return "quiet"
    return "good" if line.startswith("+") else "bad" if line.startswith("-") else "plain"
