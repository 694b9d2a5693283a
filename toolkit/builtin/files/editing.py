"""Edits a text while keeping its line endings, including that of the last line."""

import re
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

from toolkit.builtin.files.differences import lines_of
from toolkit.builtin.regular_expressions import MissingEngineError, find_matches
from toolkit.regex_checks import MalformedExpressionError, TooMuchWorkError

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
    except MissingEngineError as error:
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
