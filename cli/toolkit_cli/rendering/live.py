"""Progress bars for steps that run for many items, on a terminal."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from toolkit_cli.rendering.escaping import one_line


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
