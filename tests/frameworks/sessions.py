"""Sessions: what the program says of a module of a framework, command by command, with whole outputs.

A folder in `tests/frameworks/cases` holds a module as the framework's own documentation would write it, and what goes
with it, such as a pipeline; and `session.txt`, with one more, such as `session_2.txt`, for the versions of the framework
with which it goes otherwise. The cases that export tools of ours import them from `exported.py`,
which is copied next to them:

    environments: fastmcp3 fastmcp4
    $ toolkit list server.py
    …what is printed; a line of stderr begins with `! `, and a code other than 0 stands in a line of its own: [1]

`test_sessions.py` runs each in every environment that it names. `python -m tests.frameworks.sessions CASE…` writes
the outputs anew, in the first of its environments: read what has changed before you commit it.
"""

import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.frameworks.environments import Environment, environment_in

CASES = Path(__file__).with_name("cases")
_FIRST = "environments: "
_PROMPT = "$ "
_EXPORTED = Path(__file__).with_name("exported.py")
_PLAYER = Path(__file__).with_name("player.py")


class Session(NamedTuple):
    """The session of a case.

    Attributes:
        file: Where it is written, in the folder of the case.
        environments: The names of the environments that it holds in.
        commands: The lines that are typed.
        text: All of it, as it stands in the file.
    """

    file: Path
    environments: tuple[str, ...]
    commands: tuple[str, ...]
    text: str

    @classmethod
    def of(cls, file: Path) -> "Session":
        """Read the session of a case."""
        text = file.read_text("utf-8")
        first, *rest = text.splitlines()
        commands = tuple(line.removeprefix(_PROMPT) for line in rest if line.startswith(_PROMPT))
        return cls(file, tuple(first.removeprefix(_FIRST).split()), commands, text)

    @property
    def folder(self) -> Path:
        """The folder of the case."""
        return self.file.parent

    def played(self, environment: Environment) -> str:
        """Return the session as it goes in an environment, in a copy of the case."""
        lines = [f"{_FIRST}{' '.join(self.environments)}"]
        for command, printed in zip(self.commands, self.printed(self.commands, environment), strict=True):
            lines += [f"{_PROMPT}{command}", *_answers(printed)]
        return "\n".join(lines) + "\n"

    def printed(self, commands: Sequence[str], environment: Environment) -> list["Printed"]:
        """Return what commands print in an environment, in a copy of the case."""
        with tempfile.TemporaryDirectory() as made:
            place = Path(made).resolve() / self.folder.name
            shutil.copytree(self.folder, place, ignore=shutil.ignore_patterns("session*.txt", "__pycache__"))
            if any("from exported import" in file.read_text("utf-8") for file in place.glob("*.py")):
                shutil.copy(_EXPORTED, place)
            played = environment.run(_PLAYER, cwd=place, given=json.dumps(commands))
            if played.returncode:
                pytest.fail(played.stderr)
            found = [Printed(*one) for one in json.loads(played.stdout)]
            return [Printed(_plain(one.out, place), _plain(one.err, place), one.code) for one in found]


class Printed(NamedTuple):
    """What a command printed, and its exit code."""

    out: str
    err: str
    code: int


def sessions() -> list[Session]:
    """Return the sessions of all cases."""
    return [Session.of(file) for file in sorted(CASES.glob("*/session*.txt"))]


def _answers(printed: Printed) -> Iterator[str]:
    """Yield the lines that stand for what a command printed."""
    yield from printed.out.splitlines()
    yield from (f"! {line}" for line in printed.err.splitlines())
    if printed.code:
        yield f"[{printed.code}]"


def _plain(text: str, place: Path) -> str:
    """Return a text without what differs from machine to machine."""
    return re.sub(r" *\b\d+(\.\d+)? (ms|s)\b", " # s", text.replace(str(place), "FOLDER"))


def main(*names: str) -> None:
    """Write the sessions of cases anew."""
    folder = Path(os.environ["TOOLKIT_FRAMEWORKS"])
    for session in sessions():
        if names and session.folder.name not in names:
            continue
        environment = environment_in(folder, session.environments[0])
        if environment is None:
            sys.stderr.write(f"{session.environments[0]} is not in {folder}\n")
            continue
        session.file.write_text(session.played(environment), "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
