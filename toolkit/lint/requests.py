"""Requests: the files and names that the user asked for, one thing to look at each."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from toolkit.codes import NOT_FOUND
from toolkit.problems import Problem
from toolkit.sources.folders import PYTHON, YAML, files_below
from toolkit.sources.targets import FilesTarget, parse_target

JSON = ".json"
_TOOLS_JSON = "tools.json"

Kind = Literal["python", "pipeline", "json", "name"]


class Request(NamedTuple):
    """One thing to look at.

    Attributes:
        target: What it is called.
        base: The folder that this is relative to.
        file: The real path, where it is one file.
        is_named: Whether the user named this very thing, and not a folder or a pattern that it is in.
        text: What stands in the place of the file's content, such as what an editor has not saved.
    """

    target: str
    base: str
    file: str | None = None
    is_named: bool = True
    text: str | None = None

    @property
    def kind(self) -> Kind:
        """What is to be done with it."""
        if self.file is None:
            return "name"
        if self.file.endswith(JSON):
            return "json"
        return "python" if self.file.endswith(PYTHON) else "pipeline"


class Asked(NamedTuple):
    """What was asked for.

    Attributes:
        requests: What to look at, a file at a time.
        problems: What was not found.
        folders: Which of the requests each folder and pattern stands for.
    """

    requests: list[Request]
    problems: list[Problem]
    folders: dict[str, list[Request]]


def make_requests(targets: Iterable[str], base: Path) -> Asked:
    """Return what to look at, a file at a time, and what was not found.

    Python comes first, since pipelines use it. In a folder, a list of definitions is a file that is called `tools.json`
    or `….tools.json`; any other one must be named.
    """
    requests: dict[str, Request] = {}
    folders: dict[str, list[Request]] = {}
    problems = []
    for text in targets:
        if text.endswith(JSON):
            found: FilesTarget | Problem | None = _json_file(text, base)
        else:
            target = parse_target(text, base)
            found = target if isinstance(target, Problem | FilesTarget) else None
        match found:
            case Problem():
                problems.append(found)
            case FilesTarget(paths=paths, name=None, is_single=is_named):
                lists = () if is_named else _definitions_below(base / text)
                meant = [
                    requests.setdefault(file, Request(str(path), "", file, is_named))
                    for path in (*paths, *lists)
                    if (file := os.path.realpath(path))
                ]
                folders |= {} if is_named else {text: meant}
            case _:
                requests.setdefault(text, Request(text, str(base)))
    return Asked(sorted(requests.values(), key=lambda request: request.kind != "python"), problems, folders)


def request_for_text(text: str, file: str) -> Asked:
    """Return what to look at where a text stands in the place of a file, which need not be there."""
    return Asked([Request(file, "", os.path.realpath(file), text=text)], [], {})


def _json_file(text: str, base: Path) -> FilesTarget | Problem:
    path = base / text
    if path.is_file():
        return FilesTarget(text, (path,))
    return Problem(NOT_FOUND, f"there is no file '{text}'", hint=f"looked for in '{path.parent.resolve()}'")


def _definitions_below(folder: Path) -> Iterable[Path]:
    if not folder.is_dir():
        return ()
    return [
        path
        for path in files_below(folder, (JSON,))
        if path.name == _TOOLS_JSON or path.name.endswith(f".{_TOOLS_JSON}")
    ]


def is_yaml(file: str) -> bool:
    """Whether a file is called as a pipeline is."""
    return file.endswith(YAML)
