"""List the tools in files and folders from their source, without importing anything."""

import gc
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from toolkit.codes import DOES_NOT_IMPORT, NO_TOOLS
from toolkit.problems import Location, Problem
from toolkit.regular_files import bounded_bytes
from toolkit.source_code.written_tools import ToolReader, WrittenTool
from toolkit.sources.targets import FilesTarget, parse_target


class WrittenList(NamedTuple):
    """The tools that were found, and the problems of files that cannot be read."""

    tools: list[WrittenTool]
    problems: list[Problem]


def list_written(targets: Iterable[str], base: Path) -> WrittenList:
    """Return the tools that the source of files, folders and globs defines.

    Args:
        targets: The targets, relative to `base`.
        base: The folder that relative paths start from.
    """
    found = WrittenList([], [])
    reader = ToolReader()
    with _many_nodes():
        for text in targets:
            match parse_target(text, base):
                case Problem() as problem:
                    found.problems.append(problem)
                case FilesTarget(python=files):
                    _read(text, files, reader, found)
                case _:
                    message = f"'{text}' is not a file, and with '--static' nothing is imported to find it"
                    found.problems.append(Problem(NO_TOOLS, message, hint="leave out '--static', or name a file"))
    return found


def _read(text: str, files: Iterable[Path], reader: ToolReader, found: WrittenList) -> None:
    before = len(found.tools), len(found.problems)
    for file in files:
        if not _is_worth_reading(file, reader):
            continue
        found.tools.extend(reader.tools_of(str(file)))
        if (failure := reader.meanings.failure(str(file))) is not None:
            found.problems.append(_unread(file, failure))
    if before == (len(found.tools), len(found.problems)):
        hint = "tools are found by their marks: `@tool`, `@server.tool()`, and those of other frameworks"
        found.problems.append(
            Problem(NO_TOOLS, f"the source in '{text}' shows no tools", severity="warning", hint=hint)
        )


def _is_worth_reading(file: Path, reader: ToolReader) -> bool:
    try:
        return reader.hints.may_have_tools(os.path.realpath(file), bounded_bytes(file))
    except OSError:
        return True  # reading it reports why it cannot be read


def _unread(file: Path, failure: BaseException) -> Problem:
    place = Location(os.path.realpath(file), getattr(failure, "lineno", None), getattr(failure, "offset", None))
    reason = getattr(failure, "msg", None) or str(failure)
    return Problem(
        DOES_NOT_IMPORT, f"'{file.name}' cannot be read: {type(failure).__name__}: {reason}", place, "warning"
    )


@contextmanager
def _many_nodes() -> Iterator[None]:
    """Disable garbage collection: it would traverse millions of syntax tree nodes, none of which can be freed."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
