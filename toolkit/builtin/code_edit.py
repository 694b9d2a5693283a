"""The `code_edit` tool, which changes part of a text file."""

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Final, Literal, NamedTuple

from toolkit.approvals.decisions import Preview
from toolkit.builtin.files.editing import (
    Edited,
    EditError,
    Occurrence,
    count_changed_lines,
    describe_change,
    excerpt,
    lines_of,
    replace_found,
    replace_lines,
    replace_matching,
)
from toolkit.builtin.files.listing import Effort
from toolkit.builtin.files.sandbox import (
    CHANGING_OPTIONS,
    DEFAULT_LIMIT,
    FileChangingTool,
    SandboxError,
    decode_text,
    encode_text,
    state_of,
)
from toolkit.builtin.options import FOLDER, Option, outside_project
from toolkit.errors import ToolArgumentsError, ToolExecutionError
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.context import ToolContext
from toolkit.walking import MissingError

_BYTE_ORDER_MARK = "\ufeff"
_SECONDS_FOR_EXPRESSIONS = 10.0

OPTIONS: Final = (
    Option("base", FOLDER, "the directory whose files can be edited", default=".", widens=outside_project),
    *CHANGING_OPTIONS,
)


@dataclass(frozen=True, slots=True)
class CodeEditInput:
    """The file to change, and the edit to make."""

    path: str = field(metadata={"description": "Relative file path within the sandbox directory"})
    command: Literal["replace_lines", "find_replace", "write"] = field(
        metadata={
            "description": "replace_lines: lines start_line to end_line become content; find_replace: the text in find "
            "becomes content; write: the whole file becomes content"
        }
    )
    content: str = field(metadata={"description": "The new text; if empty, the replaced text is deleted"})
    start_line: int | None = field(
        default=None, metadata={"description": "Number of the first line to replace, from 1"}
    )
    end_line: int | None = field(default=None, metadata={"description": "Number of the last line to replace"})
    find: str | None = field(
        default=None,
        metadata={"description": "Text to replace, exactly as in the file"},
    )
    regex: bool = field(
        default=False, metadata={"description": "Whether find is a regular expression; content is always literal text"}
    )
    occurrence: Occurrence = field(
        default="only",
        metadata={"description": "What to replace if find occurs more than once; only: nothing, it is an error"},
    )


class _Edit(NamedTuple):
    """The text of a file before an edit (`None` if the file does not exist) and after it."""

    old: str | None
    new: Edited

    @property
    def state(self) -> str:
        """A digest of the old state of the file."""
        return state_of(None if self.old is None else self.old.encode())


