"""Converts between the content of a file and its text, which is always UTF-8."""

from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.walking import UnfitError


def decode_text(content: bytes, path: str) -> str:
    """Return the text of a file.

    Raises:
        UnfitError: If the content is not UTF-8; the message contains the first invalid byte.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        byte = f"byte {content[error.start]:#04x} at {error.start}"
        raise UnfitError(f"Failed to read file: {path} is not UTF-8 text ({byte})") from error


def encode_text(text: str, limit: int) -> bytes:
    """Return a text as the content of a file.

    Raises:
        ToolArgumentsError: If the text cannot be encoded as UTF-8.
        ToolExecutionError: If the content would have more than `limit` bytes.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ToolArgumentsError(f"content cannot be encoded as UTF-8 (lone surrogate at {error.start})") from error
    if len(encoded) > limit:
        raise ToolExecutionError(f"Content too large: {len(encoded)} bytes, at most {limit}")
    return encoded
