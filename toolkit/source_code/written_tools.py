"""The tools that the source of a Python file defines, as values."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolkit.codes import NO_TOOLS
from toolkit.problems import Location, Problem
from toolkit.source_code.class_tools import ClassTool
from toolkit.source_code.local_names import LocalNames
from toolkit.source_code.unfollowed_calls import Unfollowed
from toolkit.source_code.written_calls import argument_of
from toolkit.tools.foreign.source_marks import Demands, Place, Registration, SourceMarks

OURS = "toolkit"
IN_LIST = "tools="
"""The kind of a tool that is a function in the list of an agent."""
IN_FILE = "file"
"""The kind of a tool that is a function in a file that a program loads."""
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, eq=False)
class WrittenTool:
    """A tool that a Python file defines.

    Attributes:
        path: The file that registers the tool.
        framework: Its framework: a folder of `toolkit.frameworks`, or `toolkit`.
        marks: The marks of that framework.
        kind: How it is registered: `decorator`, `class`, `file`, or the name of the called function: `add_tool`.
        node: The node to show to users: its function or class in this file, or the call that creates the tool.
        name: The name of the tool, or `None` if only running the file would show it.
        mark: The decorator or call that makes it a tool.
        registration: The kind of that call.
        function: The function that the tool runs, if known.
        home: The file of that function.
        as_class: Details of a class that is a tool.
        declared: The definition in a variable of a module that is a tool.
        within: The file and the line of the call that registers it, if that is in a function of the project, which may
            add anything.
        registry: The files of the project's registry that keeps it for a server, and alone makes it a tool.
        sent_at: The files and lines of dictionaries that the project makes of such definitions, to send them.
        kept_in: The files of the project's registry, if a framework makes it a tool as well.
        is_guessed: Whether only the name of a variable says which framework it belongs to.
        scope: The scope of its mark; `None` for the top level of the file.
    """

    path: str
    framework: str
    marks: SourceMarks
    kind: str
    node: ast.stmt | ast.expr
    name: str | None
    mark: ast.expr | None = None
    registration: Registration | None = None
    function: Function | None = None
    home: str | None = None
    as_class: ClassTool | None = None
    declared: ast.Dict | None = None
    within: tuple[str, int] | None = None
    registry: frozenset[str] = frozenset()
    sent_at: frozenset[tuple[str, int]] = frozenset()
    kept_in: frozenset[str] = frozenset()
    is_guessed: bool = False
    scope: LocalNames | None = None

    @property
    def followed(self) -> frozenset[tuple[str, int]]:
        """The files and lines of the calls in functions of the project that register it; line 0 is a whole file."""
        within = [] if self.within is None else [self.within]
        return frozenset([*within, *self.sent_at, *((file, 0) for file in self.registry | self.kept_in)])

    @property
    def is_marked_directly(self) -> bool:
        """Whether a decorator of its framework stands above its function, so that nothing changes that in between."""
        return self.kind == "decorator" and not self.is_wrapped and self.registration in self.marks.registrations

    @property
    def is_wrapped(self) -> bool:
        """Whether its mark is a function of the project that applies one."""
        return self.within is not None

    @property
    def demands(self) -> Demands:
        """What its framework requires of its function; nothing if that only sees what the project's registry makes."""
        return Demands() if self.registry else self.marks.demands

    def argument(self, places: Sequence[Place]) -> ast.expr | None:
        """Return the first argument of its mark with one of these positions or names, or `None`."""
        return None if self.mark is None else argument_of(self.mark, places)


def value_of(mapping: ast.Dict, key: str) -> ast.expr | None:
    """Return the value of a key in a dictionary display, or `None`."""
    pairs = zip(mapping.keys, mapping.values, strict=True)
    return next((value for one, value in pairs if isinstance(one, ast.Constant) and one.value == key), None)


def part_of(whole: ast.expr, *keys: str) -> ast.expr | None:
    """Return what a dictionary display has under one of some keys, or a call under one of these keywords, or `None`."""
    if isinstance(whole, ast.Call):
        return argument_of(whole, keys)
    found = (value_of(whole, key) for key in keys) if isinstance(whole, ast.Dict) else ()
    return next((one for one in found if one is not None), None)


class Shown(NamedTuple):
    """What the source of a file shows.

    Attributes:
        tools: The tools that it defines, in order of position.
        unfollowed: The calls with which it registers tools that it does not show.
        is_cut: Whether it is nested too deeply to be followed, so that any tools are unknown.
    """

    tools: tuple[WrittenTool, ...] = ()
    unfollowed: tuple[Unfollowed, ...] = ()
    is_cut: bool = False

    def cuts_in(self, file: str) -> tuple[Problem, ...]:
        """Return the problem that the tools of a file are not known, if so."""
        hint = "import the file where the framework is installed, or define the tools in another file"
        message = "the source is nested too deeply to be followed, so any tools in it are not known"
        return (Problem(NO_TOOLS, message, Location(file), "warning", hint),) if self.is_cut else ()
