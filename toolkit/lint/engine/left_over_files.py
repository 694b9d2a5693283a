"""Files that no one imports: backups, pasted output, fragments, copies of others, generated files, notebooks."""

import re
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from toolkit.codes import DOES_NOT_IMPORT
from toolkit.lint.engine.requests import Request
from toolkit.problems import Problem
from toolkit.regular_files import bounded_bytes
from toolkit.source_code.requirements import oldest_python
from toolkit.source_code.sample_files import says_it_was_replaced
from toolkit.source_code.tool_hints import imports_framework, is_about_tools

_MADE_ELSEWHERE = {
    "build", "dist", "external", "generated", "template", "templates", "third_party", "thirdparty", "vendor",
    "vendored", "_vendor",
}  # fmt: skip
_FRAGMENT = re.compile(rb"(?:\xef\xbb\xbf)?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]+[^\s#]")
_FENCED = re.compile(rb"^```.*?^```[^\n]*$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(rb"^(?:import|from|class|def|async def|@)\b", re.MULTILINE)
_FOR_TEMPLATES = re.compile(r"\{\{|[_-]templates?$", re.IGNORECASE)
"""What the name of a folder contains if a program fills in the files in it."""
_TEMPLATE = re.compile(
    rb"^[ \t]*\{[%#]|\{\{[- ]?cookiecutter|^[ \t]*\{\{[- ]?\w+"
    rb"|^[ \t]*(?:from|import|class|(?:async )?def) (?:[\w.]*(?:\{\{[^}\n]*\}\}|\$\{[^}\n]*\})|<\w+>)(?![ \t]*from\b)"
    rb"|^[ \t]*(?:from|class|(?:async )?def) [\w.]*\{\w+\}",
    re.MULTILINE,
)
"""The blanks of a template: at the start of a line, or in the name after `import`, `class` or `def`."""
_BLANK = re.compile(rb"^[ \t]*[\w.\[\]\"']+[ \t]*=[ \t]*#[^\n]*$", re.MULTILINE)
"""Where an exercise has a comment for what somebody is to write: `result = # Add code here`."""
_OF_NOTEBOOK = re.compile(rb"^[ \t]*[!%](?:pip|conda|apt|apt-get|cd|load_ext|matplotlib|env|run)\b", re.MULTILINE)

_OF_PYTHON_2 = (
    "Missing parentheses in call to",
    "multiple exception types must be parenthesized",
    "leading zeros in decimal integer",
    "expression parameters cannot be parenthesized",
    "inconsistent use of tabs and spaces",
)
"""What Python says of the syntax of Python 2, for which no framework of tools was ever written."""
_LONG = re.compile(rb"(?<![\w.])(?:0[xX][0-9a-fA-F]+|\d+)[lL](?!\w)")
"""An integer of Python 2, such as `0x10L`, which Python calls an invalid literal."""


def milder_in_left_over_files(problems: Sequence[Problem], requests: Sequence[Request]) -> Iterator[Problem]:
    """Yield the problems; that a file cannot be imported is an `info` if nobody imports it and it was not named."""
    unread = [one for one in problems if one.code == DOES_NOT_IMPORT and one.location is not None]
    minor = _minor_files(unread, requests) if unread else set()
    for problem in problems:
        is_minor = problem.code == DOES_NOT_IMPORT and problem.location is not None and problem.location.file in minor
        yield replace(problem, severity="info") if is_minor else problem


def _minor_files(unread: Sequence[Problem], requests: Sequence[Request]) -> set[str | None]:
    """Return those of the files that cannot be read on which no tool depends."""
    files = {one.location.file for one in unread if one.location}
    old = {one.location.file for one in unread if one.location and _is_old(one)}
    asked = [one for one in requests if one.file in files and not one.is_named]
    left_over = {one.file for one in asked if _looks_left_over(one)}
    minor = left_over - _mentioned(left_over, requests) if left_over else left_over
    minor |= {one.file for one in asked if _is_no_module(one) or _is_newer(one)}
    minor |= {one.file for one in asked if one.file in old and not _imports_framework(one, with_broad=False)}
    others = {one.file for one in asked if one.file not in minor and not _uses_framework(one)}
    is_about_tools = bool(others) and any(_imports_framework(one, with_broad=True) for one in requests)
    return minor if is_about_tools else minor | others


def _is_old(problem: Problem) -> bool:
    """Return whether a file cannot be read because it is written for Python 2."""
    if any(one in problem.message for one in _OF_PYTHON_2):
        return True
    if problem.location is None or "invalid" not in problem.message or "literal" not in problem.message:
        return False
    with suppress(OSError):
        lines = bounded_bytes(Path(problem.location.file)).splitlines()
        return any(map(_LONG.search, lines[(problem.location.line or 1) - 1 : problem.location.line]))
    return False


def _is_newer(request: Request) -> bool:
    """Return whether the project needs a later version of Python than this one, which may read the file."""
    oldest = oldest_python(request.target)
    return oldest is not None and oldest > sys.version_info[: len(oldest)]


def _looks_left_over(request: Request) -> bool:
    return says_it_was_replaced(Path(request.target)) or not _uses_framework(request)


def _uses_framework(request: Request) -> bool:
    """Return whether a file imports a framework or has the mark of a tool, unlike a script or pasted output."""
    with suppress(OSError):
        return request.file is None or is_about_tools(bounded_bytes(Path(request.file)))
    return True


def _imports_framework(request: Request, *, with_broad: bool) -> bool:
    """Return whether a file imports a framework, which a program of Python 2 cannot."""
    if request.kind != "python" or request.file is None:
        return False
    with suppress(OSError):
        return imports_framework(bounded_bytes(Path(request.file)), with_broad=with_broad)
    return True


def _is_no_module(request: Request) -> bool:
    """Return whether others make a file, or Python does not read it: a notebook, a template, an exercise, Markdown."""
    folders = Path(request.target).parent.parts
    if _MADE_ELSEWHERE & {one.lower() for one in folders} or any(map(_FOR_TEMPLATES.search, folders)):
        return True
    with suppress(OSError):
        text = b"" if request.file is None else bounded_bytes(Path(request.file))
        is_markdown = _FENCED.search(text) is not None and not _CODE.search(_FENCED.sub(b"", text))
        return is_markdown or any(
            (_OF_NOTEBOOK.search(text), _TEMPLATE.search(text), _BLANK.search(text), _FRAGMENT.match(text))
        )
    return False


def _mentioned(files: Collection[str | None], requests: Sequence[Request]) -> set[str | None]:
    """Return those of some files whose name another Python file has as a word, as an import has; each is read once."""
    stems = {file: Path(file).stem.encode(errors="replace") for file in files if file}
    words = re.compile(rb"\b(?:" + b"|".join(map(re.escape, set(stems.values()))) + rb")\b")
    found: set[str | None] = set()
    for request in requests:
        if request.kind == "python" and request.file:
            with suppress(OSError):
                texts = set(words.findall(bounded_bytes(Path(request.file))))
                found |= {file for file, stem in stems.items() if file != request.file and stem in texts}
    return found
