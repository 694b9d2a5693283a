"""The tool `file_read`: read a text file beneath one directory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from toolkit.builtin.options import COUNT, FOLDER, Option, take_options
from toolkit.builtin.sandbox import DEFAULT_LIMIT, Sandbox, SandboxError
from toolkit.tools.results import ToolResult
from toolkit.tools.typed import TypedTool

OPTIONS: Final = (
    Option("base", FOLDER, "the directory that it reads beneath", default="."),
    Option("max_bytes", COUNT, "bytes that a file may have", default=DEFAULT_LIMIT),
)


@dataclass(frozen=True, slots=True)
class FileReadInput:
    """Which file to read."""

    path: str = field(metadata={"description": "Relative file path within the sandbox directory"})


class FileRead(TypedTool[FileReadInput]):
    """Reads text files beneath one directory, and nothing outside it."""

    name = "file_read"
    description = (
        "Reads a text file within a sandboxed directory. Use it to see what a file holds. The path is relative to "
        "that directory, such as 'notes/todo.txt'; nothing outside it can be read. Returns the whole text of the file, "
        "which must be UTF-8."
    )
    read_only = True
    destructive = False
    idempotent = True
    open_world = False
    source = "builtin"

    def __init__(self, base: str | Path, *, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Keep where files may be read.

        Args:
            base: An existing directory; links that lead out of it are refused.
            max_bytes: How large a file may be; a larger one is refused before it is read.

        Raises:
            ConfigurationError: If the directory does not exist, or the system cannot keep a tool inside it.
        """
        super().__init__()
        self._sandbox = Sandbox(base)
        self._max_bytes = max_bytes

    def execute(self, input: FileReadInput) -> ToolResult:  # noqa: A002 - the name that typed tools have
        """Return the text of the file, or why it cannot be had."""
        path = input.path.strip()
        if not path:
            return ToolResult.failure("File path must not be blank")
        try:
            return ToolResult.success(self._sandbox.read(path, self._max_bytes).decode())
        except SandboxError as error:
            return ToolResult.failure(str(error), error.code)
        except UnicodeDecodeError as error:
            byte = f"byte {error.object[error.start]:#04x} at {error.start}"
            return ToolResult.failure(f"Failed to read file: {path} is not UTF-8 text ({byte})")
        except OSError as error:
            return ToolResult.failure(f"Failed to read file: {error.strerror or error}")


def build(base: Path, options: Mapping[str, Any]) -> FileRead:
    """Make the tool of what a configuration says."""
    return FileRead(**{"base": base} | take_options(OPTIONS, options, base))
