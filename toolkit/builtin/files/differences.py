"""Computes what writing a file would change, as a diff for reviewers and as numbers of lines."""

from collections import Counter
from collections.abc import Iterable, Iterator

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
        from difflib import unified_diff  # only previews of a change need it

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
