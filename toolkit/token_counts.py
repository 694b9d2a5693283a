"""Estimates how many tokens a text has for a model, without its tokenizer: one for every four bytes of UTF-8."""

import json
from typing import Any, Final

BYTES_OF_A_TOKEN: Final = 4
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=str)


def tokens_in(text: str) -> int:
    """Return the approximate number of tokens of a text.

    Example:
        >>> tokens_in("sun in Oslo"), tokens_in("奥斯陆晴")
        (3, 3)
    """
    size = len(text) if text.isascii() else len(text.encode(errors="replace"))
    return -(-size // BYTES_OF_A_TOKEN)


def tokens_of_data(data: Any) -> int:
    """Return the approximate number of tokens of data that is sent as JSON, such as a definition."""
    return tokens_in(_COMPACT.encode(data))
