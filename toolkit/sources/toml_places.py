"""Where in a TOML file a key stands, which the standard library's reader does not tell."""

import re
from collections.abc import Sequence

_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_DOTTED = rf"{_PART}(?:\s*\.\s*{_PART})*"
_HEADER = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]")
_KEY = re.compile(rf"\s*({_DOTTED})\s*=")


def place_of_key(text: str, path: Sequence[str]) -> tuple[int, int] | None:
    """Return the line and column of a key, given as the path that leads to it.

    A key inside an inline table has no line of its own here; then it is the place of the table.
    """
    table: list[str] = []
    best: tuple[int, tuple[int, int]] = (0, (1, 1))
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _parts(header[1])
            found, column = table, header.start(1) + 1
        elif key := _KEY.match(line):
            found, column = [*table, *_parts(key[1])], key.start(1) + 1
        else:
            continue
        if len(found) > best[0] and found == list(path[: len(found)]):
            best = len(found), (number, column)
    return best[1] if best[0] else None


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_PART, dotted)]
