"""Files that a project has left behind: backups and old versions, which nothing imports."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint.engine.requests import Request
from toolkit.problems import Problem

_NAME = re.compile(r".*_(?:old|backup|bak)(?:[_\d].*)?", re.IGNORECASE)
_FOLDERS = {"archive", "archived", "archives", "backup", "backups"}


def milder_in_left_over_files(problems: Iterable[Problem], requests: Sequence[Request]) -> Iterator[Problem]:
    """Yield the problems; that a file cannot be imported is an `info` if it is left over and was not named."""
    for problem in problems:
        file = problem.location.file if problem.location and problem.code == DOES_NOT_IMPORT else ""
        is_left = bool(file) and _looks_left_over(file, requests) and not _is_mentioned(file, requests)
        yield replace(problem, severity="info") if is_left else problem


def _looks_left_over(file: str, requests: Sequence[Request]) -> bool:
    request = next((one for one in requests if one.file == file and not one.is_named), None)
    if request is None:
        return False
    *folders, _ = Path(request.target).parts
    return bool(_NAME.fullmatch(Path(file).stem) or _FOLDERS & {one.lower() for one in folders})


def _is_mentioned(file: str, requests: Sequence[Request]) -> bool:
    """Whether another of the Python files has the name of this one as a word, as an import has."""
    word = re.compile(rb"\b" + re.escape(Path(file).stem).encode() + rb"\b")
    others = (Path(one.file) for one in requests if one.kind == "python" and one.file and one.file != file)
    return any(word.search(one.read_bytes()) for one in others if one.is_file())
