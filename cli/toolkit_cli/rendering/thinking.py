"""Thinking: a line on the terminal while a model has been asked and has not answered yet."""

from toolkit_cli import console
from toolkit_cli.rendering.escaping import cut, one_line

_ERASED = "\r\x1b[K"


class Thinking:
    """One line that goes away when there is something to show; a `Live` of the screen."""

    def __init__(self, model: str) -> None:
        """Draw nothing yet.

        Args:
            model: Which model thinks.
        """
        self._line = cut(one_line(f"… {model} is thinking"), console.width() - 1)

    def start(self) -> None:
        """Write the line."""
        console.add(self._line)

    def stop(self) -> None:
        """Take the line away."""
        console.pass_on(_ERASED)

    def print_above(self, line: str) -> None:
        """Write a line in its place, and the line itself below."""
        self.stop()
        console.say(line)
        self.start()
