"""Estimates how much work it is to compile the regular expressions of a schema."""

import re
from typing import Any

from toolkit.schemas.schema import Schema

MOST_WORK = 100_000
"""Maximum number of steps in all patterns of an untrusted schema, which takes about two seconds at most."""

_PIECE = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]|\{(\d{1,9})(,?)(\d{0,9})\}|.", re.DOTALL)
_OF_A_CLASS = 20  # the cost of a character class such as \w, which is expanded for every length in UTF-8


def pattern_fault(schema: Any) -> str | None:
    """Return why the patterns of a schema should not be compiled; None if they can be."""
    patterns = [part.keywords.get("pattern") for part in Schema.of(schema).parts()]
    work = {pattern: work_of(pattern) for pattern in patterns if isinstance(pattern, str)}
    if sum(work.values()) <= MOST_WORK:
        return None
    worst = max(work, key=work.__getitem__)
    return f"its patterns are too large to be checked, such as {worst[:40]!r}"


def work_of(pattern: str) -> int:
    """Return how many steps a regular expression has when its counted repetitions are expanded."""
    groups, last = [0], 0
    for piece in _PIECE.finditer(pattern):
        text = piece[0]
        if text == "(":
            groups.append(0)
        elif text == ")" and len(groups) > 1:
            last = groups.pop() + 1
            groups[-1] += last
        elif piece[1]:
            times = max(1, int(piece[3] or piece[1]))
            groups[-1] += last * (times - 1)
            last *= times
        else:
            last = _OF_A_CLASS if len(text) > 1 or text == "." else 1
            groups[-1] += last
    return sum(groups)
