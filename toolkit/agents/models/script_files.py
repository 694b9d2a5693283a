"""Loads scripts of replies from Python files, which are run as code."""

import traceback
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, cast
from zlib import crc32

from toolkit.codes import NOT_FOUND
from toolkit.errors import ConfigurationError
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.source_imports import import_source

MOST_TURNS = 10_000
_NAMES = ("reply", "turns")
_KINDS = "write `turns = [...]`, or `def reply(messages, tools):`"


def turns_in(file: Path) -> Iterable[Any] | Callable[..., Any]:
    """Run a Python file, and return its turns, or its function that makes them.

    Args:
        file: A file with a function `reply(messages, tools)`, or with `turns`: a list, or a function that returns an
            iterable, such as a generator.

    Raises:
        ConfigurationError: If the file does not exist, cannot be run, or has neither.
    """
    names = vars(_run(file))
    if callable(names.get("reply")):
        return cast("Callable[..., Any]", names["reply"])
    turns = names.get("turns")
    if turns is None:
        near = [hint for name in names if not name.startswith("_") and (hint := did_you_mean(name, _NAMES))]
        hint = near[0] if near else _KINDS
        raise _refused("", f"a script needs 'turns' or a function 'reply', but '{file.name}' has neither", file, hint)
    try:
        listed = list(islice(turns() if callable(turns) else turns, MOST_TURNS + 1))
    except Exception as error:
        raise _failed(error, file) from error
    if len(listed) > MOST_TURNS:
        hint = "a function `reply(messages, tools)` can return any number of turns"
        raise _refused("", f"'turns' in '{file.name}' has more than {MOST_TURNS:,} turns", file, hint)
    return listed


def _run(file: Path) -> ModuleType:
    name = f"_script_{file.stem}_{crc32(str(file.resolve()).encode()):08x}"
    if not file.is_file():
        raise _refused(NOT_FOUND, f"there is no file '{file}'", None, None)
    try:
        return import_source(name, file)  # dataclasses look up their module in `sys.modules`
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _failed(error, file) from error


def _failed(error: BaseException, file: Path) -> ConfigurationError:
    """Return the error for an exception in a script, with the innermost line of the file."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(file)]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    words = error.msg if isinstance(error, SyntaxError) else str(error)
    message = f"the script '{file.name}' cannot be run: {type(error).__name__}{f': {words}' if words else ''}"
    return ConfigurationError(problems=[Problem("", message, Location(str(file), line))])


def _refused(code: str, message: str, file: Path | None, hint: str | None) -> ConfigurationError:
    place = Location(str(file)) if file is not None else None
    return ConfigurationError(problems=[Problem(code, message, place, hint=hint)])


SCRIPTED = "scripted"
"""The prefix in `scripted:FILE`."""


def runs_code(model: str) -> bool:
    """Return whether opening a model runs code, as scripts in Python do. Only the user may choose such a model."""
    kind, _, file = model.partition(":")
    return kind == SCRIPTED and file.strip().lower().endswith(".py")
