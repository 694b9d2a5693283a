"""Terminals: the program as a person at a keyboard meets it."""

import os
import sys
from typing import Any

import pexpect

MENU_END = "stop the run"
PROMPT = "     >"


class Terminal:
    """The program on a terminal of its own; `out.txt` has what it wrote to stdout, unless that is on the terminal too.

    It is a child of a shell, or, if `alone`, takes the shell's place: then signals of the terminal go to it alone.
    """

    def __init__(self, folder, *arguments, environment=None, with_stdout=False, alone=False):
        self.folder = folder
        line = f'{"exec " if alone else ""}"$@"{"" if with_stdout else " > out.txt"}'
        command = ["-c", line, "sh", sys.executable, "-m", "toolkit_cli", *arguments]
        self.child: Any = pexpect.spawn(
            "/bin/sh",
            command,
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm", **(environment or {})},
            encoding="utf-8",
            codec_errors="surrogateescape",
            dimensions=(40, 100),
            timeout=30,
        )
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
