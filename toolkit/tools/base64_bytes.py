"""Encodes bytes in JSON as standard base64, and decodes both standard and URL-safe base64."""

from binascii import a2b_base64
from typing import Any


def bytes_of(value: Any) -> Any:
    """Decode a base64 string; any other value is returned as it is.

    Raises:
        PydanticCustomError: If the string is not valid base64.
    """
    if not isinstance(value, str):
        return value
    try:
        return a2b_base64(_in_standard_letters("".join(value.split())), strict_mode=True)
    except ValueError:
        from pydantic_core import PydanticCustomError

        kind, message = "base64", "must be bytes in base64"
        raise PydanticCustomError(kind, message) from None


def with_standard_base64(data: Any, as_hexadecimal: Any) -> Any:
    """Convert bytes in serialized data from URL-safe to standard base64.

    The strings that differ between the two serialized forms are bytes.

    Args:
        data: Plain data as serialized by pydantic, with bytes as URL-safe base64.
        as_hexadecimal: The same data with bytes in hexadecimal.
    """
    if isinstance(data, dict):
        others = as_hexadecimal.values()
        pairs = zip(data.items(), others, strict=True)
        return {name: with_standard_base64(value, other) for (name, value), other in pairs}
    if isinstance(data, list):
        return [with_standard_base64(*pair) for pair in zip(data, as_hexadecimal, strict=True)]
    return data if data == as_hexadecimal else _in_standard_letters(data)


_STANDARD = str.maketrans("-_", "+/")


def _in_standard_letters(text: str) -> str:
    text = text.translate(_STANDARD)
    return text + "=" * (-len(text) % 4)
