"""Find a class that a file refers to, such as `file.py:Class`."""

import os
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from toolkit.codes import NOT_FOUND
from toolkit.problems import Problem, did_you_mean
from toolkit.sources.folders import PYTHON
from toolkit.sources.import_permission import ImportPermission
from toolkit.sources.modules import import_file, import_named, source_of
from toolkit.sources.targets import FilesTarget, NameTarget, parse_target

_WRITE = "write file.py:Class, or package.module:Class"


def file_of_class(text: str, base: Path) -> Path | None:
    """Return the Python file in `file.py:Class`, or `None` if the text refers to a module."""
    target = parse_target(text, base)
    return target.paths[0] if isinstance(target, FilesTarget) and target.is_single else None


def find_class(
    text: str, base: Path, refused: Mapping[str, Problem], permission: ImportPermission
) -> type | list[Problem]:
    """Return the class that `file.py:Class` or `package.module:Class` refers to, or the problems.

    Args:
        text: The reference.
        base: The folder that relative paths start from.
        refused: The real paths of Python files that must not be imported, with the reasons.
        permission: Decides whether a file can be imported.
    """
    target = parse_target(text, base)
    module: ModuleType | list[Problem] | None = []
    match target:
        case Problem():
            return [target]
        case FilesTarget(paths=(path,), name=str(name), is_single=True) if path.suffix == PYTHON:
            if reason := refused.get(os.path.realpath(path)):
                return [reason]
            if (objections := permission.objections_to_class(path, name)) is not None:
                return [*objections]

            module = import_file(path)
        case NameTarget(name=str(name)):
            file = source_of(target.module, base)
            if file and (objections := permission.objections_to_class(Path(file), name)) is not None:
                return [*objections]
            module = import_named(target.module, base, is_permitted=file is not None)
        case _:
            return [Problem(NOT_FOUND, f"'{text}' names no class", hint=_WRITE)]
    if module is None:
        return [Problem(NOT_FOUND, f"there is no module '{target.spelled.rpartition(':')[0]}'", hint=_WRITE)]
    return module if isinstance(module, list) else _class_in(module, name, text)


def _class_in(module: ModuleType, name: str, text: str) -> type | list[Problem]:
    thing: object = module
    for part in name.split("."):
        try:
            thing = getattr(thing, part)
        except Exception:  # noqa: BLE001 - users' modules may raise anything
            known = [known for known, value in vars(module).items() if isinstance(value, type)]
            hint = did_you_mean(name, known, otherwise=_WRITE)
            return [Problem(NOT_FOUND, f"nothing is named '{name}' in '{text.rpartition(':')[0]}'", hint=hint)]
    return thing if isinstance(thing, type) else [Problem(NOT_FOUND, f"'{text}' is not a class", hint=_WRITE)]
