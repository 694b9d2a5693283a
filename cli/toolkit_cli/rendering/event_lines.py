"""Renders the events of a run: a line when each step ends, and a table at the end."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from toolkit.events import (
    ApprovalDecided,
    Event,
    FileChanged,
    ItemFinished,
    ModelFinished,
    PipelineFinished,
    Progress,
    StepFinished,
    StepRetried,
    StepStarted,
    StepStatus,
)
from toolkit.tools.calls.results import format_count
from toolkit_cli import console
from toolkit_cli.rendering.styles import Fragment, Line, Style, cut, one_line, padded, table, width_of

_BESIDE_LABEL = 40
_LABEL_WIDTH = 18
_TIME_WIDTH = 8
_PREVIEW_CHARACTERS = 2000
_MINUTE = 60.0
_SKIPS_SHOWN = 20


class Marks(NamedTuple):
    """The symbols at the start of lines."""

    ok: str
    failed: str
    continued: str
    skipped: str
    ended: str
    again: str
    note: str


MARKS = Marks("✓", "✗", continued="!", skipped="○", ended="■", again="↻", note="·")
ASCII_MARKS = Marks("+", "x", continued="!", skipped="-", ended="#", again="~", note=".")

_WORDS: dict[StepStatus, str] = {
    "ok": "ok",
    "failed": "failed",
    "skipped": "skipped",
    "rejected": "rejected",
    "timed_out": "timed out",
    "ended": "ended",
}


class StepRow:
    """A step's row in the final table; repeated runs of a step, one for each item, share a row."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.status = "not run"
        self.runs = self.attempts = self.asked = 0
        self.seconds = 0.0
        self.items = self.done = self.skipped = 0


class RunProgress:
    """The progress of a run.

    Attributes:
        width: The width of the terminal in columns.
        marks: The symbols to use.
        rows: The steps by path: expected ones first, then in the order in which they started.
        failed: The innermost step that failed and was not continued, if any.
    """

    def __init__(self, width: int, marks: Marks = MARKS) -> None:
        """Create the progress of a run that has not started."""
        self.width = width
        self.marks = marks
        self.rows: dict[str, StepRow] = {}
        self.failed: StepFinished | None = None
        self._over_items: set[str] = set()
        self._done: dict[int, int] = {}
        self._skips: list[Line] = []

    def expect(self, paths: Iterable[str]) -> None:
        """Add rows for steps, which may never start."""
        for path in paths:
            self.rows.setdefault(path, StepRow(path))

    def lines_for(self, event: Event) -> Iterator[Line]:
        """Process an event, and yield the lines to show for it."""
        match event:
            case StepStarted():
                self._start(event)
            case ItemFinished(error=None):
                self._done[event.call] = self._done.get(event.call, 0) + 1
            case StepFinished():
                self._finish(event)
                is_shown = event.status not in ("ok", "skipped") or not self._over_items & around(event.path)
                if is_shown and not _has_spoken(event):
                    yield self._step_line(event)
            case StepRetried():
                failed = f"attempt {event.attempt} failed: {event.error}; again in {spoken_seconds(event.delay)}"
                message = f"{event.item}: {failed}" if event.item else failed
                yield self._note(event.path, message, self.marks.again, "warn")
            case FileChanged():
                counts = f" (+{event.lines_added} -{event.lines_removed})"
                yield self._note(event.tool, f"{event.change} {event.path}{counts}", self.marks.note, "quiet")
            case ApprovalDecided() if event.by != "reviewer":
                yield self._note(event.tool, f"allowed by {event.by}", self.marks.note, "warn")
            case ModelFinished(outcome="success", cut=True):
                words = "the reply was cut off at the model's limit"
                yield self._note(event.agent, words, self.marks.continued, "warn")
            case Progress():
                yield self._note(event.tool, _progress(event), self.marks.note, "quiet")

    def closing(self, finished: PipelineFinished) -> list[Line]:
        """Return the final table of all steps, and the outcome of the pipeline."""
        header = ("step", "status", "items", "attempts", "asked", "time")
        rows = [_cells(row) for row in self.rows.values()]
        style: Style = "good" if finished.outcome == "success" else "bad"
        verdict = {"success": "done", "failure": "failed", "error": "failed", "signal": "ended"}[finished.outcome]
        name = one_line(finished.pipeline)
        total: Line = [
            ("strong", name),
            ("plain", " "),
            (style, verdict),
            ("quiet", f" in {spoken_seconds(finished.seconds)}"),
        ]
        return [[], *table(header, rows, self.width), [*total, *self._skip_total()], *self._skips[:_SKIPS_SHOWN]]

    def _skip_total(self) -> list[Fragment]:
        """Return the number of skipped items in all steps; empty if there are none."""
        rows = self.rows.values()
        skipped = sum(row.skipped for row in rows)
        if not skipped:
            return []
        done, items = sum(row.done for row in rows), sum(row.items for row in rows)
        more = skipped - _SKIPS_SHOWN
        rest = f"; {more} more not shown (use --format json to see all)" if more > 0 else ""
        return [("warn", f", items: {format_count(done, items, skipped)}{rest}")]

    def _start(self, event: StepStarted) -> None:
        self.rows.setdefault(event.path, StepRow(event.path)).status = "ended"
        if event.items is not None:
            self._over_items.add(event.path)

    def _finish(self, event: StepFinished) -> None:
        row = self.rows.setdefault(event.path, StepRow(event.path))
        row.status = _WORDS[event.status] + (", continued" if event.continued else "")
        row.runs += 1
        row.attempts += event.attempts
        row.asked += event.asked
        row.seconds += event.seconds
        if event.items is not None:
            self._count_items(row, event, event.items)
        if event.status not in ("ok", "skipped") and not event.continued:
            self.failed = self.failed or event
        elif self.failed is not None and event.path in around(self.failed.path):
            self.failed = None  # an outer step has continued past it

    def _count_items(self, row: StepRow, event: StepFinished, items: int) -> None:
        row.items += items
        row.done += self._done.pop(event.call, 0)
        row.skipped += len(event.skipped)
        for one in event.skipped:
            words = f"item {one['index'] + 1} of {items} ({one['item']}) was skipped: {one['error']}"
            self._skips.append(self._note(event.path, words, self.marks.continued, "warn"))

    def _step_line(self, event: StepFinished) -> Line:
        mark, style = self._mark(event)
        place = f"{event.position}/{event.of}"
        label = padded(cut(one_line(event.path), max(self.width - _BESIDE_LABEL, _LABEL_WIDTH)), _LABEL_WIDTH)
        time = "" if event.status == "skipped" else spoken_seconds(event.seconds)
        head: list[Fragment] = [(style, mark), ("quiet", f" {place:>5} "), ("strong", label)]
        head.append(("quiet", f" {time:>{_TIME_WIDTH}}  "))
        outcome, outcome_style = _describe(event)
        room = self.width - sum(width_of(text) for _, text in head)
        return [*head, (outcome_style, cut(one_line(outcome[:_PREVIEW_CHARACTERS]), max(room, 10)))]

    def _mark(self, event: StepFinished) -> tuple[str, Style]:
        if event.continued:
            return self.marks.continued, "warn"
        match event.status:
            case "ok":
                return self.marks.ok, "good"
            case "skipped":
                return self.marks.skipped, "quiet"
            case "ended":
                return self.marks.ended, "warn"
        return self.marks.failed, "bad"

    def _note(self, who: str, message: str, mark: str, style: Style) -> Line:
        head: list[Fragment] = [(style, mark), ("plain", "       "), ("quiet", f"{one_line(who)}: " if who else "")]
        room = self.width - sum(width_of(text) for _, text in head)
        return [*head, (style, cut(one_line(message[:_PREVIEW_CHARACTERS]), max(room, 10)))]


