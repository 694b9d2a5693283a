"""Find the files in a folder that can contain tools, pipelines or agents."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from toolkit.regular_files import MOST_OF_SOURCE, open_regular
from toolkit.sources.configuration import POLICY_FILE

PYTHON = ".py"
YAML = (".yaml", ".yml")
SUFFIXES = (PYTHON, *YAML)

_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages"})
# The Python files among these are run by other programs, and have effects when imported.
_SKIPPED_FILES = frozenset({"conftest.py", "setup.py", "noxfile.py", "__main__.py", POLICY_FILE})

_OF_TOOLS = re.compile(rb"tool|def execute|kernel_function", re.IGNORECASE)
_OUR_KEY = re.compile(r"""^(?:["']?(?:toolkit|steps)["']?[ \t]*:|["']?agent["']?[ \t]*:[ \t]*["']?\w)""", re.MULTILINE)
_ENOUGH_TO_TELL = 1024 * 1024


def tool_files(folder: Path) -> list[Path]:
    """Return the Python files, pipelines and agents in a folder and below it, sorted.

    Hidden folders and files, virtual environments, installed packages, tests, other Python files in test folders below
    this one, policies and other YAML files are left out. A file that is reachable by two paths is returned once.
    """
    found: dict[str, Path] = {}
    for path in files_below(folder, SUFFIXES):
        if path.suffix == PYTHON or means_tool(path):
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def means_tool(path: Path) -> bool:
    """Whether a YAML file is meant as a pipeline or agent: it has `steps`, `toolkit` or `agent` at its top level.

    Only the text is searched, so that files with YAML errors count, too. `agent` needs a word as its value.
    """
    try:
        with open_regular(path) as stream:
            text = stream.read(_ENOUGH_TO_TELL).decode("utf-8", errors="replace")
    except OSError:
        return True  # opening it reports why it cannot be read
    return _OUR_KEY.search(text.removeprefix("\ufeff")) is not None


def mentions_tools(path: Path) -> bool:
    """Whether the text of a Python file that cannot be parsed mentions tools; if not, it was not meant to have any."""
    try:
        with open_regular(path) as stream:
            return _OF_TOOLS.search(stream.read(MOST_OF_SOURCE)) is not None
    except OSError:
        return True  # opening it reports why it cannot be read


def files_below(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """Return the files with these suffixes in a folder and below it, sorted, without skipped folders and files."""
    found = []
    for where, files in _walked(folder):
        is_of_tests = any(map(_holds_tests, Path(where).relative_to(folder).parts))
        found += [
            Path(where, name)
            for name in files
            if name.endswith(suffixes) and not _is_skipped_file(name) and not (is_of_tests and name.endswith(PYTHON))
        ]
    return sorted(found)


def _walked(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder that is not skipped, and the names of its files; `os.walk` fails in deeply nested folders."""
    waiting = [str(folder)]
    while waiting:
        where = waiting.pop()
        files: list[str] = []
        with suppress(OSError), os.scandir(where) as entries:
            for entry in entries:
                if not _is_folder(entry):
                    files.append(entry.name)
                elif not entry.is_symlink() and not _is_skipped_folder(where, entry.name):
                    waiting.append(entry.path)
        yield where, files


def _is_folder(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_skipped_folder(where: str, name: str) -> bool:
    return name.startswith(".") or name in _SKIPPED_FOLDERS or os.path.exists(os.path.join(where, name, "pyvenv.cfg"))  # noqa: PTH110, PTH118 - Path objects are slow in large trees


def _holds_tests(name: str) -> bool:
    """Whether a folder with this name contains tests, and tools that only tests use."""
    return name in {"test", "tests"} or name.endswith("_tests")


def _is_skipped_file(name: str) -> bool:
    is_test = name.endswith(PYTHON) and (name.startswith("test_") or name.endswith("_test.py"))
    return is_test or name.startswith(".") or name in _SKIPPED_FILES
