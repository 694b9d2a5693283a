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
