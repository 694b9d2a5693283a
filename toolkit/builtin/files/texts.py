"""File texts: what files hold as text, and text as what files hold; UTF-8 and nothing else."""

from toolkit.builtin.files.walking import UnfitError
from toolkit.errors import ToolArgumentsError, ToolExecutionError


def decode_text(content: bytes, path: str) -> str:
    """Return the text of a file.

    Raises:
        UnfitError: If it is not UTF-8, naming the first byte that is not.
    """
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        byte = f"byte {content[error.start]:#04x} at {error.start}"
        raise UnfitError(f"Failed to read file: {path} is not UTF-8 text ({byte})") from error


def encode_text(text: str, limit: int) -> bytes:
    """Return a text as a file holds it.

    Raises:
        ToolArgumentsError: If UTF-8 cannot hold it.
        ToolExecutionError: If it would have more than `limit` bytes.
    """
    try:
        encoded = text.encode()
    except UnicodeEncodeError as error:
        raise ToolArgumentsError(f"content cannot be encoded as UTF-8 (lone surrogate at {error.start})") from error
    if len(encoded) > limit:
        raise ToolExecutionError(f"Content too large: {len(encoded)} bytes, at most {limit}")
    return encoded
