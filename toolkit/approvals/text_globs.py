"""Matches shell patterns against whole texts, with protection for `..` in paths and for hosts in URLs."""

import math
import re
from fnmatch import fnmatchcase

_MOST_ENCODINGS = 4
_CLIMB = re.compile(r"(?<![\w.])\.\.(?![\w.])")
_PLACE = re.compile(r"[^/?#\\]*://[^/?#\\]*")


def fits_glob(text: str, glob: str) -> bool:
    """Return whether a case-sensitive pattern matches the whole text.

    A text with `..` in it, percent-encoded or not, matches only a pattern with as many `..`, or the pattern `*`. In a
    URL, the scheme and the host are also matched separately, so that a `*` in them cannot match beyond the host.
    """
    if glob == "*":
        return True
    return fnmatchcase(text, glob) and _climbs(text) <= _climbs(glob) and _is_at_the_place(text, glob)


def _climbs(text: str) -> float:
    """Count the `..` path parts of a text; a text that is percent-encoded many times counts as infinite."""
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
