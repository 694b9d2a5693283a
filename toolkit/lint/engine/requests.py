"""Turns the user's targets into requests, one for each file or name to check, with limits on its time and memory."""

import os
from collections.abc import Iterable, Sequence
from glob import has_magic
from pathlib import Path
from typing import Literal, NamedTuple

from toolkit.codes import NOT_FOUND
from toolkit.lint.definitions.manifests import NAMES, PLUGIN_FOLDER, kind_of
from toolkit.problems import Problem
from toolkit.skills.skill_files import SKILL_FILE
from toolkit.skills.skill_folders import find_skills
from toolkit.source_code.module_files import PYTHON
from toolkit.source_code.project_files import files_below
from toolkit.sources.targets import CASES, FilesTarget, is_case_file, parse_target

JSON = ".json"
_TOOLS_JSON = "tools.json"

Kind = Literal["python", "pipeline", "cases", "json", "manifest", "skill", "name"]


class Request(NamedTuple):
    """One file or name to check.

    Attributes:
        target: The name of the target.
        base: The folder that the target is relative to.
        file: The real path, if it is a file.
        is_named: Whether the user named it directly, rather than a folder or a pattern.
        text: Content to check instead of the file's, such as unsaved changes in an editor.
    """

    target: str
    base: str
    file: str | None = None
    is_named: bool = True
    text: str | None = None

    @property
    def is_opened(self) -> bool:
        """Whether a child process opens the target, since it may be code."""
        return self.kind not in {"cases", "json", "manifest", "skill"}

    @property
    def kind(self) -> Kind:
        """The kind of target, by its file name."""
        if self.file is None:
            return "name"
        if self.file.endswith(JSON):
            return "manifest" if kind_of(self.file, self.text) else "json"
        if os.path.basename(self.file) == SKILL_FILE:  # noqa: PTH119 - creating Paths for thousands of files is slow
            return "skill"
        if is_case_file(self.file):
            return "cases"
        return "python" if self.file.endswith(PYTHON) else "pipeline"


class Asked(NamedTuple):
    """The requests for all targets.

    Attributes:
        requests: One request for each file or name.
        problems: Problems of targets that were not found.
        folders: The requests of each folder and pattern.
    """

    requests: list[Request]
    problems: list[Problem]
    folders: dict[str, list[Request]]


def make_requests(targets: Iterable[str], base: Path) -> Asked:
    """Return a request for each file or name, and problems of targets that were not found.

    Python files come first, since pipelines use them. In a folder, JSON files count as lists of definitions if they are
    named `tools.json` or `….tools.json`, YAML files as cases if they are named `….cases.yaml`, and Markdown files as
    skills if they are named `SKILL.md`; others have to be named as targets, except manifests.
    """
    requests: dict[str, Request] = {}
    folders: dict[str, list[Request]] = {}
    problems = []
    for text in targets:
        if text.endswith(JSON) or (_is_read(text) and not has_magic(text)):
            found: FilesTarget | Problem | None = _file_itself(text, base)
        else:
            target = parse_target(text, base)
            found = target if isinstance(target, Problem | FilesTarget) else None
        match found:
            case Problem():
                problems.append(found)
            case FilesTarget(paths=paths, name=None, is_single=is_named):
                lists = () if is_named else _others_below(base / text)
                meant = [
                    requests.setdefault(file, Request(str(path), "", file, is_named))
                    for path in (*paths, *lists)
                    if (file := os.path.realpath(path))
                ]
                folders |= {} if is_named else {text: meant}
            case _:
                requests.setdefault(text, Request(text, str(base)))
    return Asked(sorted(requests.values(), key=lambda request: request.kind != "python"), problems, folders)


def _is_read(name: str) -> bool:
    """Return whether a file with this name is only read, and has no tools."""
    return is_case_file(name) or Path(name).name == SKILL_FILE


def request_for_text(text: str, file: str) -> Asked:
    """Return the request for a text that replaces the content of a file, which need not exist."""
    return Asked([Request(file, "", os.path.realpath(file), text=text)], [], {})


def _file_itself(text: str, base: Path) -> FilesTarget | Problem:
    path = base / text
    if path.is_file():
        return FilesTarget(text, (path,))
    return Problem(NOT_FOUND, f"there is no file '{text}'", hint=f"looked for in '{path.parent.resolve()}'")


def _others_below(folder: Path) -> Iterable[Path]:
    """Return the lists of definitions, the case files, the skills and the manifests in a folder."""
    if not folder.is_dir():
        return ()
    found = files_below(folder, (JSON, *CASES, SKILL_FILE), hidden=(PLUGIN_FOLDER,))
    visible = [path for path in found if PLUGIN_FOLDER not in path.relative_to(folder).parts]
    return [
        *(one for one in visible if one.name == _TOOLS_JSON or one.name.endswith((f".{_TOOLS_JSON}", *CASES))),
        *find_skills(folder, visible),
        *(one for one in found if one.name in NAMES and kind_of(str(one))),
    ]


def means_all(targets: Sequence[str], project: Path) -> bool:
    """Return whether the targets include the whole project."""
    return not targets or any(project.resolve().is_relative_to(Path(target).resolve()) for target in targets)


class Limits(NamedTuple):
    """Limits for a single file.

    Attributes:
        seconds: Timeout for opening it, in seconds.
        memory: Maximum memory of the process in bytes, on systems that can limit it.
        grace: Time in seconds for a process to end itself after its timeout, before it is killed.
    """

    seconds: float = 20.0
    memory: int = 4 * 1024**3
    grace: float = 5.0


DEFAULT_LIMITS = Limits()