def spoken_seconds(seconds: float) -> str:
    """Return a duration in a readable form: `3 ms`, `1.2 s`, `2 m 05 s`."""
    if seconds < 0.9995:  # noqa: PLR2004 - anything above rounds to 1000 ms
        return f"{seconds * 1000:.0f} ms"
    if seconds < _MINUTE:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} m {rest:02d} s"


def _describe(event: StepFinished) -> tuple[str, Style]:
    if event.status == "skipped":
        return "skipped", "quiet"
    if event.error_code == "waiting":
        return "waits for approval", "warn"
    if event.error is not None:
        return (
            f"{event.error} (the run continued)" if event.continued else event.error,
            "warn" if event.continued else "bad",
        )
    tries = f"({event.attempts} attempts) " if event.attempts > 1 else ""
    if event.items is not None and event.skipped:
        tries += f"({format_count(event.items - len(event.skipped), event.items, len(event.skipped))}) "
    return tries + event.output, "plain"


def _has_spoken(event: StepFinished) -> bool:
    """Return whether a step only sent a message to the user that was already shown."""
    if event.tool not in ("progress", "communicate"):
        return False
    from toolkit.agents.introspection import has_reached_user  # few runs have an agent

    return has_reached_user(event.tool, event.output)


def _progress(event: Progress) -> str:
    return f"{event.item}: {_how_far(event)}" if event.item else _how_far(event)


def _how_far(event: Progress) -> str:
    if event.done is None:
        return event.message
    return f"{event.message} ({event.done:g}/{event.of:g})" if event.of else f"{event.message} ({event.done:g})"


def _cells(row: StepRow) -> list[str]:
    times = f" ({row.runs} times)" if row.runs > 1 else ""
    ran = row.runs and row.status != "skipped"
    return [
        row.path + times,
        row.status,
        format_count(row.done, row.items, row.skipped) if row.items else "",
        str(row.attempts) if ran else "",
        str(row.asked) if row.asked else "",
        spoken_seconds(row.seconds) if ran else "",
    ]


def around(path: str) -> set[str]:
    """Return the paths of the steps that contain a step."""
    parts = path.split("/")
    return {"/".join(parts[:length]) for length in range(1, len(parts))}


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
