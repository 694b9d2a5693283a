"""Decides which Python files can be imported.

Importing a file runs it. A file that was found by a folder or pattern, or that a YAML file refers to, is only imported
if its source defines tools, and one of a folder never if it is a program without a guard. So is a file that a command
only inspects, or that the project's settings refer to. A user who runs something can name any file.
"""

import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Literal, NamedTuple

from toolkit.codes import NO_TOOLS, NOT_A_TOOL
from toolkit.problems import Location, Problem
from toolkit.settings.configuration import Configuration
from toolkit.source_code.module_files import PYTHON, place_in_package
from toolkit.source_code.project_files import runs_on_import
from toolkit.sources.targets import mentions_tools

if TYPE_CHECKING:
    from toolkit.source_code.import_decisions import Recogniser


Chooser = Literal["user", "configuration", "file"]
"""Who chose a target: the user on the command line or in Python, the project's settings, or a YAML file."""

_WRAP = "call it in a function that is marked with `@tool`"
_Proof = Literal["none", "mention", "definition"]
"""What the source of a file has to contain before it is imported."""


class FileCounts(NamedTuple):
    """The number of Python files that were searched for tools, and how many of them were imported."""

    read: int = 0
    imported: int = 0


class ImportPermission:
    """Decides about imports, and counts them."""

    def __init__(self, configuration: Configuration, *, looks: bool = False) -> None:
        """Create the permission with all counts at zero.

        Args:
            configuration: The settings of the project.
            looks: Whether tools are only inspected, and nothing is run.
        """
        self._folder = os.path.realpath(configuration.directory)
        self._looks = looks
        self._read: set[str] = set()
        self._imported: set[str] = set()
        self._accepted: set[str] = set()

    @cached_property
    def recogniser(self) -> "Recogniser":
        """Analyzes the sources of files."""
        from toolkit.source_code.import_decisions import Recogniser  # not needed for files that are run

        return Recogniser()

    def accept(self, file: str) -> None:
        """Permit a file by its real path, without checking its source."""
        self._accepted.add(file)

    def reset_counts(self) -> None:
        """Reset the counts of files that were read and imported."""
        self._read.clear()
        self._imported.clear()

    @property
    def counts(self) -> FileCounts:
        """The numbers of files so far."""
        return FileCounts(len(self._read), len(self._imported))

    @property
    def files(self) -> tuple[list[str], list[str]]:
        """The real paths of the files that were read, and of those that were imported."""
        return sorted(self._read), sorted(self._imported)

    def objections_to_file(
        self, path: Path, name: str | None, chooser: Chooser, *, is_walked: bool
    ) -> Sequence[Problem] | None:
        """Return why a file must not be imported, or `None` if it can be and is counted as imported.

        Args:
            path: The file.
            name: The wanted name in the file, or `None` for all its tools.
            chooser: Who chose the file.
            is_walked: Whether the file was found by a folder or pattern. Then a file without tools is not a problem.
        """
        file = os.path.realpath(path)
        if is_walked and runs_on_import(path):
            self._read.add(file)
            return ()
        wanted = "definition" if is_walked else self._proof_wanted(file, chooser)
        if self._is_proven(file, wanted):
            return None
        if failure := self._failure(file, path.name, Location(str(path))):
            return failure if not is_walked or mentions_tools(path) else ()
        return () if is_walked else [self._no_tools(str(path), file, name, chooser)]

    def objections_to_module(
        self, module: str, file: str, name: str | None, chooser: Chooser
    ) -> Sequence[Problem] | None:
        """Return why a module must not be imported, or `None` if it can be and is counted as imported.

        Args:
            module: The name of the module.
            file: Its source file.
            name: The wanted name in the module, or `None` for all its tools.
            chooser: Who chose the module.
        """
        wanted = self._proof_wanted(file, chooser)
        if self._is_proven(file, "mention" if wanted == "none" and name is None else wanted):
            return None
        failure = self._failure(file, module, Location(file))
        return failure or [self._no_tools(module, file, name, chooser)]

    def objections_to_class(self, path: Path, name: str) -> Sequence[Problem] | None:
        """Return why a file must not be imported for a class that a YAML file refers to, or `None` if it can be.

        Args:
            path: The file.
            name: The class, which must have tools.
        """
        file = os.path.realpath(path)
        if self.recogniser.has_tool_class(file, name.partition(".")[0]):
            self._read.add(file)
            self._imported.add(file)
            return None
        return self.objections_to_file(path, None, "file", is_walked=False)

    def is_unconditional(self, name: str | None, chooser: Chooser) -> bool:
        """Return whether any module can be imported, because the user runs a named object in it."""
        return chooser == "user" and name is not None and not self._looks

    def _proof_wanted(self, file: str, chooser: Chooser) -> _Proof:
        """Return what the source of a file that was named directly has to contain."""
        match chooser:
            case "file":
                return "definition"
            case "configuration":
                is_own = file.startswith(os.path.join(self._folder, ""))  # the separator at its end
                return "mention" if is_own else "definition"
            case "user":
                return "mention" if self._looks else "none"

    def _is_proven(self, file: str, wanted: _Proof) -> bool:
        self._read.add(file)
        is_proven = wanted == "none" or file in self._accepted
        if not is_proven and wanted == "mention":
            is_proven = self.recogniser.may_define_tools(file)
        elif not is_proven:
            is_proven = self.recogniser.defines_tools(file)
        if is_proven:
            self._imported.add(file)
        return is_proven

    def _failure(self, file: str, name: str, place: Location) -> list[Problem]:
        """Return the problems of a file that cannot be parsed; empty if it can."""
        failure = self.recogniser.meanings.failure(file)
        if failure is None:
            return []
        from toolkit.sources.import_failures import import_problems  # only needed to report problems

        return import_problems(failure, place_in_package(file)[0], name, place)

    def _no_tools(self, spelled: str, file: str, name: str | None, chooser: Chooser) -> Problem:
        line = self.recogniser.line_of(file, name.partition(".")[0]) if name else None
        if name and chooser != "user":
            return not_a_tool(spelled, name, Location(file, line) if line else None)
        hint = f"mark it with `@tool` ({os.path.relpath(file)}:{line})" if line else "mark a function with `@tool`"
        from toolkit.sources.written_lists import unmade_tools  # only needed to report the problem

        if chooser == "user" and name is None and (unmade := unmade_tools([Path(file)])) is not None:
            hint = unmade
        elif chooser == "user":
            hint += f"; `toolkit run {_as_typed(spelled, name or 'NAME')}` calls one without a mark"
        place = Location(spelled) if spelled.endswith(PYTHON) and chooser != "file" else None
        message = f"no tools were found in '{spelled}', so it was not imported"
        return Problem(NOT_A_TOOL if chooser == "file" else NO_TOOLS, message, place, hint=hint)


def not_a_tool(spelled: str, name: str, place: Location | None) -> Problem:
    """Return the problem that a file refers to something that is not marked as a tool.

    Args:
        spelled: The Python file or module, as written.
        name: The name in it.
        place: Where the name is defined, if known.
    """
    is_own = place is not None and os.path.realpath(place.file).startswith(os.path.join(os.path.realpath(""), ""))
    mark = f"mark it with `@tool` ({os.path.relpath(place.file)}:{place.line})" if place and is_own else _WRAP
    flag = f"--tools {_as_typed(spelled, name)}"
    return Problem(
        NOT_A_TOOL,
        f"'{name}' in '{spelled}' is not marked as a tool, and files can only use tools",
        hint=f"{mark}, or allow it yourself with `{flag}`",
    )


def _as_typed(spelled: str, name: str) -> str:
    """Return a name in a file or module as a word for a shell, with a file relative to the working directory."""
    return quote(f"{os.path.relpath(spelled) if spelled.endswith(PYTHON) else spelled}:{name}")
