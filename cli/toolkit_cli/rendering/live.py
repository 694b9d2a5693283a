"""Progress bars on a terminal, for steps that run for many items and for batches."""

from collections.abc import Callable

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.progress_bar import ProgressBar
from rich.text import Text

from toolkit_cli.rendering.styles import one_line


class Bars:
    """A progress bar for each running step with items; implements `screen.Live`."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
        )
        self._tasks: dict[int, TaskID] = {}

    def add(self, call: int, label: str, items: int) -> None:
        """Add a bar for a step."""
        self._tasks[call] = self._progress.add_task(one_line(label), total=items)

    def advance(self, call: int, done: int) -> None:
        """Update the number of finished items of a step."""
        if call in self._tasks:
            self._progress.update(self._tasks[call], completed=done)

    def remove(self, call: int) -> bool:
        """Remove the bar of a step, if it has one, and return whether it was the last one."""
        task = self._tasks.pop(call, None)
        if task is None:
            return False
        self._progress.remove_task(task)
        return not self._tasks

    def start(self) -> None:
        """Show the bars, and keep them up to date."""
        self._progress.start()

    def stop(self) -> None:
        """Hide all bars."""
        self._progress.stop()

    def print_above(self, line: str) -> None:
        """Write a line, which may contain color codes, above the bars."""
        self._console.print(Text.from_ansi(line), soft_wrap=True)


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
