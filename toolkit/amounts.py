"""Amounts of money, durations such as `30s`, as settings and pipelines write them, and estimated numbers of tokens."""

import json
import re
from typing import Any, Final


def money(dollars: float, digits: int = 4) -> str:
    """Format an amount in dollars with two decimals, or more where they are not zero: `$0.50`, `$0.0013`."""
    whole, point, rest = f"{dollars:,.{digits}f}".partition(".")
    return f"${whole}{point}{rest[:2]}{rest[2:].rstrip('0')}"


LONGEST_DURATION = 30 * 24 * 3600.0
"""Thirty days in seconds. A longer duration is most likely a typo, and timers cannot handle all of them."""

_DURATION = r"(\d+(?:\.\d+)?)\s*(ms|s|m|h)"
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def parse_duration(text: str) -> float | None:
    """Convert a duration such as `500ms`, `30s`, `5m` or `1h` to seconds; return `None` if it is not valid."""
    match = re.fullmatch(_DURATION, text.strip())
    if match is None:
        return None
    seconds = float(match[1]) * _SECONDS[match[2]]
    return seconds if seconds <= LONGEST_DURATION else None


_AGE = r"(?a)(\d{1,5})\s*(s|m|h|d|w)"
_AGES = {"s": 1, "m": 60, "h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600}
AGE_PATTERN = r"^\s*[0-9]{1,5}\s*(s|m|h|d|w)\s*$"
AGE_EXAMPLES = "12h, 30d or 4w"


def parse_age(text: str) -> int | None:
    """Convert an age such as `12h`, `30d` or `4w` to seconds; return `None` if it is not valid."""
    match = re.fullmatch(_AGE, text.strip())
    return None if match is None else int(match[1]) * _AGES[match[2]]


def format_duration(seconds: float) -> str:
    """Format a duration: `500ms`, `30s`, `5m`."""
    if seconds < 1:
        return f"{seconds * 1000:g}ms"
    minutes = seconds / 60
    return f"{minutes:g}m" if seconds >= 60 and minutes.is_integer() else f"{seconds:g}s"  # noqa: PLR2004


BYTES_OF_A_TOKEN: Final = 4
"""The size of a token that is assumed, in bytes of UTF-8, since no tokenizer is at hand."""
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def tokens_in(text: str) -> int:
    """Return the approximate number of tokens of a text.

    Example:
        >>> tokens_in("sun in Oslo"), tokens_in("奥斯陆晴")
        (3, 3)
    """
    size = len(text) if text.isascii() else len(text.encode(errors="replace"))
    return -(-size // BYTES_OF_A_TOKEN)


def about_tokens(text: str) -> str:
    """Return the approximate size of a text in words.

    Example:
        >>> about_tokens("sun in Oslo"), about_tokens("sun")
        ('about 3 tokens', 'about 1 token')
    """
    count = tokens_in(text)
    return f"about {count:,} token{'' if count == 1 else 's'}"


def tokens_of_data(data: Any) -> int:
    """Return the approximate number of tokens of data that is sent as JSON, such as a definition."""
    return tokens_in(_COMPACT.encode(data))
