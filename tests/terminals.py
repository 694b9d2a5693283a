"""Terminals: the program as a person at a keyboard meets it."""

import os
import sys
import termios
from contextlib import nullcontext
from shlex import quote
from typing import Any

import pexpect
from ptyprocess import PtyProcess

from tests.warm.requests import Start
from tests.warm.starts import arguments_of, current_umask, installed

MENU_END = "stop the run"
PROMPT = "     >"


class Program(pexpect.spawn):
    """A program that leads the session of a terminal, and starts warm where it can."""

    ptyproc: PtyProcess

    def __init__(self, *arguments, stdout=None, **options):
        self._stdout = stdout
        super().__init__(*arguments, **{"use_poll": True, **options})  # more than 1,023 files may be open
        self.delaybeforesend = None
        self.ptyproc.delayafterclose = 0

    def _spawnpty(self, args, env, cwd, dimensions, **options):
        warm, words = installed(), [os.fsdecode(word) for word in args]
        if warm is None or not warm.can_start(words, env):
            line = 'exec "$@"' + ("" if self._stdout is None else f" > {quote(str(self._stdout))}")
            return PtyProcess.spawn(["/bin/sh", "-c", line, "sh", *words], cwd, env, dimensions=dimensions, **options)
        ours, its = os.openpty()
        termios.tcsetwinsize(its, dimensions)
        with (
            os.fdopen(its, "wb", 0) as terminal,
            nullcontext(terminal) if self._stdout is None else self._stdout.open("wb") as out,
        ):
            streams = (terminal.fileno(), out.fileno(), terminal.fileno())
            start = Start(
                arguments_of(words),
                env,
                str(cwd),
                current_umask(),
                group=-1,
                has_session=True,
                has_terminal=True,
                handed=(),
                streams=streams,
            )
            return PtyProcess(warm.start(start), ours)

    def close(self, force=True):
        if self.flag_eof:
            self.wait()  # it has closed its terminal, and may still be about to end
        super().close(force)


def on_a_terminal(folder, *arguments, environment=None, stdout=None, **options):
    """Start a command of the program on a terminal of its own, as the leader of its session."""
    return Program(
        sys.executable,
        ["-m", "toolkit_cli", *map(str, arguments)],
        stdout=stdout,
        cwd=str(folder),
        env={**os.environ, "NO_COLOR": "1", "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", **(environment or {})},
        encoding="utf-8",
        codec_errors="surrogateescape",
        timeout=30,
        **{"dimensions": (40, 100), **options},
    )


class Terminal:
    """The program on a terminal of its own; `out.txt` has what it wrote to stdout, unless that is on the terminal too."""

    def __init__(self, folder, *arguments, environment=None, with_stdout=False):
        self.folder = folder
        stdout = None if with_stdout else folder / "out.txt"
        self.child: Any = on_a_terminal(folder, *arguments, environment=environment, stdout=stdout)
        self.seen = ""

    def expect(self, text):
        self.child.expect_exact(text)
        self.seen += self.child.before + self.child.after

    def answer(self, text):
        """Wait for the question and answer it."""
        self.expect(MENU_END)
        self.expect(PROMPT)
        self.child.send(f"{text}\r")

    def turn_page(self, last):
        """Wait for a prompt that was not there before, since an answered one is drawn again, and turn the page."""
        left = last
        while left == last:
            self.child.expect(r"Enter shows more \((\d+) lines\)")
            self.seen += self.child.before + self.child.after
            left = self.child.match[1]
        self.child.send("\r")
        return left

    def end(self):
        """Wait for the end and return the exit code."""
        self.child.expect(pexpect.EOF)
        self.seen += self.child.before
        self.child.close()
        return self.child.exitstatus

    @property
    def stdout(self):
        return (self.folder / "out.txt").read_text("utf-8")
