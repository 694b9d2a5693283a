"""The live bars of steps that run for many items; only for a terminal."""

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from toolkit_cli.rendering.escaping import one_line


class Bars:
    """One bar for each running step that has items; a `Live` of the screen."""

    def __init__(self) -> None:
        """Draw nothing yet."""
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
        """Draw a bar for a step."""
        self._tasks[call] = self._progress.add_task(one_line(label), total=items)

    def advance(self, call: int, done: int) -> None:
        """Show how many of its items are done."""
        if call in self._tasks:
            self._progress.update(self._tasks[call], completed=done)

    def remove(self, call: int) -> bool:
        """Take a step's bar away, if it has one, and return whether it was the last."""
        task = self._tasks.pop(call, None)
        if task is None:
            return False
        self._progress.remove_task(task)
        return not self._tasks

    def start(self) -> None:
        """Draw the bars, and keep drawing them."""
        self._progress.start()

    def stop(self) -> None:
        """Take all bars away."""
        self._progress.stop()

    def print_above(self, line: str) -> None:
        """Write a line, which may have colours, above the bars."""
        self._console.print(Text.from_ansi(line), soft_wrap=True)
