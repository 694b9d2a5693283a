"""Bytes in JSON: base64, in the alphabet that most programs write; those that are safe in addresses are read too."""

from binascii import a2b_base64
from typing import Any


def bytes_of(value: Any) -> Any:
    """Return the bytes that a text stands for, and anything else as it is.

    Raises:
        PydanticCustomError: If the text is not base64.
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
    """Return plain data with its bytes in the common alphabet; they are the texts that differ in the other writing.

    Args:
        data: Plain data that pydantic made, with bytes as base64 that is safe in addresses.
        as_hexadecimal: The same with bytes as hexadecimal numbers.
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
