"""The `file_write` tool, which writes text files in one directory."""

from dataclasses import dataclass, field
from typing import Final

from toolkit.approvals.decisions import Preview
from toolkit.builtin.files.editing import count_changed_lines, describe_change
from toolkit.builtin.files.sandbox import CHANGING_OPTIONS, FileChangingTool, SandboxError, encode_text, state_of
from toolkit.builtin.options import FOLDER, Option, outside_project
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext

OPTIONS: Final = (
    Option("base", FOLDER, "the directory to write in", default=".", widens=outside_project),
    *CHANGING_OPTIONS,
)


@dataclass(frozen=True, slots=True)
class FileWriteInput:
    """The file to write, and its new content."""

    path: str = field(metadata={"description": "Relative file path within the sandbox directory"})
    content: str = field(metadata={"description": "Text content to write to the file"})
    append: bool = field(
        default=False,
        metadata={"description": "Add the content to the end of the file instead of replacing its content"},
    )


class FileWrite(FileChangingTool[FileWriteInput]):
    """Writes text files in one directory, and nothing outside it.

    A file is replaced completely or not at all. A reviewer sees a unified diff of what the call would change. If the
    file has changed between the question and the answer, nothing is written and the call fails with the code
    `conflict`.
    """

    name = "file_write"
    description = (
        "Writes content to a file within a sandboxed directory. Use it to create a file, to replace a whole file or, "
        "with append, to add to the end of a file. The path is relative to that directory, such as 'out/report.md'; "
        "missing directories are created, and nothing outside can be written. Returns the path of the file."
    )

    def check(self, parsed: FileWriteInput, context: ToolContext) -> None:
        """Check that the file can be written, before a reviewer is asked.

        Raises:
            ToolArgumentsError: If the path is blank or a directory, or the content cannot be encoded as UTF-8.
            ToolExecutionError: If the path cannot be used, or the content is too large.
        """
        if not parsed.path.strip():
            raise ToolArgumentsError("Path must not be blank")
        encode_text(parsed.content, self._max_bytes)
        try:
            self._sandbox.holds(parsed.path.strip(), self._max_bytes)
        except SandboxError as error:
            raise ToolExecutionError(str(error), error.code) from error
        except OSError as error:
            raise ToolExecutionError(_failed(error)) from error
        if parsed.path.strip().rpartition("/")[2] in {"", "."}:
            raise ToolArgumentsError(f"Path must be a file, but '{parsed.path.strip()}' is a directory")

    def preview(self, parsed: FileWriteInput, context: ToolContext) -> str:
        """Return a unified diff of what the call would change."""
        path = parsed.path.strip()
        try:
            old = self._old(path)
        except (SandboxError, OSError) as error:
            return f"{path} cannot be compared: {error}"
        text = None if old is None else _text_of(old)
        if old is not None and text is None:
            verb = "Adds to" if parsed.append else "Replaces"
            effect = f"{verb} {path}, which contains {len(old)} bytes that are not UTF-8 text"
        else:
            effect = describe_change(path, text, f"{text or ''}{parsed.content}" if parsed.append else parsed.content)
        return Preview(effect, state={self._sandbox.name_of(path): state_of(old)})

    def execute(self, input: FileWriteInput, context: ToolContext) -> ToolResult:
        """Write the file and report the change to the event listener."""
        path = input.path.strip()
        content = encode_text(input.content, self._max_bytes)
        try:
            old = None if context.listener is None else self._old(path)
            expected = context.shown_state(self._sandbox.name_of(path))
            write = self._sandbox.append if input.append else self._sandbox.replace
            write(path, content, self._max_bytes, expected=expected)
        except SandboxError as error:
            return ToolResult.failure(str(error), error.code)
        except OSError as error:
            return ToolResult.failure(_failed(error))
        if context.listener is not None:
            _announce(path, old, input, context)
        return ToolResult.success(f"Successfully wrote to: {path}")

    def _old(self, path: str) -> bytes | None:
        """Return the content of a file, or `None` if it does not exist."""
        return self._sandbox.read(path, self._max_bytes) if self._sandbox.holds(path, self._max_bytes) else None


def _announce(path: str, old: bytes | None, written: FileWriteInput, context: ToolContext) -> None:
    before = "" if old is None else old.decode(errors="replace")
    after = before + written.content if written.append else written.content
    context.file_changed(path, "created" if old is None else "modified", *count_changed_lines(before, after))


def _text_of(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


def _failed(error: OSError) -> str:
    return f"Failed to write file: {error.strerror or error}"
