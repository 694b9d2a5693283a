"""Prints styled lines to stdout."""

from collections.abc import Sequence

from toolkit_cli import console
from toolkit_cli.rendering.styles import Line, paint_all


def print_lines(lines: Sequence[Line]) -> None:
    """Write lines to stdout, each with a newline, and with colors if it is a terminal."""
    console.write_data(paint_all(lines, colour=console.data_has_colour()))