class CodeEdit(FileChangingTool[CodeEditInput]):
    """Changes parts of text files in one directory, and nothing outside it.

    A file is replaced completely or not at all. Line endings, including that of the last line, a byte order mark and
    the permissions stay as they are. A reviewer sees a unified diff of what the call would change. If the file has
    changed between the question and the answer, nothing is written and the call fails with the code `conflict`.
    """

    name = "code_edit"
    description = (
        "Changes part of a text file within a sandboxed directory. Use it to change existing files, after you have "
        "read them. Commands: replace_lines (start_line, end_line, content), find_replace (find, content) "
        "and write (content). Line endings are kept. Returns what was changed, with the new lines and their numbers."
    )

    def __init__(self, base: str | Path, *, requires_approval: bool = False, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Create the tool; see `FileChangingTool` for the arguments and errors."""
        super().__init__(base, requires_approval=requires_approval, max_bytes=max_bytes)
        self._turn = Lock()

    def check(self, parsed: CodeEditInput, context: ToolContext) -> None:
        """Check that the edit can be made, before a reviewer is asked.

        Raises:
            ToolArgumentsError: If arguments are missing or invalid.
            ToolExecutionError: If the file cannot be used, or does not contain the lines or the text to replace.
        """
        self._plan(parsed)

    def preview(self, parsed: CodeEditInput, context: ToolContext) -> str:
        """Return a unified diff of what the call would change."""
        path, edit = parsed.path.strip(), self._plan(parsed)
        effect = describe_change(path, edit.old, edit.new.text)
        return Preview(effect, state={self._sandbox.name_of(path): edit.state})

    def execute(self, input: CodeEditInput, context: ToolContext) -> ToolResult:
        """Make the change and report it to the event listener."""
        path = input.path.strip()
        with self._turn:  # concurrent edits would undo one another
            edit = self._plan(input)
            if context.shown_state(self._sandbox.name_of(path)) not in {None, edit.state}:
                return ToolResult.failure(f"{path} has changed since the edit was shown; read it again", "conflict")
            if edit.old != edit.new.text:
                self._replace(path, edit)
        if edit.old == edit.new.text:
            return ToolResult.success(f"{path} is unchanged: the new text is the same as the old text")
        if context.listener is not None:
            changed_lines = count_changed_lines(edit.old or "", edit.new.text)
            context.file_changed(path, "created" if edit.old is None else "modified", *changed_lines)
        return ToolResult.success(_answer(input, path, edit.new))

    def _plan(self, wanted: CodeEditInput) -> _Edit:
        """Return the text of the file before and after the edit."""
        path = wanted.path.strip()
        if not path:
            raise ToolArgumentsError("Path must not be blank")
        try:
            old = self._text_of(path)
            new = _edit(wanted, old)
        except SandboxError as error:
            raise ToolExecutionError(str(error), error.code) from error
        except EditError as error:
            raise ToolExecutionError(f"Failed to edit {path}: {error}") from error
        except OSError as error:
            raise _failed(path, error) from error
        encode_text(new.text, self._max_bytes)
        return _Edit(old, new)

    def _text_of(self, path: str) -> str | None:
        if not self._sandbox.holds(path, self._max_bytes):
            return None
        return decode_text(self._sandbox.read(path, self._max_bytes), path)

    def _replace(self, path: str, edit: _Edit) -> None:
        """Write the new text if the file still has the old one, so that no change in between is lost."""
        content = encode_text(edit.new.text, self._max_bytes)
        try:
            self._sandbox.replace(path, content, self._max_bytes, expected=edit.state)
        except SandboxError as error:
            raise ToolExecutionError(str(error), error.code) from error
        except OSError as error:
            raise _failed(path, error) from error


def _edit(wanted: CodeEditInput, old: str | None) -> Edited:
    if wanted.command == "write":
        return Edited(wanted.content, 1, len(lines_of(wanted.content)))
    if old is None:
        raise MissingError(f"File not found: {wanted.path.strip()}")
    mark = _BYTE_ORDER_MARK if old.startswith(_BYTE_ORDER_MARK) else ""
    edited = _edited_part(wanted, old.removeprefix(mark))
    return edited._replace(text=f"{mark}{edited.text}")


def _edited_part(wanted: CodeEditInput, text: str) -> Edited:
    if wanted.command == "replace_lines":
        if wanted.start_line is None or wanted.end_line is None:
            raise ToolArgumentsError("replace_lines needs start_line and end_line")
        return replace_lines(text, wanted.start_line, wanted.end_line, wanted.content)
    if wanted.find is None:
        raise ToolArgumentsError("find_replace needs find")
    if wanted.regex:
        effort = Effort(_SECONDS_FOR_EXPRESSIONS)
        return replace_matching(text, wanted.find, wanted.content, wanted.occurrence, effort.may_continue)
    return replace_found(text, wanted.find, wanted.content, wanted.occurrence)


def _answer(wanted: CodeEditInput, path: str, new: Edited) -> str:
    if wanted.command == "write":
        return f"Wrote {path}: {new.last} line{'' if new.last == 1 else 's'}"
    if wanted.command == "replace_lines":
        head = f"Replaced lines {wanted.start_line}-{wanted.end_line} in {path}"
    else:
        head = f"Replaced {new.replacements} occurrence{'' if new.replacements == 1 else 's'} in {path}"
    return f"{head}\n{excerpt(new.text, new.first, new.last)}".rstrip("\n")


def _failed(path: str, error: OSError) -> ToolExecutionError:
    return ToolExecutionError(f"Failed to edit {path}: {error.strerror or error}")
