"""Text globs: shell patterns over whole texts, which do not let a path or an address slip past them."""

import math
import re
from fnmatch import fnmatchcase

from toolkit.json_texts import json_text

_MOST_ENCODINGS = 4
_CLIMB = re.compile(r"(?<![\w.])\.\.(?![\w.])")
_PLACE = re.compile(r"[^/?#\\]*://[^/?#\\]*")


def fits_glob(text: str, glob: str) -> bool:
    """Return whether a pattern matches the whole text, case and all.

    A text that climbs with `..`, percent-encoded or not, fits only a pattern that climbs as often, or `*` alone. In a
    URL what is before the path is matched for itself too: no `*` reaches past it.
    """
    if glob == "*":
        return True
    return fnmatchcase(text, glob) and _climbs(text) <= _climbs(glob) and _is_at_the_place(text, glob)


def as_text(value: object) -> str:
    """Return a value as a pattern matches it: text as it is, everything else as JSON."""
    return value if isinstance(value, str) else json_text(value, separators=(",", ":"))


def _climbs(text: str) -> float:
    """Return how many `..` path parts a text has; one that is encoded over and over counts as infinite."""
    if "%" in text:
        from urllib.parse import unquote  # noqa: PLC0415 - few arguments are encoded

        for _ in range(_MOST_ENCODINGS):
            text, before = unquote(text), text
            if text == before:
                break
        else:
            return math.inf
    return len(_CLIMB.findall(text))


def _is_at_the_place(text: str, glob: str) -> bool:
    """Return whether scheme and host of a URL match those of a pattern that has any."""
    scheme, is_url, rest = glob.partition("://")
    if not is_url:
        return True
    place = _PLACE.match(text)
    return place is not None and fnmatchcase(place[0], f"{scheme}://{rest.partition('/')[0]}")
