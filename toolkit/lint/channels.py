"""The communication of lint's child processes with their parent, and their memory limit."""

import faulthandler
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO


class Channel(NamedTuple):
    """A child's end of the channel to its parent.

    Attributes:
        questions: The requests of the parent, one JSON object per line.
        answers: The stream for answers.
        setup: The first line: what the child needs before any request.
        crash: The file for the traceback of a crash.
    """

    questions: TextIO
    answers: TextIO
    setup: dict[str, Any]
    crash: TextIO

    @classmethod
    def take(cls) -> "Channel":
        """Reserve standard input and output for the channel, limit the memory, and record crashes.

        This also turns off writing bytecode, so that folders that are checked stay unchanged, and Python never mistakes
        a file that changes twice within a second for its earlier version.

        Raises:
            SystemExit: If the parent has closed the channel without a request.
        """
        sys.dont_write_bytecode = True
        questions, answers = _taken_streams()
        first = questions.readline()
        if not first:
            raise SystemExit
        setup = json.loads(first)
        _limit_memory(setup["memory"])
        crash = Path(setup["crash_file"]).open("w")  # noqa: SIM115 - it stays open to the very end
        faulthandler.enable(crash)
        return cls(questions, answers, setup, crash)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield each request. Until `rest` is called, the process ends after the time that the parent allows."""
        for line in self.questions:
            faulthandler.dump_traceback_later(self.setup["seconds"], exit=True, file=self.crash)
            yield json.loads(line)

    def rest(self) -> None:
        """Stop the timeout of the current request."""
        faulthandler.cancel_dump_traceback_later()

    def answer(self, text: str) -> None:
        """Send the answer to the current request."""
        print(self.setup["mark"] + text, file=self.answers, flush=True)


def _taken_streams() -> tuple[TextIO, TextIO]:
    """Return the streams of the channel, and keep code in this process from using or inheriting them."""
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: _close(requests, answers))
    return requests, answers


def _close(*streams: TextIO) -> None:
    for stream in streams:
        os.close(stream.fileno())


def _limit_memory(size: int) -> None:
    """Make excessive allocations fail with a MemoryError, which has a location, where the system supports it."""
    try:
        import resource  # not every system has it
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    with suppress(OSError, ValueError):  # some systems have the limit but refuse to set it
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
