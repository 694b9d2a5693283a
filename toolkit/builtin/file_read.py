"""The tool `file_read`: read a text file beneath one directory."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolkit.builtin.files.differences import lines_of
from toolkit.builtin.files.sandbox import DEFAULT_LIMIT, SandboxError
from toolkit.builtin.files.sandboxed import SandboxedTool
from toolkit.builtin.files.texts import decode_text
from toolkit.builtin.options import COUNT, FOLDER, Option
from toolkit.builtin.widening import outside_project
from toolkit.tools.results import ToolResult

OPTIONS: Final = (
    Option("base", FOLDER, "the directory that it reads beneath", default=".", widens=outside_project),
    Option("max_bytes", COUNT, "bytes that a file may have", default=DEFAULT_LIMIT),
)


@dataclass(frozen=True, slots=True)
class FileReadInput:
    """Which file to read, and which lines of it."""

    path: str = field(metadata={"description": "Relative file path within the sandbox directory"})
    start_line: int | None = field(
        default=None, metadata={"description": "Number of the first line to read, from 1; the first unless it is given"}
    )
    end_line: int | None = field(
        default=None, metadata={"description": "Number of the last line to read; the last unless it is given"}
    )


class FileRead(SandboxedTool[FileReadInput]):
    """Reads text files beneath one directory, and nothing outside it."""

    name = "file_read"
    description = (
        "Reads a text file within a sandboxed directory. Use it to see what a file holds. The path is relative to "
        "that directory, such as 'notes/todo.txt'; nothing outside it can be read. Returns the text of the file, which "
        "must be UTF-8, exactly as it is: the whole, or the lines from start_line to end_line."
    )
    read_only = True
    destructive = False
    idempotent = True
    reads_files = True

    def __init__(self, base: str | Path, *, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Keep where files may be read.

        Args:
            base: An existing directory; links that lead out of it are refused.
            max_bytes: How large a file may be; a larger one is refused before it is read.

        Raises:
            ConfigurationError: If the directory does not exist, or the system cannot keep a tool inside it.
        """
        super().__init__(base)
        self._max_bytes = max_bytes

    def execute(self, input: FileReadInput) -> ToolResult:  # noqa: A002 - the name that typed tools have
        """Return the text of the file, or why it cannot be had."""
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
    """Return some lines of a text; there may be fewer than were asked for, but not none."""
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
