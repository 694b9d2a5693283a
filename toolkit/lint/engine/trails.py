"""Records, in the child process, which files of a project the result for a file depends on.

A file depends on what it imports, on what it reads while it is imported, and on the dependencies of these. Imports are
recorded by replacing Python's import functions, files that are read by Python's audit events, and files that a pipeline
names when they are opened. Installed packages do not count; changes in them are noticed in another way.
"""

import builtins
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

from toolkit.problems import Problem
from toolkit.settings.configuration import Configuration
from toolkit.source_code.module_files import is_installed
from toolkit.sources.collected import Collected
from toolkit.sources.import_permissions import Chooser
from toolkit.sources.opening import SourceOpener
from toolkit.sources.targets import FilesTarget, Target, file_of_class

_CONFIGURED = "the configured sources"
_REQUEST = "the request"


class Trail:
    """Records imports, file reads and opened sources."""

    def __init__(self) -> None:
        """Start recording, which cannot be undone."""
        self._dependencies: dict[str, set[str]] = {}
        self._listings: dict[str, set[tuple[str, str]]] = {}
        self._now: list[str] = []
        self._is_ours = False
        sys.addaudithook(self._on_audit_event)
        self._watch_imports()

    def begin(self) -> None:
        """Start a new request."""
        self._now = [_REQUEST]
        self._dependencies.pop(_REQUEST, None)
        self._listings.pop(_REQUEST, None)

    def end(self) -> dict[str, Any]:
        """Return the files that the request's result depends on, and the folders and patterns whose files it lists."""
        known, todo = set[str](), list(self._now)
        while todo:
            file = todo.pop()
            if file not in known:
                known.add(file)
                todo += self._dependencies.get(file, ())
        listings = {listing for file in known for listing in self._listings.get(file, ())}
        self._now = []
        return {"files": sorted(known - {_CONFIGURED, _REQUEST}), "listings": sorted(listings), "projects": []}

    @contextmanager
    def follow(self, file: str) -> Iterator[None]:
        """Record that the current file depends on another one, which is the current one within the `with` block."""
        self._note(file)
        self._now.append(file)
        try:
            yield
        finally:
            self._now.pop()

    def lists(self, text: str, base: str) -> None:
        """Record that the current file depends on the list of files in a folder or pattern."""
        if self._now:
            self._listings.setdefault(self._now[-1], set()).add((text, base))

    def _note(self, file: str, of: str | None = None) -> None:
        if self._now and not is_installed(file):
            self._dependencies.setdefault(of or self._now[-1], set()).add(file)

    def _on_audit_event(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Record a file that is read; must not raise, since that would prevent the reading."""
        if event != "open" or not self._now or self._is_ours:
            return
        path, mode = arguments[0], arguments[1]
        if isinstance(path, str | bytes) and not (isinstance(mode, str) and set(mode) & set("wax+")):
            self._is_ours = True
            try:
                name = os.path.realpath(os.fsdecode(path))
                if not name.endswith(".pyc") and os.path.isfile(name):  # noqa: PTH113
                    self._note(name)
            except (OSError, ValueError):
                pass  # not a valid file name
            finally:
                self._is_ours = False

    def _watch_imports(self) -> None:
        imports, imports_by_name = builtins.__import__, importlib.import_module

        def watched(
            name: str,
            globals: Mapping[str, Any] | None = None,  # noqa: A002 - as in Python's own function
            locals: Mapping[str, Any] | None = None,  # noqa: A002
            fromlist: Sequence[str] | None = (),
            level: int = 0,
        ) -> ModuleType:
            before = len(sys.modules)
            module = imports(name, globals, locals, fromlist or (), level)
            if self._now:
                self._imported(module, globals, fromlist, is_new=len(sys.modules) > before)
            return module

        def watched_by_name(name: str, package: str | None = None) -> ModuleType:
            module = imports_by_name(name, package)
            self._depend_on_module(module, None)
            return module

        builtins.__import__ = watched
        importlib.import_module = watched_by_name

    def _imported(
        self, module: ModuleType, importer: Mapping[str, Any] | None, names: Sequence[str] | None, *, is_new: bool
    ) -> None:
        """Record that a module has imported another one, its packages, and any submodules among the names."""
        file = importer and importer.get("__file__")
        of = os.path.realpath(file) if isinstance(file, str) else None
        if of is not None and is_installed(of) and not is_new:
            return
        self._depend_on_module(module, of)
        for name in names or ():
            self._depend_on_module(sys.modules.get(f"{module.__name__}.{name}"), of)

    def _depend_on_module(self, module: ModuleType | None, of: str | None) -> None:
        while module is not None:
            file = getattr(module, "__file__", None)
            if isinstance(file, str):
                self._note(os.path.realpath(file), of)
            module = sys.modules.get(module.__name__.rpartition(".")[0])


class FollowedOpener(SourceOpener):
    """Opens sources, and records the files in the trail."""

    def __init__(self, configuration: Configuration, refused: Mapping[str, Problem], trail: Trail) -> None:
        """Create the opener; nothing is opened yet."""
        super().__init__(configuration, refused, looks=True)
        self._trail = trail

    def open_parsed(
        self, target: Target | Problem, base: Path, chooser: Chooser = "user", *, is_configured: bool = False
    ) -> Collected:
        """Open a target; the files of a folder or a pattern are a dependency."""
        if isinstance(target, FilesTarget) and not target.is_single:
            self._trail.lists(target.spelled, str(base.absolute()))
        return super().open_parsed(target, base, chooser, is_configured=is_configured)

    def find(self, name: str, *, in_configured: bool = True) -> Collected | None:
        """Return the tool with a name; a configured one depends on all configured sources."""
        with self._trail.follow(_CONFIGURED) if in_configured else nullcontext():
            return super().find(name, in_configured=in_configured)

    def open_class(self, text: str, base: Path) -> type | list[Problem]:
        """Return a class; its file is a dependency even if it was imported before."""
        file = file_of_class(text, base)
        with nullcontext() if file is None else self._trail.follow(os.path.realpath(file)):
            return super().open_class(text, base)

    def _open_file(self, path: Path, name: str | None, chooser: Chooser, *, is_walked: bool = False) -> Collected:
        with self._trail.follow(os.path.realpath(path)):
            return super()._open_file(path, name, chooser, is_walked=is_walked)
