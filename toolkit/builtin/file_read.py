"""The `file_read` tool, which reads text files in one directory."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolkit.builtin.files.editing import lines_of
from toolkit.builtin.files.sandbox import DEFAULT_LIMIT, SandboxedTool, SandboxError, decode_text
from toolkit.builtin.options import COUNT, FOLDER, Option, outside_project
from toolkit.tools.calls.results import ToolResult

OPTIONS: Final = (
    Option("base", FOLDER, "the directory to read from", default=".", widens=outside_project),
    Option("max_bytes", COUNT, "maximum file size in bytes", default=DEFAULT_LIMIT),
)


@dataclass(frozen=True, slots=True)
class FileReadInput:
    """The file to read, and optionally the range of lines."""

    path: str = field(metadata={"description": "Relative file path within the sandbox directory"})
    start_line: int | None = field(
        default=None,
        metadata={"description": "Number of the first line to read, from 1; by default the first line of the file"},
    )
    end_line: int | None = field(
        default=None,
        metadata={"description": "Number of the last line to read; by default the last line of the file"},
    )


class FileRead(SandboxedTool[FileReadInput]):
    """Reads text files in one directory, and nothing outside it."""

    name = "file_read"
    description = (
        "Reads a text file within a sandboxed directory. Use it to see the content of a file. The path is relative to "
        "that directory, such as 'notes/todo.txt'; nothing outside it can be read. The file must be UTF-8. Returns its "
        "text exactly as it is: the whole file, or the lines from start_line to end_line."
    )
    read_only = True
    destructive = False
    idempotent = True
    reads_files = True

    def __init__(self, base: str | Path, *, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Create the tool.

        Args:
            base: An existing directory. Symbolic links that lead out of it are refused.
            max_bytes: Maximum file size in bytes; larger files are refused before they are read.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__(base)
        self._max_bytes = max_bytes

    def execute(self, input: FileReadInput) -> ToolResult:
        """Return the text of the file, or a failure that explains why it cannot be read."""
        path = input.path.strip()
        if not path:
            return ToolResult.failure("File path must not be blank")
        try:
            text = decode_text(self._sandbox.read(path, self._max_bytes), path)
        except SandboxError as error:
            return ToolResult.failure(str(error), error.code)
        except OSError as error:
            return ToolResult.failure(f"Failed to read file: {error.strerror or error}")
        if input.start_line is None and input.end_line is None:
            return ToolResult.success(text)
        return _lines(input, text)


def _lines(wanted: FileReadInput, text: str) -> ToolResult:
    """Return the requested lines of a text, or fewer at its end; a failure if there would be none."""
    lines = lines_of(text)
    start = 1 if wanted.start_line is None else wanted.start_line
    end = len(lines) if wanted.end_line is None else min(wanted.end_line, len(lines))
    if start < 1 or (wanted.end_line is not None and wanted.end_line < start):
        message = f"start_line must be at least 1 and end_line at least start_line, not {start} and {wanted.end_line}"
        return ToolResult.failure(message)
    if start > len(lines):
        return ToolResult.failure(f"start_line {start} is past the end: {wanted.path.strip()} has {len(lines)} lines")
    return ToolResult.success(
        "".join(lines[start - 1 : end]), structured={"start_line": start, "end_line": end, "lines": len(lines)}
    )
