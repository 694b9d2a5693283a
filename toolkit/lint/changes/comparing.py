"""Compares the definitions of tools with those of a git revision, by reading the source of both."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from toolkit.codes import DOES_NOT_IMPORT, NO_TOOLS, NOT_FOUND
from toolkit.errors import ConfigurationError
from toolkit.lint.changes.git_revisions import GitRevision, find_revision
from toolkit.lint.changes.written_entries import WrittenEntry, WrittenTree
from toolkit.lint.configuration.settings import LintSettings
from toolkit.lint.configuration.suppressions import silence
from toolkit.lint.engine.checking import Checked
from toolkit.lint.engine.requests import Asked, Request, make_requests
from toolkit.lint.engine.toolsets import ToolCounts
from toolkit.lint.engine.workers import temporary_folder
from toolkit.pins.drifts import Change, Drift, changes_between, problems_of
from toolkit.problems import Location, Problem, in_order, seen_from
from toolkit.settings.configuration import Configuration
from toolkit.source_code.module_files import PYTHON
from toolkit.sources.import_permissions import FileCounts
from toolkit.sources.targets import JSON, YAML

if TYPE_CHECKING:
    from toolkit.openapi.api_settings import ApiSettings

_MARK = "toolkit looks for `@tool`, `@server.tool()`, and what other frameworks register"


class _Tree(NamedTuple):
    """The tools of one source tree by file path, and the problems of files that cannot be read."""

    tree: WrittenTree
    root: Path
    files: dict[str, list[WrittenEntry]]
    broken: dict[str, Problem]

    @classmethod
    def of(cls, root: Path, settings: LintSettings) -> "_Tree":
        """Return an empty tree for a folder."""
        return cls(WrittenTree(root, settings.tool_decorators), root, {}, {})

    def read(self, request: Request) -> bool:
        """Read a file, and return whether it may have tools."""
        file = request.file or ""
        if not (request.api or file.endswith((PYTHON, JSON))) or not Path(file).is_file():
            return False
        path = self.tree.path_of(file)
        entries = self.tree.entries_of(file, request.api)
        if isinstance(entries, Problem):
            self.broken[path] = entries
            return True
        self.files[path] = entries
        return bool(entries)


class _Pair(NamedTuple):
    """One tool before and after; None if it does not exist."""

    before: WrittenEntry | None
    now: WrittenEntry | None


def check_against(
    revision: str, targets: Sequence[str], configuration: Configuration, settings: LintSettings
) -> Checked:
    """Return the changes in tool definitions since a revision, classified as by `toolkit lock`.

    Python files, lists of definitions in JSON and OpenAPI documents are parsed; no code is run.

    Args:
        revision: A branch, tag or commit of the repository.
        targets: Files, folders, globs and names of APIs, relative to the working directory; if empty, the configured
            sources, or else the working directory and the configured APIs.
        configuration: The settings of the project, which choose the operations of both revisions.
        settings: The settings of lint, of which those count that ignore `TK514` in files.

    Raises:
        ConfigurationError: If there is no repository or no such revision, or if a target is outside of the repository.
    """
    base = Path() if targets else configuration.directory
    apis = {name: one for name, one in configuration.openapi.items() if one.url is None}
    texts = [*(targets or configuration.sources or [".", *apis])]
    old = find_revision(revision, base)
    with temporary_folder() as made:
        folder = Path(os.path.realpath(made))
        old.put_files((PYTHON, JSON, *YAML), folder)
        now, before = _Tree.of(old.root, settings), _Tree.of(folder, settings)
        problems = []
        for text in texts:
            place = text if text in apis else place_in(folder, text, base, old)
            asked = make_requests([text], base, apis)
            asked_before = make_requests([place], folder, _earlier(apis, folder, old))
            problems += _read(text, asked, now, asked_before, before)
        problems += _compare(before, now, old)
    return _check(problems, now, settings)


def _earlier(apis: "Mapping[str, ApiSettings]", folder: Path, revision: GitRevision) -> "dict[str, ApiSettings]":
    """Return the settings of APIs whose documents are in the repository, for the documents of its revision."""
    found = {}
    for name, one in apis.items():
        with suppress(ConfigurationError):
            found[name] = one._replace(document=place_in(folder, one.document, Path(), revision))
    return found


def place_in(folder: Path, text: str, base: Path, revision: GitRevision) -> str:
    """Return the path of a target, which is relative to `base`, in a folder with the files of a revision.

    Raises:
        ConfigurationError: If the target is outside of the repository.
    """
    real = Path(os.path.realpath(base), text)
    whole = Path(os.path.realpath(real.parent), real.name) if real.name else real
    try:
        return str(folder / Path(os.path.normpath(whole)).relative_to(revision.root))
    except ValueError:
        message = f"'{text}' is outside of the repository '{revision.root}'"
        raise ConfigurationError(problems=[Problem(NOT_FOUND, message, hint="name files of this repository")]) from None


def _read(text: str, asked: Asked, now: _Tree, asked_before: Asked, before: _Tree) -> list[Problem]:
    """Read a target in both trees, and return why there is nothing to compare, if so."""
    if any(one.file is None for one in asked.requests):
        message = f"'{text}' is not a file, and only files can be compared with those of a revision"
        return [Problem(NO_TOOLS, message, severity="warning", hint="name files or folders of the repository")]
    old = [*map(before.read, asked_before.requests)]
    if asked.problems and not old:
        return asked.problems
    found = [*map(now.read, asked.requests)]
    if any([*found, *old]):
        return []
    return [Problem(NO_TOOLS, f"no tools found in the source of '{text}'", severity="warning", hint=_MARK)]


def _compare(before: _Tree, now: _Tree, revision: GitRevision) -> list[Problem]:
    """Return every change, except in files that one side cannot read."""
    hidden = {*before.broken, *now.broken}
    problems = [*now.broken.values()]
    for path in sorted(before.broken.keys() - now.broken.keys()):
        message = f"'{path}' was not compared: it cannot be read in '{revision.name}'"
        place = Location(str(now.root / path)) if path in now.files else None
        problems.append(Problem(DOES_NOT_IMPORT, message, place, "warning", before.broken[path].message))
    hint = f"compared with {revision.name} ({revision.commit[:9]})"
    for pair in _pairs(_without(before.files, hidden), _without(now.files, hidden)):
        problems += problems_of(_drift(pair), _place(pair, now), hint)
    return problems


def _without(files: Mapping[str, list[WrittenEntry]], hidden: set[str]) -> list[WrittenEntry]:
    return [entry for path, entries in files.items() if path not in hidden for entry in entries]


def _pairs(before: Iterable[WrittenEntry], now: Iterable[WrittenEntry]) -> list[_Pair]:
    """Return each tool with its earlier version: that in the same file, or else the only one with its name."""
    same, gone, new = _match(before, now, lambda one: (one.file, one.name))
    alone = _single_names(gone) & _single_names(new)
    moved, gone, new = _match(gone, new, lambda one: one.name if one.name in alone else id(one))
    return [*same, *moved, *(_Pair(one, None) for one in gone), *(_Pair(None, one) for one in new)]


def _match(
    before: Iterable[WrittenEntry], now: Iterable[WrittenEntry], key: Callable[[WrittenEntry], object]
) -> tuple[list[_Pair], list[WrittenEntry], list[WrittenEntry]]:
    """Return the tools with equal keys as pairs, in order, and the remaining tools of each side."""
    waiting: dict[object, list[WrittenEntry]] = {}
    for one in before:
        waiting.setdefault(key(one), []).append(one)
    pairs, new = [], []
    for one in now:
        if fitting := waiting.get(key(one)):
            pairs.append(_Pair(fitting.pop(0), one))
        else:
            new.append(one)
    return pairs, [one for left in waiting.values() for one in left], new


def _single_names(entries: Iterable[WrittenEntry]) -> set[str]:
    counts = Counter(one.name for one in entries)
    return {name for name, count in counts.items() if count == 1}


def _drift(pair: _Pair) -> Drift:
    """Return the changes of one tool; parts that one side does not show are not compared."""
    before, now = pair
    if before is not None and now is not None:
        hidden = before.hidden | now.hidden
        sides = ({key: value for key, value in one.entry.items() if key not in hidden} for one in (before, now))
        return Drift(now.name, tuple(changes_between(*sides)))
    if before is not None:
        return Drift(before.name, (Change("breaking", f"the tool was removed from '{before.file}'"),))
    return Drift(now.name if now else "", (Change("compatible", "the tool is new"),))


def _place(pair: _Pair, now: _Tree) -> Location | None:
    """Return where a tool is, or the first line of the file where it was."""
    if pair.now is not None:
        return pair.now.place
    file = now.root / (pair.before.file if pair.before else "")
    return Location(str(file), 1, 1) if file.is_file() else Location(str(file))


def _check(problems: Iterable[Problem], now: _Tree, settings: LintSettings) -> Checked:
    """Return the changes to report, without those that a comment or the settings ignore."""
    here = Path.cwd()
    own = [one for path in now.files for one in now.tree.suppressions_of(str(now.root / path))]
    left, _ = silence(dict.fromkeys(seen_from(here, problem) for problem in problems), own)
    kept = [problem for problem in left if not settings.ignores(problem)]
    findings = in_order(
        replace(one, severity="error") if one.code == NO_TOOLS and settings.requires_tools else one for one in kept
    )
    tools = [entry for entries in now.files.values() for entry in entries]
    counts = ToolCounts(len(tools), len({entry.file for entry in tools}))
    read = sum(path.endswith(PYTHON) for path in (*now.files, *now.broken))
    return Checked(findings, FileCounts(read, 0), counts)
