"""The targets and models of a case, as paths from its file."""

import os
from collections.abc import Callable
from pathlib import Path

from toolkit.sources.targets import FilesTarget, parse_target


def absolute(target: str, base: Path) -> str:
    """Return a target with an absolute path, if it is a file that exists below a folder."""
    return _with_path(target, base, lambda path: str(path.absolute()))


def relative(target: str, base: Path, folder: Path) -> str:
    """Return a target that names a file below one folder as seen from another one."""
    return _with_path(target, base, lambda path: os.path.relpath(path, folder))


def _with_path(target: str, base: Path, written: Callable[[Path], str]) -> str:
    found = parse_target(target, base)
    if not (isinstance(found, FilesTarget) and found.is_single):
        return target
    path = written(found.paths[0])
    return path if found.name is None else f"{path}:{found.name}"


SCRIPTED = "scripted:"


def from_folder(model: str, folder: Path) -> str:
    """Return the name of a model; the path of a script is relative to a folder."""
    return f"{SCRIPTED}{folder / model.removeprefix(SCRIPTED)}" if model.startswith(SCRIPTED) else model
