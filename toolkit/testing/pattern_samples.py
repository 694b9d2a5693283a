"""Makes texts that a regular expression matches."""

import re
import warnings
from functools import lru_cache
from typing import Any, Final

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from re import _parser  # type: ignore[attr-defined]  # the only parser of regular expressions that Python has

_MOST_REPEATS: Final = 3
_CLASSES: Final = {
    "category_digit": "0123456789",
    "category_word": "abcxyzABC019_",
    "category_space": " \t",
    "category_not_digit": "ab ",
    "category_not_word": " -.",
    "category_not_space": "ab1",
}
_ANY: Final = "aA0 -_.,:/@é"


@lru_cache(maxsize=256)
def samples_of(pattern: str) -> list[str]:
    """Return a few texts that match a pattern: with few repeats and many, with its first branches and its last.

    The list is empty if no text can be made.
    """
    try:
        parsed = _parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return []
    found = [_text(parsed, choice, more) for choice, more in ((0, 0), (1, 1), (-1, _MOST_REPEATS), (2, 0))]
    matching = re.compile(pattern)
    return [text for text in dict.fromkeys(found) if matching.search(text)]


def _text(parsed: Any, choice: int, more: int) -> str:
    return "".join(_part(str(word).lower(), value, choice, more) for word, value in parsed)


def _part(word: str, value: Any, choice: int, more: int) -> str:
    match word:
        case "literal":
            return chr(value)
        case "not_literal":
            return next(one for one in _ANY if one != chr(value))
        case "any":
            return _ANY[choice]
        case "in":
            options = _options(value)
            return options[choice % len(options)] if options else ""
        case "max_repeat" | "min_repeat" | "possessive_repeat":
            least, most, inner = value
            count = min(least + more, most)
            return "".join(_text(inner, choice + (at if choice else 0), more) for at in range(count))
        case "subpattern" | "atomic_group":
            return _text(value[-1] if isinstance(value, tuple) else value, choice, more)
        case "branch":
            branches = value[1]
            return _text(branches[choice % len(branches)], choice, more)
        case _:  # a position, an assertion, or a reference
            return ""


def _options(members: Any) -> str:
    found = ""
    for word, value in members:
        match str(word).lower():
            case "literal":
                found += chr(value)
            case "range":
                found += chr(value[0]) + chr((value[0] + value[1]) // 2) + chr(value[1])
            case "category":
                found += _CLASSES.get(str(value).lower(), "a")
            case "negate":
                taken = _options([one for one in members if str(one[0]).lower() != "negate"])
                return "".join(one for one in _ANY if one not in taken)
            case _:
                pass
    return found
