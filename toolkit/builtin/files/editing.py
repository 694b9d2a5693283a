"""Edits a text while keeping its line endings, and computes what that changes, as a diff and as numbers of lines."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from difflib import unified_diff
from typing import Literal, NamedTuple

from toolkit.builtin.regular_expressions import find_matches
from toolkit.errors import ConfigurationError
from toolkit.regex_checks import MalformedExpressionError, TooMuchWorkError

MAX_LINES = 1_000
MAX_CHARACTERS = 100_000
"""Maximum number of characters of a diff; like `MAX_LINES`, a longer diff ends with a note on what it omits."""

_COMPARED_LINES = 2_000
_CONTEXT = 3


def describe_change(path: str, old: str | None, new: str) -> str:
    """Return a unified diff from the old text of a file to the new one.

    Args:
        path: The name of the file, for the head of the diff.
        old: The current text, or `None` if the file would be created.
        new: The new text.
    """
    if old == new:
        return f"{path} stays as it is"
    before, after = lines_of(old or ""), lines_of(new)
    head = ["--- /dev/null\n" if old is None else f"--- {path}\n", f"+++ {path}\n"]
    return "".join(_bounded([*head, *_hunks(before, after)])).removesuffix("\n")


def count_changed_lines(old: str, new: str) -> tuple[int, int]:
    """Return the numbers of added and of removed lines; a line that only moved counts as neither."""
    before, after = Counter(lines_of(old)), Counter(lines_of(new))
    return (after - before).total(), (before - after).total()


def lines_of(text: str) -> list[str]:
    r"""Split a text into lines with their endings; only `\n` ends a line, as in most tools that count lines."""
    *whole, last = text.split("\n")
    return [f"{line}\n" for line in whole] + ([last] if last else [])


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    if len(before) + len(after) > _COMPARED_LINES or not before:
        lines = _one_hunk(before, after)
    else:
        # The first two lines are a head, which cannot express that a file is missing.
        lines = list(unified_diff(before, after, n=_CONTEXT))[2:]
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _one_hunk(before: list[str], after: list[str]) -> list[str]:
    """Return the change as one hunk between the equal lines at both ends, for texts that are too long to compare."""
    head = _equal_lines(before, after)
    tail = _equal_lines(reversed(before[head:]), reversed(after[head:]))
    start = max(head - _CONTEXT, 0)
    end = max(tail - _CONTEXT, 0)
    old, new = len(before) - end - start, len(after) - end - start
    return [
        f"@@ -{_range(start, old)} +{_range(start, new)} @@\n",
        *(f" {line}" for line in before[start:head]),
        *(f"-{line}" for line in before[head : len(before) - tail]),
        *(f"+{line}" for line in after[head : len(after) - tail]),
        *(f" {line}" for line in before[len(before) - tail : len(before) - end]),
    ]


def _equal_lines(one: Iterable[str], other: Iterable[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _range(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _bounded(lines: list[str]) -> Iterator[str]:
    room = MAX_CHARACTERS
    for number, line in enumerate(lines):
        if number == MAX_LINES or len(line) > room:
            if number < MAX_LINES:
                yield f"{line[:room]}\n"
            characters = sum(map(len, lines[number:])) - (room if number < MAX_LINES else 0)
            yield f"... {len(lines) - number} more lines, {characters} more characters of this diff are not shown\n"
            return
        room -= len(line)
        yield line


Occurrence = Literal["only", "first", "all"]

_MAX_LINES_LISTED = 5


class EditError(ValueError):
    """The edit cannot be made; the message says why and how to fix it."""


class Edited(NamedTuple):
    """An edited text.

    Attributes:
        text: The whole text.
        first: The number of the first line that may differ, from 1.
        last: The number of the last line of the first change.
        replacements: The number of replacements.
    """

    text: str
    first: int
    last: int
    replacements: int = 1


def replace_lines(text: str, start: int, end: int, content: str) -> Edited:
    """Return a text with some of its lines replaced.

    Args:
        text: The text to edit.
        start: The number of the first line to replace, from 1.
        end: The number of the last line to replace.
        content: The new lines; an empty string deletes the old ones.

    Raises:
        EditError: If the text does not have these lines.
    """
    lines = lines_of(text)
    if start < 1 or end < start:
        raise EditError(f"start_line must be at least 1 and end_line at least start_line, not {start} and {end}")
    if end > len(lines):
        raise EditError(f"end_line {end} is past the end: there are {len(lines)} lines")
    before, after = "".join(lines[: start - 1]), "".join(lines[end:])
    new = _with_ending(content, _ending_at(text, len(before)))
    if new and not new.endswith("\n"):
        new += _ending_at(text, len(before))
    whole = f"{before}{new}{after}"
    if not after and not text.endswith("\n"):
        whole = whole.removesuffix("\n").removesuffix("\r")
    return Edited(whole, start, start - 1 + len(lines_of(new)))


def replace_found(text: str, wanted: str, content: str, occurrence: Occurrence) -> Edited:
    """Replace a string in a text, whatever its line endings are.

    Raises:
        EditError: If the string does not occur, or occurs more than once and `occurrence` is `only`.
    """
    if not wanted:
        raise EditError("find must not be empty")
    parts = wanted.replace("\r\n", "\n").split("\n")
    found = [match.span() for match in re.finditer("\r?\n".join(map(re.escape, parts)), text)]
    if not found:
        raise EditError("the text to find does not occur; it must match exactly, including spaces")
    return _replaced(text, _choose(text, found, occurrence), content)


def replace_matching(
    text: str, expression: str, content: str, occurrence: Occurrence, may_continue: Callable[[], bool]
) -> Edited:
    """Replace what a regular expression matches by a literal string.

    Raises:
        EditError: If the expression is malformed, does not match, matches an empty string, takes too long, or matches
            more than once and `occurrence` is `only`.
    """
    windows = "\r\n" in text
    if windows and text.count("\r\n") != text.count("\n"):
        raise EditError("the file has mixed line endings: find the text itself, without regex")
    plain = text.replace("\r\n", "\n")
    try:
        found = list(find_matches(expression, plain, may_continue))
    except MalformedExpressionError as error:
        raise EditError(f"invalid regular expression: {error}") from error
    except ConfigurationError as error:
        raise EditError(str(error)) from error
    except TooMuchWorkError as error:
        raise EditError("the search for the expression took too long: find the text itself, without regex") from error
    if not found:
        raise EditError("the regular expression does not match")
    if any(start == end for start, end in found):
        raise EditError("the regular expression matches an empty string; make it match some text")
    edited = _replaced(plain, _choose(plain, found, occurrence), content.replace("\r\n", "\n"))
    return edited._replace(text=edited.text.replace("\n", "\r\n")) if windows else edited


def excerpt(text: str, first: int, last: int, context: int = 3) -> str:
    """Return the numbered lines of a text from `first` to `last`, with some lines of context."""
    lines = lines_of(text)
    start, end = max(first - context, 1), min(last + context, len(lines))
    return "\n".join(f"{number:4d} | {lines[number - 1].rstrip(chr(10) + chr(13))}" for number in range(start, end + 1))


def _choose(text: str, found: list[tuple[int, int]], occurrence: Occurrence) -> list[tuple[int, int]]:
    if occurrence == "all":
        return found
    if occurrence == "only" and len(found) > 1:
        lines = ", ".join(str(text.count("\n", 0, start) + 1) for start, _ in found[:_MAX_LINES_LISTED])
        more = ", …" if len(found) > _MAX_LINES_LISTED else ""
        raise EditError(
            f"it occurs {len(found)} times, on lines {lines}{more}: find more of the text, or set occurrence to"
            " 'first' or 'all'"
        )
    return found[:1]


def _replaced(text: str, spans: list[tuple[int, int]], content: str) -> Edited:
    def pieces() -> Iterator[str]:
        position = 0
        for start, end in spans:
            yield text[position:start]
            yield _with_ending(content, _ending_at(text, start))
            position = end
        yield text[position:]

    first = text.count("\n", 0, spans[0][0]) + 1
    return Edited("".join(pieces()), first, first + content.removesuffix("\n").count("\n"), len(spans))


def _with_ending(content: str, ending: str) -> str:
    return content.replace("\r\n", "\n").replace("\n", ending)


def _ending_at(text: str, position: int) -> str:
    """Return the line ending to use at a position: the next one in the text, or else the last one."""
    end = text.find("\n", position)
    if end < 0:
        end = text.rfind("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"
