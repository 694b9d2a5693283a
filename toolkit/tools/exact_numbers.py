"""Exact numbers: JSON in which a number keeps all the digits that it was written with, there and back."""

import json
import re
from collections.abc import Callable
from functools import partial
from typing import Any

from toolkit.json_texts import WrittenNumber, with_digits

digits_to_lose = re.compile(r"\.(?:\d*0(?!\d)|\d+[eE]|0000|\d{8}|(?<=\d{8}\.)\d)").search
"""Finds in a JSON text a fraction that a float may write in another way: a zero at its end, an exponent, a tiny number,
or many digits."""


_decode = json.JSONDecoder(parse_float=WrittenNumber).decode
_BOM = "\ufeff"


def loads(text: str) -> Any:
    """Return JSON text as plain data in which numbers with a fraction are written numbers.

    Raises:
        ValueError: If it is not JSON.
    """
    return json.loads(text, parse_float=WrittenNumber) if text.startswith(_BOM) else _decode(text)


def dumps(data: Any, *, default: Callable[[Any], Any] | None = None, sort_keys: bool = False) -> str:
    """Return plain data as JSON text in which written numbers are as they were written.

    Raises:
        TypeError: If something in it cannot be written as JSON.
        ValueError: If it contains itself.
    """
    return with_digits(partial(json.dumps, default=default, sort_keys=sort_keys), data)
