"""Imports the modules in users' folders from their source, and never from compiled files, which can contain other code.

Python prefers the bytecode in `__pycache__` and compiled modules such as `tools.so` to the source next to them, and
would also write bytecode into the folder, even through a link. Installed packages are imported as usual.
"""

import os
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from toolkit.regular_files import MOST_OF_PYTHON, bounded_bytes

_PYTHON = ".py"
_INSTALLED = {"site-packages", "dist-packages"}
_PATH_AT_START = tuple(sys.path[1:])
"""Where Python looks for modules, without the folder of the script or the working directory, which it adds itself."""

_folders: set[str] = set()


class SourceLoader(SourceFileLoader):
    """Compiles a module from its source, and neither reads nor writes bytecode."""

    def get_code(self, fullname: str) -> CodeType:
        """Return the code of the module.

        Raises:
            OSError: If its file cannot be read, is not a regular file or is too large.
            SyntaxError: If it has a syntax error.
        """
        file = self.get_filename(fullname)
        code: CodeType = self.source_to_code(bounded_bytes(file, most=MOST_OF_PYTHON), file)
        return code


def use_source_in(folder: str) -> None:
    """From now on, import the modules in a folder, given by its real path, and below it from their source."""
    if folder in _folders:
        return
    _folders.add(folder)
    if _finder_of not in sys.path_hooks:
        sys.path_hooks.insert(0, _finder_of)
    for known in list(sys.path_importer_cache):
        if _is_beneath(os.path.realpath(known), folder):
            del sys.path_importer_cache[known]


def import_source(name: str, file: str | Path, search: list[str] | None = None) -> ModuleType:
    """Run a file as a module, which stays in `sys.modules` unless it raises.

    Args:
        name: The name of the module.
        file: Its file.
        search: The folders of its submodules, if it is a package.
    """
    loader = SourceLoader(name, str(file))
    spec = spec_from_file_location(name, file, loader=loader, submodule_search_locations=search)
    assert spec is not None  # there is one for any file with a loader
    sys.modules[name] = module = module_from_spec(spec)
    try:
        loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def compiled_files_of(name: str, folders: Sequence[str]) -> list[str]:
    """Return the compiled files that Python would import as a module, if it were not in a user's folder."""
    suffixes = (*EXTENSION_SUFFIXES, ".pyc")
    candidates = (os.path.join(folder, f"{name}{suffix}") for folder in folders for suffix in suffixes)
    return [file for file in candidates if os.path.isfile(file)]


class _SourceFinder(FileFinder):
    """Finds modules in a folder by their source, or else compiled ones, if the folder is part of an installation."""

    def __init__(self, folder: str, *, compiled: bool) -> None:
        super().__init__(folder, (SourceLoader, [_PYTHON]))
        self._compiled = FileFinder(folder, (ExtensionFileLoader, EXTENSION_SUFFIXES)) if compiled else None

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        found = super().find_spec(fullname, target)
        if self._compiled is None or (found is not None and found.loader is not None):
            return found
        other = self._compiled.find_spec(fullname, target)
        return other if other is not None and other.loader is not None else found

    def invalidate_caches(self) -> None:
        super().invalidate_caches()
        if self._compiled is not None:
            self._compiled.invalidate_caches()


def _finder_of(folder: str) -> Any:
    """Return the finder for a folder of a user; a path hook, which raises ImportError for other folders."""
    real = os.path.realpath(folder)
    if not os.path.isdir(real) or not _is_of_users(real):
        raise ImportError("not a folder of a user", path=folder)
    return _SourceFinder(folder or real, compiled=any(_is_beneath(real, entry) for entry in _searched_at_start()))


def _is_of_users(folder: str) -> bool:
    """Whether the innermost known folder around this one is a user's, and not one with installed packages."""
    while folder not in _installed():
        if folder in _folders:
            return True
        outer = os.path.dirname(folder)
        if outer == folder:
            return False
        folder = outer
    return False


def _is_beneath(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


@cache
def _searched_at_start() -> frozenset[str]:
    """Return where this Python finds modules on its own: an editable install puts a project's folder there."""
    return frozenset(map(os.path.realpath, filter(None, _PATH_AT_START)))


@cache
def _installed() -> frozenset[str]:
    """Return the folders with installed packages, the standard library, and our own code."""
    own = [getattr(sys.modules.get(name), "__path__", ()) for name in ("toolkit", "toolkit_cli")]
    standard = [sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
    packages = [entry for entry in _PATH_AT_START if _INSTALLED.intersection(Path(entry).parts)]
    return frozenset(map(os.path.realpath, [*(place for path in own for place in path), *standard, *packages]))
