"""Adds comments that suppress all current findings to their files, so that only new ones are reported.

A comment is added at the end of the line, or at the end of a multi-line string. To make sure that nothing else changes,
the parsed Python or YAML is compared before and after.
"""

import ast
import io
import os
import re
import tokenize
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from toolkit.codes import UNUSED_SUPPRESSION
from toolkit.documents import parse_document, plain
from toolkit.lint.changes.fixing import Change, text_of
from toolkit.lint.configuration.suppressions import silence, suppressions_in
from toolkit.problems import Problem
from toolkit.source_code.newer_syntax import parse_source

_CODES = re.compile(r"(#\s*toolkit:\s*ignore\[[^\]\r\n]*)\]")
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END = re.compile(r"[ \t]*(\r\n|\n|\r|$)")


class Silenced(NamedTuple):
    """The changes of the files, and the findings that no comment can suppress."""

    changes: list[Change]
    left: list[Problem]


def silence_with_comments(problems: Iterable[Problem]) -> Silenced:
    """Return the changes that suppress the findings with comments.

    Findings that cannot be suppressed remain: those in JSON, which has no comments, those without a file or a line, and
    those in a line that cannot end with a comment.
    """
    by_file: dict[str, list[Problem]] = {}
    left, changes = [], []
    for problem in problems:
        if problem.location is None or problem.code in {"", UNUSED_SUPPRESSION}:
            left.append(problem)
        else:
            by_file.setdefault(problem.location.file, []).append(problem)
    for file, found in by_file.items():
        change = _changed(file, found)
        changes += [change] if change.solved else []
        left += [problem for problem in found if problem not in change.solved]
    return Silenced(changes, left)


def _changed(file: str, problems: list[Problem]) -> Change:
    """Return the file with comments wherever they suppress a finding and change nothing else."""
    before = text_of(file)
    reader = _READERS.get(Path(file).suffix)
    meaning = reader and reader(before)
    if meaning is None or reader is None:
        return Change(file, before, before, ())
    wanted = _by_line(problems, _ends_of_texts(before) if file.endswith(".py") else {})
    after = _with_comments(before, wanted)
    if reader(after) != meaning:
        after = before
        for line, codes in wanted.items():
            tried = _with_comments(after, {line: codes})
            after = tried if reader(tried) == meaning else after
    loud = silence(problems, suppressions_in(os.path.realpath(file), after)).problems
    return Change(file, before, after, tuple(problem for problem in problems if problem not in loud))


def _by_line(problems: Iterable[Problem], ends: Mapping[int, int]) -> dict[int, list[str]]:
    """Return the codes that each line is to silence."""
    wanted: dict[int, list[str]] = {}
    for problem in problems:
        if problem.location and problem.location.line:
            line = ends.get(problem.location.line, problem.location.line)
            codes = wanted.setdefault(line, [])
            codes += [problem.code] if problem.code not in codes else []
    return wanted


def _with_comments(text: str, wanted: Mapping[int, list[str]]) -> str:
    lines = _LINES.findall(text)
    for number, codes in wanted.items():
        if number <= len(lines):
            lines[number - 1] = _with_comment(lines[number - 1], sorted(codes))
    return "".join(lines)


def _with_comment(line: str, codes: list[str]) -> str:
    found = _CODES.search(line)
    if found:
        return f"{line[: found.end(1)]}, {', '.join(codes)}{line[found.end(1) :]}"
    end = _LINE_END.search(line)
    start = end.start() if end else len(line)
    return f"{line[:start]}  # toolkit: ignore[{', '.join(codes)}]{end[1] if end else ''}"


def _ends_of_texts(text: str) -> dict[int, int]:
    """Return the last line of each multi-line string, by each of its lines."""
    ends: dict[int, int] = {}
    try:
        for token in tokenize.generate_tokens(io.StringIO(text.removeprefix("\ufeff")).readline):
            if token.type == tokenize.STRING and token.end[0] > token.start[0]:
                begun = [line for line, end in ends.items() if end == token.start[0]]
                ends |= dict.fromkeys([*begun, *range(token.start[0], token.end[0])], token.end[0])
    except (tokenize.TokenError, SyntaxError):
        return {}
    return ends


def _python_meaning(text: str) -> str | None:
    try:
        return ast.dump(parse_source(text.removeprefix("\ufeff")))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _yaml_meaning(text: str) -> Any:
    root, problems = parse_document(text, "")
    return None if problems or root is None else [plain(root)]


_READERS: dict[str, Callable[[str], Any]] = {
    ".py": _python_meaning,
    ".yaml": _yaml_meaning,
    ".yml": _yaml_meaning,
}
