"""Caches the findings of a file until the file, or anything that its result depends on, changes.

A result depends on the file itself, on the project's files that it imports or reads while it is opened, on the contents
of folders that a pipeline names, on the settings, on the installed packages, and on this version of toolkit. Other
inputs, such as the environment or the clock, are not tracked; checking without a cache takes them into account.
"""

import json
import os
import re
import sys
import sysconfig
from contextlib import suppress
from pathlib import Path
from typing import Any

from toolkit.codes import DOES_NOT_IMPORT, HIDDEN_MODULE, NOT_FOUND
from toolkit.lint.configuration.settings import LintSettings
from toolkit.lint.engine.file_states import FileStates, digest
from toolkit.lint.engine.records import configuration_record
from toolkit.lint.engine.reports import KeptTools, Report, definition_record, read_report, report_record
from toolkit.lint.engine.requests import Limits, Request
from toolkit.lint.engine.toolsets import Together, read_together, together_record
from toolkit.problems import errors_among
from toolkit.redactors.redactor import Redactor, redactor_of_environment
from toolkit.regular_files import bounded_bytes
from toolkit.releases import __version__
from toolkit.replacing import remove_beneath, write_cached
from toolkit.settings.configuration import Configuration
from toolkit.source_code.project_files import project_files
from toolkit.sources.targets import FilesTarget, parse_target
from toolkit.tools.secret_arguments import secrets_of_schema

_FORMAT = 6
_KEPT_SETTINGS = 8
_LARGEST = 256 * 1024 * 1024
_KEPT_TOGETHER = 8
_ANY_FILE = "any.py"
_DAMAGED = (AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError)
"""Exceptions raised by a damaged entry, which is then ignored."""
_PLACES = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
_UNCERTAIN = {NOT_FOUND, DOES_NOT_IMPORT, HIDDEN_MODULE}

_OBJECT = re.compile(r'\["object","[0-9a-f]+",\d+\],?')
"""The identity of an object, which differs each time that its file is opened, also if its tools are the same."""


