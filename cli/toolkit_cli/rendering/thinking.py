"""The line on the terminal while waiting for a model's reply."""

from toolkit_cli import console
from toolkit_cli.rendering.escaping import cut, one_line

_ERASED = "\r\x1b[K"


class Thinking:
    """A line that disappears when there is something to show; implements `screen.Live`."""

    def __init__(self, model: str) -> None:
        """Create the line, which is not shown yet.

        Args:
            model: The name of the model.
        """
        self._line = cut(one_line(f"… {model} is thinking"), console.width() - 1)

    def start(self) -> None:
        """Write the line."""
        console.add(self._line)

    def stop(self) -> None:
        """Remove the line."""
        console.pass_on(_ERASED)

    def print_above(self, line: str) -> None:
        """Write a text above the line."""
        self.stop()
        console.say(line)
        self.start()
