"""The progress bar of a batch, on a terminal."""

from collections.abc import Callable

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.text import Text

_WIDTH = 40
_TIMES_A_SECOND = 5


class BatchBar:
    """The progress bar of a batch with its figures, read whenever it is drawn; implements `screen.Live`."""

    def __init__(self, words: Callable[[], str], fraction: Callable[[], float | None]) -> None:
        """Create a bar, which is not shown yet.

        Args:
            words: Returns the figures as text.
            fraction: Returns the progress from 0 to 1, or `None` if it is unknown.
        """
        self._words, self._fraction = words, fraction
        self._console = Console(stderr=True, highlight=False)
        self._live: Live | None = None

    def start(self) -> None:
        """Show the bar, and keep it up to date."""
        self._live = Live(
            get_renderable=self._drawn,
            console=self._console,
            refresh_per_second=_TIMES_A_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._live.start()

    def stop(self) -> None:
        """Hide the bar."""
        if self._live is not None:
            self._live.stop()
            self._live = None

    def print_above(self, line: str) -> None:
        """Write a line, which may contain color codes, above the bar."""
        self._console.print(Text.from_ansi(line), soft_wrap=True)

    def _drawn(self) -> Group:
        fraction = self._fraction()
        bar = ProgressBar(total=1.0, completed=fraction or 0.0, width=_WIDTH, pulse=fraction is None)
        return Group(bar, Text(f" {self._words()}", no_wrap=True, overflow="ellipsis"))