class Cache:
    """The results of earlier checks for the same providers and limits, for every selection of rules.

    The first line of its file is an index, which is all that a run without changes reads. It is followed by one line
    for each entry of the index, in the same order, with the tools of the entry.
    """

    def __init__(self, file: Path | None) -> None:
        """Read the cached results; without a file, the cache is empty and stores nothing."""
        self.is_kept = file is not None
        self._file = file
        self._entries: dict[str, Any] = {}
        self._together: dict[str, Any] = {}
        self._tools: dict[str, bytes] = {}
        self._is_changed = False
        self._states = FileStates()
        self._listed: dict[str, str] = {}
        self._projects: dict[str, Any] = {}
        self._project_digests: dict[str, str] = {}
        if file is not None:
            self._read(file)

    @classmethod
    def open(cls, folder: Path | None, configuration: Configuration, settings: LintSettings, limits: Limits) -> "Cache":
        """Return the cache in a folder for these settings; without a folder, an empty one that stores nothing."""
        if folder is None:
            return cls(None)
        interpreter = settings.interpreter
        key = _digest_of(
            [
                __version__,
                _state_of_code(),
                sys.version,
                sys.path,
                [_changed(place) for place in dict.fromkeys([*_PLACES, *(interpreter.places if interpreter else ())])],
                interpreter,
                configuration_record(configuration),
                settings.providers,
                sorted(settings.limits.items()),
                settings.is_static,
                settings.tool_decorators,
                limits,
            ]
        )
        return cls(folder / f"lint-{key}.json")

    def find(self, request: Request) -> Report | None:
        """Return the cached report of a file, if nothing has changed since."""
        entry = self._entries.get(request.file or "")
        try:
            return None if entry is None else self._found(entry, request)
        except _DAMAGED:
            return None

    def _found(self, entry: Any, request: Request) -> Report | None:
        if entry["is_named"] != request.is_named:
            return None
        for file, known in entry["files"].items():
            before = list(known)
            if not self._states.is_same(file, known):
                return None
            self._is_changed = self._is_changed or known != before
        if any(self._listing(listing) != known for listing, known in entry["listings"].items()):
            return None
        if any(self._project(folder) != known for folder, known in entry["projects"].items()):
            return None
        text = self._tools[str(request.file)]
        if digest(text) != entry["tools"]:
            return None
        return read_report(entry["report"], KeptTools(text, entry["report"]["count"]))

    def keep(self, request: Request, report: Report) -> Report:
        """Cache a report if all its dependencies are known; return it with the digest of its tools."""
        if not self.is_kept:
            return report
        text = json.dumps([definition_record(tool) for tool in report.tools], default=repr, separators=(",", ":"))
        mark = digest(_OBJECT.sub("", text).encode())
        report = report._replace(mark=mark if all(tool.identity for tool in report.tools) else "")
        if request.file is None or report.needs is None or not report.mark or not _is_repeatable(request, report):
            return report
        record = report_record(report)
        if _holds_secret(f"{json.dumps(record)}\n{text}", report):
            return report
        self._entries[request.file] = {
            "is_named": request.is_named,
            "files": {f: self._states.record(f) for f in dict.fromkeys([request.file, *report.needs["files"]])},
            "listings": {listing: self._listing(listing) for listing in map(json.dumps, report.needs["listings"])},
            "projects": {folder: self._project(folder) for folder in report.needs["projects"]},
            "report": record,
            "tools": digest(text.encode()),
        }
        self._tools[request.file] = text.encode()
        self._is_changed = True
        return report

    def find_together(self, key: str) -> Together | None:
        """Return the cached findings about all tools together, by a key made of the reports' digests."""
        try:
            return read_together(self._together[key])
        except _DAMAGED:
            return None

    def store_together(self, key: str, found: Together) -> None:
        """Cache the findings about all tools together, for the last few checks."""
        if self.is_kept:
            newest = list(self._together.items())[1 - _KEPT_TOGETHER :]
            self._together = {**dict(newest), key: together_record(found)}
            self._is_changed = True

    def save(self) -> None:
        """Write the cache to its file; errors in writing are ignored."""
        if self._file is None or not self._is_changed:
            return
        folder = self._file.parent
        with suppress(OSError):
            write_cached(self._file, self._content())
            for old in sorted(folder.glob("lint-*.json"), key=_changed, reverse=True)[_KEPT_SETTINGS:]:
                remove_beneath(folder.parent, old)

    def _content(self) -> bytes:
        entries = {file: entry for file, entry in self._entries.items() if os.path.exists(file)}  # noqa: PTH110
        folders = {folder for entry in entries.values() for folder in entry["projects"]}
        projects = {folder: self._projects[folder] for folder in self._projects if folder in folders}
        index = {"format": _FORMAT, "entries": entries, "together": self._together, "projects": projects}
        written = json.dumps(index, default=repr, separators=(",", ":")).encode()
        return b"\n".join([written, *(self._tools[file] for file in entries)])

    def _read(self, file: Path) -> None:
        """Read the file; if it is not a valid cache, the cache stays empty."""
        try:
            first, *lines = bounded_bytes(file, most=_LARGEST).split(b"\n")
            found = json.loads(first)
            entries, together = {_FORMAT: found}[found["format"]]["entries"], found["together"]
            self._projects = dict(found["projects"])
            self._tools = dict(zip(entries, lines, strict=True))
            self._entries, self._together = dict(entries), dict(together)
        except (OSError, *_DAMAGED):
            return

    def _listing(self, listing: str) -> str:
        if listing not in self._listed:
            text, base = json.loads(listing)
            target = parse_target(text, Path(base))
            self._listed[listing] = _digest_of(
                list(map(str, target.paths)) if isinstance(target, FilesTarget) else None
            )
        return self._listed[listing]

    def _project(self, folder: str) -> str:
        """Return a digest of all Python files of the project in a folder; the states of its files are stored once."""
        if folder not in self._project_digests:
            files = list(map(str, project_files(os.path.join(folder, _ANY_FILE))))  # noqa: PTH118 - as above
            known = self._projects.get(folder)
            if known is None or not (list(known) == files and all(map(self._states.is_same, files, known.values()))):
                self._projects[folder] = {file: self._states.record(file) for file in files}
                self._is_changed = True
            self._project_digests[folder] = _digest_of([[file, self._projects[folder][file][0]] for file in files])
        return self._project_digests[folder]


def _is_repeatable(request: Request, report: Report) -> bool:
    """Return whether the result would be the same later: a missing module may be installed, and a crash may not recur.

    A pipeline file with errors never counts, since more than one code can report an unknown name in it.
    """
    if any(problem.code in _UNCERTAIN for problem in report.problems):
        return False
    return not (request.kind == "pipeline" and errors_among(report.problems))


def _holds_secret(text: str, report: Report) -> bool:
    """Return whether the cache would contain a secret; such a file is not cached."""
    specs = [tool.spec for tool in report.tools if tool.spec is not None]
    given = (secret for spec in specs for secret in secrets_of_schema(spec.parameters, spec.examples))
    return Redactor(*given, outer=redactor_of_environment()).text(text) != text


def _digest_of(data: Any) -> str:
    return digest(json.dumps(data, default=repr).encode())


def _changed(place: str | Path | None) -> int:
    try:
        return os.stat(place).st_mtime_ns if place else 0  # noqa: PTH116 - as above
    except OSError:
        return 0


def _state_of_code() -> list[tuple[str, int]]:
    """Return the modification times of this package's files, unless it is installed in site-packages."""
    root = Path(__file__).resolve().parents[2]
    if "site-packages" in root.parts:
        return []
    return sorted((str(file), _changed(file)) for file in root.rglob("*.py"))
