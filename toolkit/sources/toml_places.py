"""Where in a TOML file a key stands, which the standard library's reader does not tell."""

import re
from collections.abc import Sequence

from toolkit.problems import Location
from toolkit.sources.configuration import Configuration, keys_before

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


def place_in_configuration(configuration: Configuration, path: Sequence[str], word: str = "") -> Location | None:
    """Return where the configuration's file has a key, if it does: variables and options may have said it instead.

    Args:
        configuration: What was read from the file.
        path: The keys that lead to it.
        word: What the file must hold besides.
    """
    if configuration.file is None:
        return None
    text = configuration.file.read_text("utf-8", errors="replace")
    place = place_of_key(text, [*keys_before(configuration.file), *path])
    return Location(str(configuration.file), *place) if place and word in text else None


def _parts(dotted: str) -> list[str]:
    return [part.strip("\"'") for part in re.findall(_PART, dotted)]
