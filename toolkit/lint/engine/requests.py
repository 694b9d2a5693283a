"""Turns the user's targets into requests, one for each file or name to check, with limits on its time and memory."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from glob import has_magic
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolkit.codes import NOT_FOUND
from toolkit.lint.definitions.manifests import NAMES, PLUGIN_FOLDER, kind_of
from toolkit.lint.engine.records import api_record
from toolkit.problems import Problem
from toolkit.regular_files import real_paths
from toolkit.skills.skill_files import SKILL_FILE
from toolkit.skills.skill_folders import find_skills
from toolkit.source_code.module_files import PYTHON
from toolkit.source_code.project_files import files_below
from toolkit.sources.targets import (
    JSON,
    YAML,
    FilesTarget,
    has_cases,
    is_api_text,
    is_case_file,
    means_api,
    parse_target,
)

if TYPE_CHECKING:
    from toolkit.openapi.api_settings import ApiSettings

_HEAD: Final = 64 * 1024
"""How much of a file in a folder is read to see whether it is an OpenAPI document."""
_TOOLS_JSON = "tools.json"

Kind = Literal["python", "pipeline", "cases", "json", "manifest", "openapi", "skill", "name"]


class Request(NamedTuple):
    """One file or name to check.

    Attributes:
        target: The name of the target.
        base: The folder that the target is relative to.
        file: The real path, if it is a file.
        is_named: Whether the user named it directly, rather than a folder or a pattern.
        text: Content to check instead of the file's, such as unsaved changes in an editor.
        api: For an OpenAPI document, the settings of its API as JSON, or the only operation under `only`.
    """

    target: str
    base: str
    file: str | None = None
    is_named: bool = True
    text: str | None = None
    api: str = ""

    @property
    def is_opened(self) -> bool:
        """Whether a child process opens the target, since it may be code."""
        return self.kind not in {"cases", "json", "manifest", "openapi", "skill"}

    @property
    def kind(self) -> Kind:
        """The kind of target, by its file name."""
        if self.file is None:
            return "name"
        if self.api:
            return "openapi"
        if self.file.endswith(PYTHON):
            return "python"
        if self.file.endswith(JSON):
            return "manifest" if kind_of(self.file, self.text) else "json"
        if os.path.basename(self.file) == SKILL_FILE:  # noqa: PTH119 - creating Paths for thousands of files is slow
            return "skill"
        return "cases" if is_case_file(self.file) else "pipeline"


class Asked(NamedTuple):
    """The requests for all targets.

    Attributes:
        requests: One request for each file or name.
        problems: Problems of targets that were not found.
        folders: The requests of each folder and pattern.
        unread: The OpenAPI documents in folders that nobody uses, and that are not checked.
    """

    requests: list[Request]
    problems: list[Problem]
    folders: dict[str, list[Request]]
    unread: frozenset[str] = frozenset()


def make_requests(
    targets: Iterable[str], base: Path, apis: "Mapping[str, ApiSettings]" = MappingProxyType({})
) -> Asked:
    """Return a request for each file or name, and problems of targets that were not found.

    Python files come first, since pipelines use them. In a folder, JSON files count as lists of definitions if they are
    named `tools.json` or `….tools.json`, YAML files as cases if they are named `….cases.yaml`, Markdown files as
    skills if they are named `SKILL.md`, and OpenAPI documents if they are those of configured APIs; others have to be
    named as targets, except manifests.

    Args:
        targets: The targets.
        base: The folder that they are relative to.
        apis: The configured APIs, by name.
    """
    requests: dict[str, Request] = {}
    folders: dict[str, list[Request]] = {}
    unread: set[str] = set()
    problems = []
    documents = {os.path.realpath(one.document): name for name, one in apis.items() if one.url is None}
    for text in targets:
        target = parse_target(text, base)
        found: FilesTarget | Problem | None = target if isinstance(target, Problem | FilesTarget) else None
        if not _is_api(found) and (text.endswith(JSON) or (_is_read(text) and not has_magic(text))):
            found = _file_itself(text, base)
        match found:
            case Problem():
                problems.append(found)
            case FilesTarget(paths=(path,), name=name, is_api=True):
                requests[text] = Request(str(path), "", os.path.realpath(path), api=json.dumps({"only": name}))
            case FilesTarget(paths=paths, name=None, is_single=is_named):
                lists, described = ((), ()) if is_named else _others_below(base / text)
                meant = [
                    requests.setdefault(file, Request(str(path), "", file, is_named))
                    for path, file in real_paths((*paths, *lists))
                ]
                own = {documents[file] for file in described & documents.keys()}
                meant += [requests.setdefault(name, _of_api(apis[name])) for name in sorted(own)]
                unread |= described - documents.keys()
                folders |= {} if is_named else {text: meant}
            case None if text in documents.values():
                requests.setdefault(text, _of_api(apis[text]))
            case _:
                requests.setdefault(text, Request(text, str(base)))
    kept = sorted(requests.values(), key=lambda request: request.kind != "python")
    return Asked(kept, problems, folders, frozenset(unread - {str(one.file) for one in kept}))


def _is_api(found: FilesTarget | Problem | None) -> bool:
    return isinstance(found, FilesTarget) and found.is_api


def _of_api(settings: "ApiSettings") -> Request:
    """Return the request for a configured API."""
    return Request(settings.name, "", os.path.realpath(settings.document), api=json.dumps(api_record(settings)))


def _is_read(name: str) -> bool:
    """Return whether a file with this name is only read, and has no tools."""
    return is_case_file(name) or Path(name).name == SKILL_FILE


def request_for_text(text: str, file: str) -> Asked:
    """Return the request for a text that replaces the content of a file, which need not exist."""
    suffix = Path(file).suffix
    api = "{}" if suffix in (JSON, *YAML) and is_api_text(text.encode(), suffix) else ""
    return Asked([Request(file, "", os.path.realpath(file), text=text, api=api)], [], {})


def _file_itself(text: str, base: Path) -> FilesTarget | Problem:
    path = base / text
    if path.is_file():
        return FilesTarget(text, (path,))
    return Problem(NOT_FOUND, f"there is no file '{text}'", hint=f"looked for in '{path.parent.resolve()}'")


def _others_below(folder: Path) -> tuple[Iterable[Path], set[str]]:
    """Return the lists of definitions, the case files, the skills and the manifests in a folder, and OpenAPI documents.

    The documents are real paths.
    """
    if not folder.is_dir():
        return (), set()
    found = files_below(folder, (JSON, *YAML, SKILL_FILE), hidden=(PLUGIN_FOLDER,))
    visible = [path for path in found if PLUGIN_FOLDER not in path.relative_to(folder).parts]
    files = [
        *(one for one in visible if one.name == _TOOLS_JSON or one.name.endswith(f".{_TOOLS_JSON}")),
        *(one for one in visible if is_case_file(one.name) and has_cases(one)),
        *find_skills(folder, visible),
        *(one for one in found if one.name in NAMES and kind_of(str(one))),
    ]
    return files, {
        os.path.realpath(one) for one in visible if one.suffix in (JSON, *YAML) and means_api(one, most=_HEAD)
    }


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
