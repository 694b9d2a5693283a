"""The base classes of the tools that are confined to the files of one directory, and the text of those files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from toolkit.builtin.files.sandbox import DEFAULT_LIMIT, Sandbox
from toolkit.builtin.options import COUNT, SWITCH, Option
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.tools.typed import Input, TypedTool
from toolkit.walking import UnfitError


class SandboxedTool(TypedTool[Input]):
    """A tool for the files in one directory, and nothing outside it."""

    open_world = False
    source = "builtin"

    def __init__(self, base: str | Path) -> None:
        """Create the tool.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__()
        self._sandbox = Sandbox(base)

    @property
    def uses(self) -> Mapping[str, str]:
        """The directory to which the tool is confined."""
        return {"base": str(self._sandbox.base)}


CHANGING_OPTIONS: Final = (
    Option("requires_approval", SWITCH, "whether a reviewer must approve every call", default=False),
    Option("max_bytes", COUNT, "maximum file size in bytes, before and after the change", default=DEFAULT_LIMIT),
)


class FileChangingTool(SandboxedTool[Input]):
    """A tool that changes text files in one directory, and nothing outside it."""

    read_only = False
    destructive = True
    idempotent = False

    def __init__(self, base: str | Path, *, requires_approval: bool = False, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Create the tool.

        Args:
            base: An existing directory. Symbolic links that lead out of it are refused.
            requires_approval: Whether a reviewer must approve every call. A call without a reviewer then fails.
            max_bytes: Maximum file size in bytes, before and after the change.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__(base)
        self.requires_approval = requires_approval
        self._max_bytes = max_bytes


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
