"""Parses and serializes JSON without changing the digits of numbers."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from toolkit.json_texts import WrittenNumber, with_digits

digits_to_lose = re.compile(r"\.(?:\d*0(?!\d)|\d+[eE]|0000|\d{8}|(?<=\d{8}\.)\d)").search
"""Finds a number in JSON text that a float may write differently: one with a trailing zero, an exponent, leading zeros
or many digits."""


_decode = json.JSONDecoder(parse_float=WrittenNumber).decode
_BOM = "\ufeff"


def loads(text: str) -> Any:
    """Parse JSON text; numbers with a fraction or an exponent become `WrittenNumber`.

    Raises:
        ValueError: If the text is not valid JSON.
    """
    return json.loads(text, parse_float=WrittenNumber) if text.startswith(_BOM) else _decode(text)


def dumps(data: Any, *, default: Callable[[Any], Any] | None = None, sort_keys: bool = False) -> str:
    """Serialize plain data as JSON in which every `WrittenNumber` keeps its digits.

    Raises:
        TypeError: If a part of the data cannot be serialized.
        ValueError: If the data contains itself.
    """
    return with_digits(partial(json.dumps, default=default, sort_keys=sort_keys), data)
