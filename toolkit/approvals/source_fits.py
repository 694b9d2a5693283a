"""Checks whether a tool's source is the one that a rule names: a file, a module, `builtin` or `mcp://server`."""

import os
import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase

from toolkit.approvals.risks import server_of
from toolkit.approvals.spellings import folded

_FILES = (".py", ".yaml", ".yml", ".toml")
_MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")


def is_from(pattern: str, source: str, folder: str | None) -> bool:
    """Return whether a source, as it is written, matches a pattern, which can be a path relative to the folder."""
    beneath = None if folder is None else os.path.join(folder, "")  # noqa: PTH118 - to get a separator at the end
    texts = (source,) if beneath is None else (source, source.removeprefix(beneath))
    wanted = os.path.expanduser(pattern)  # noqa: PTH111 - text
    if wanted.startswith(os.sep) and source.endswith(_FILES):  # the source can be relative to the working directory
        texts = (*texts, os.path.realpath(source))
    return any(fnmatchcase(text, wanted) for text in texts)


def leads_to(pattern: str, source: str, folder: str) -> bool:
    """Return whether a source could be the one that a pattern means, however both are written.

    Links are followed in both, case does not matter, and a module is the same as its file.
    """
    if is_from(pattern, source, folder):
        return True
    if server_of(source) is not None or server_of(pattern) is not None:
        return False
    files = {folded(file) for file in _files_of(source)}
    if _MODULE.fullmatch(pattern):
        path = folded(f"/{pattern.replace('.', '/')}")
        if any(file.removesuffix(".py").removesuffix("/__init__").endswith(path) for file in files):
            return True
    return any(fnmatchcase(file, wanted) for wanted in set(_wanted_files(pattern, folder)) for file in files)


def _files_of(source: str) -> Iterator[str]:
    """Yield the absolute and the real path of the file that a source is, or that a module was imported from."""
    file = source
    if not source.endswith(_FILES) and _MODULE.fullmatch(source):
        module = sys.modules.get(source)
        loaded = getattr(module, "__file__", None)
        if not isinstance(loaded, str):
            return
        file = loaded
    if "\0" not in file:
        yield from (os.path.abspath(file), os.path.realpath(file))  # noqa: PTH100 - text


def _wanted_files(pattern: str, folder: str) -> Iterator[str]:
    path = os.path.abspath(os.path.join(folder, os.path.expanduser(pattern)))  # noqa: PTH100, PTH111, PTH118 - text
    yield folded(path)
    if not any(sign in path for sign in "*?[\0"):
        yield folded(os.path.realpath(path))
    else:
        head, tail = os.path.split(path)
        if not any(sign in head for sign in "*?[\0"):
            yield folded(os.path.join(os.path.realpath(head), tail))  # noqa: PTH118 - text
