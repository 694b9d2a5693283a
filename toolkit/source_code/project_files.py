"""Find the files of a project, or in a folder."""

import os
import re
from collections.abc import Container, Iterator
from contextlib import suppress
from pathlib import Path

from toolkit.regular_files import bounded_bytes
from toolkit.source_code.module_files import PYTHON, place_in_package

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages"})
# What a virtual environment consists of. Its folder may hold a project as well, after `python -m venv .`.
_ENVIRONMENT_FILE = "pyvenv.cfg"
_ENVIRONMENT_FOLDERS = frozenset({"bin", "etc", "include", "lib", "lib64", "share", "Include", "Lib", "Scripts"})
_ENVIRONMENT_SOURCES = "src"  # checkouts that pip has installed, unless the whole project is in the environment
# These are run by other programs, and have effects when imported.
_SKIPPED_FILES = frozenset({"conftest.py", "setup.py", "noxfile.py"})
_PROGRAM = "__main__.py"
_GUARD = re.compile(rb"""^if __name__ == ['"]__main__['"]:""", re.MULTILINE)
_ROOTS = ("pyproject.toml", "setup.py", ".git")


def project_files(file: str) -> list[Path]:
    """Return the Python files of the project of a file, sorted; without a project, those in its own folder."""
    folder, is_whole = project_folder(file)
    return files_below(folder, (PYTHON,)) if is_whole else sorted(folder.glob(f"*{PYTHON}"))


def project_folder(file: str) -> tuple[Path, bool]:
    """Return the nearest folder around a file with a project file, and that it belongs to the project as a whole.

    Without a project file, this is its outermost package, or else its own folder, which may contain anything.
    """
    folder = Path(file).parent
    for one in (folder, *folder.parents):
        if any((one / name).exists() for name in _ROOTS):
            return one, True
    outer, names = place_in_package(file)
    package = Path(outer, names[0])
    return (package, True) if package.is_dir() else (folder, False)


def files_below(folder: Path, suffixes: tuple[str, ...], hidden: Container[str] = ()) -> list[Path]:
    """Return the files with these suffixes in a folder and below it, sorted, without skipped folders and files.

    Args:
        folder: The folder.
        suffixes: How the names of the files end.
        hidden: The names of hidden folders that are not skipped.
    """
    found = []
    for where, files in _walked(folder, hidden):
        is_of_tests = any(map(_holds_tests, Path(where).relative_to(folder).parts))
        found += [
            Path(where, name)
            for name in files
            if name.endswith(suffixes) and not (_is_skipped_file(name) or (is_of_tests and name.endswith(PYTHON)))
        ]
    return sorted(found)


def runs_on_import(file: Path) -> bool:
    """Return whether a file is the program of a package, and does what it does even if it is only imported."""
    if file.name != _PROGRAM:
        return False
    with suppress(OSError):
        return _GUARD.search(bounded_bytes(file)) is None
    return True


def _walked(folder: Path, hidden: Container[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder that is not skipped, and the names of its files; `os.walk` fails in deeply nested folders."""
    waiting = [str(folder)]
    while waiting:
        where = waiting.pop()
        files: list[str] = []
        folders: list[os.DirEntry[str]] = []
        with suppress(OSError), os.scandir(where) as entries:
            for entry in entries:
                if not _is_folder(entry):
                    files.append(entry.name)
                elif not entry.is_symlink() and (entry.name in hidden or not _is_skipped_folder(entry.name)):
                    folders.append(entry)
        if _ENVIRONMENT_FILE in files:
            made = _ENVIRONMENT_FOLDERS if where == str(folder) else {*_ENVIRONMENT_FOLDERS, _ENVIRONMENT_SOURCES}
            folders = [one for one in folders if one.name not in made]
        waiting += [one.path for one in folders]
        yield where, files


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_skipped_folder(name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED_FOLDERS


def _holds_tests(name: str) -> bool:
    """Whether a folder with this name contains tests, and tools that only tests use, in any spelling such as `TEST`."""
    return name.lower() in {"test", "tests"} or name.lower().endswith("_tests")


def _is_skipped_file(name: str) -> bool:
    is_test = name.endswith(PYTHON) and (name.startswith("test_") or name.endswith("_test.py"))
    return is_test or name.startswith(".") or name in _SKIPPED_FILES
