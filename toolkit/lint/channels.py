"""Channels: how a child process of lint talks to its parent, and the memory that it may use."""

import faulthandler
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TextIO


class Channel(NamedTuple):
    """A child's end of its channel.

    Attributes:
        questions: Where its parent asks, a JSON object a line.
        answers: Where it answers.
        setup: The first line: what it needs before any question.
        crash: Where it writes why it crashed.
    """

    questions: TextIO
    answers: TextIO
    setup: dict[str, Any]
    crash: TextIO

    @classmethod
    def take(cls) -> "Channel":
        """Keep the channel to oneself, within the memory that the parent allows, and record a crash.

        From then on no bytecode is written: folders that are checked stay as they are, and a file that is changed twice
        in a second is never mistaken for what it was.

        Raises:
            SystemExit: If the parent has closed the channel and asks nothing.
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
        """Yield each request; from then on, until `rest`, the process ends after the time that the parent allows."""
        for line in self.questions:
            faulthandler.dump_traceback_later(self.setup["seconds"], exit=True, file=self.crash)
            yield json.loads(line)

    def rest(self) -> None:
        """Work without a limit of time again."""
        faulthandler.cancel_dump_traceback_later()

    def answer(self, text: str) -> None:
        """Answer the request."""
        print(self.setup["mark"] + text, file=self.answers, flush=True)


def _taken_streams() -> tuple[TextIO, TextIO]:
    """Return the streams of the channel, which no file that is opened here writes to, reads from or inherits."""
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
    """Let what takes more memory fail with a MemoryError, which is a problem with a place, where the system can."""
    try:
        import resource  # noqa: PLC0415 - not every system has it
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = size if hard == resource.RLIM_INFINITY else min(size, hard)
    with suppress(OSError, ValueError):  # some systems know the limit and refuse to set it
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
