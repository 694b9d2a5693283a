"""The `code_search` tool, which finds lines of files that match a regular expression."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from toolkit.builtin.files.listing import Effort, Listed, MalformedPatternError, compile_glob, list_files, on_one_line
from toolkit.builtin.files.sandbox import SandboxedTool, SandboxError
from toolkit.builtin.options import COUNT, DURATION, FOLDER, Option, outside_project
from toolkit.regex_checks import MalformedExpressionError, TooMuchWorkError, compile_line_expression
from toolkit.tools.calls.results import ToolResult
from toolkit.walking import UnfitError

_MAX_RESULTS = 100
_MAX_BYTES = 5 * 1024 * 1024
_TIMEOUT = 10.0
_MAX_CONTEXT = 20
_MAX_SHOWN_OF_A_LINE = 500
_MAX_SHOWN = 100_000
_CHECKED_FOR_NUL = 8_192
_LINES_BETWEEN_CHECKS = 500
_LONG_LINE = 1_000

OPTIONS: Final = (
    Option("base", FOLDER, "the directory to search", default=".", widens=outside_project),
    Option("max_results", COUNT, "maximum number of matches to return", default=_MAX_RESULTS),
    Option("max_bytes", COUNT, "maximum file size in bytes; larger files are not searched", default=_MAX_BYTES),
    Option("timeout", DURATION, "time limit for the search", default="10s"),
)


@dataclass(frozen=True, slots=True)
class CodeSearchInput:
    """The expression to search for, and the files to search."""

    pattern: str = field(metadata={"description": "Regular expression that is matched against each line"})
    path: str = field(
        default=".", metadata={"description": "Folder or file to search, relative to the sandbox directory"}
    )
    glob: str = field(
        default="",
        metadata={"description": "Only files whose name matches, such as '*.py', or whose path, such as 'src/**/*.py'"},
    )
    ignore_case: bool = field(default=False, metadata={"description": "Whether to ignore upper and lower case"})
    context_lines: int = field(default=0, metadata={"description": "Lines to show before and after each match"})


class _File(NamedTuple):
    """The lines to show of one file, by line number from 1, and the numbers of those that match."""

    path: str
    lines: dict[int, str]
    matches: list[int]


class CodeSearch(SandboxedTool[CodeSearchInput]):
    """Finds lines of text files in one directory that match a regular expression."""

    name = "code_search"
    description = (
        "Searches files for lines that match a regular expression, within a sandboxed directory. Use it to find where "
        "something is defined or used. The syntax is ripgrep's, without look-around and backreferences; escape "
        "characters such as ( [ { . + with a backslash to match them literally. Files that .gitignore excludes, and "
        "files that are not text, are not searched. Returns 'file:line:text' for each match, sorted by file; lines of "
        "context have '-' instead of ':'."
    )
    read_only = True
    destructive = False
    idempotent = True
    reads_files = True

    def __init__(
        self,
        base: str | Path,
        *,
        max_results: int = _MAX_RESULTS,
        max_bytes: int = _MAX_BYTES,
        timeout: float = _TIMEOUT,
    ) -> None:
        """Create the tool.

        Args:
            base: An existing directory. Symbolic links in it are not followed.
            max_results: Maximum number of matches to return.
            max_bytes: Maximum file size in bytes; larger files are not searched.
            timeout: Time limit for the search, in seconds; what was found by then is returned.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__(base)
        self._max_results = max_results
        self._max_bytes = max_bytes
        self._timeout = timeout

    def execute(self, input: CodeSearchInput) -> ToolResult:
        """Return the lines that match, or a failure that says what went wrong."""
        if not input.pattern:
            return ToolResult.failure("Search pattern must not be empty")
        if not 0 <= input.context_lines <= _MAX_CONTEXT:
            return ToolResult.failure(f"context_lines must be from 0 to {_MAX_CONTEXT}")
        try:
            search = _Search(input, Effort(self._timeout), self._max_bytes, self._max_results)
            found = search.files(self._sandbox.base)
        except MalformedExpressionError as error:
            return ToolResult.failure(f"Invalid regular expression: {error}")
        except MalformedPatternError as error:
            return ToolResult.failure(f"Invalid glob pattern: {error}")
        except SandboxError as error:
            return ToolResult.failure(str(error), error.code)
        except OSError as error:
            return ToolResult.failure(f"Failed to search: {error.strerror or error}")
        return _result(input, found, search.remarks)


class _Search:
    def __init__(self, wanted: CodeSearchInput, effort: Effort, max_bytes: int, most: int) -> None:
        self.wanted = wanted
        self.effort = effort
        self.expression = compile_line_expression(wanted.pattern, ignore_case=wanted.ignore_case)
        self.max_bytes = max_bytes
        self.most = most
        self.left_over = False
        self.too_large = 0
        self.too_long = 0

    def files(self, base: Path) -> list[_File]:
        is_wanted = _filter_of(self.wanted.glob.strip())
        found: list[_File] = []
        for listed in list_files(base, self.wanted.path.strip() or ".", self.effort):
            if not is_wanted(listed) or (text := self.text_of(listed)) is None:
                continue
            lines = _lines_of(text)
            if matches := list(self.numbers(lines)):
                shown = _with_context(matches, self.wanted.context_lines, len(lines))
                kept = {number: _cut(lines[number - 1]) for number in shown}
                found.append(_File(on_one_line(listed.path), kept, matches))
            if self.left_over or self.effort.stopped:
                break
        return found

    def text_of(self, listed: Listed) -> str | None:
        """Return the text of a file, or `None` if it is binary, too large or cannot be read."""
        try:
            content = listed.read(self.max_bytes)
        except UnfitError:
            self.too_large += 1
            return None
        except (SandboxError, OSError):  # it is gone, or may not be read
            return None
        return None if b"\0" in content[:_CHECKED_FOR_NUL] else content.decode(errors="replace")

    def numbers(self, lines: list[str]) -> Iterator[int]:
        """Yield the numbers of the lines that match, until the limit of results or of time is reached."""
        for number, line in enumerate(lines, start=1):
            if (number % _LINES_BETWEEN_CHECKS == 1 or len(line) > _LONG_LINE) and not self.effort.may_continue():
                return  # the effort records why
            if not self.matches(line):
                continue
            if not self.most:
                self.left_over = True
                return
            self.most -= 1
            yield number

    def matches(self, line: str) -> bool:
        """Return whether a line matches; a line that is too long to search counts as one that does not."""
        try:
            return self.expression.matches(line)
        except TooMuchWorkError:
            self.too_long += 1
            return False

    @property
    def remarks(self) -> list[str]:
        """Notes on what was not searched or is not shown."""
        remarks = self.effort.remarks()
        if self.left_over:
            remarks.append("there are more matches: narrow the pattern, the glob or the path")
        if self.too_large:
            files = "file is" if self.too_large == 1 else "files are"
            remarks.append(f"{self.too_large} {files} larger than {self.max_bytes} bytes and not searched")
        if self.too_long:
            lines = "line is" if self.too_long == 1 else "lines are"
            remarks.append(f"{self.too_long} {lines} too long for this pattern and not searched: make it shorter")
        return remarks


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text without their line endings."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    return lines if lines[-1] else lines[:-1]


def _filter_of(glob: str) -> Callable[[Listed], bool]:
    """Return a function that selects files by a glob; a glob without a slash matches names in every folder."""
    if not glob:
        return lambda _: True
    matches = compile_glob(glob if "/" in glob else f"**/{glob}").match
    return lambda listed: matches(listed.inside) is not None


def _result(wanted: CodeSearchInput, found: list[_File], remarks: list[str]) -> ToolResult:
    matches = [
        {"file": file.path, "line": number, "text": file.lines[number]} for file in found for number in file.matches
    ]
    lines: list[str] = []
    room = _MAX_SHOWN
    for line in _show(found, wanted.context_lines):
        room -= len(line)
        if room < 0:
            remarks = [*remarks, f"more than {_MAX_SHOWN} characters: ask for fewer lines of context"]
            break
        lines.append(line)
    if not found:
        lines = [f"No matches found for pattern: {wanted.pattern}"]
    lines += [f"[{remark}]" for remark in remarks]
    return ToolResult.success("\n".join(lines), structured={"matches": matches, "complete": not remarks})


def _show(found: list[_File], context: int) -> Iterator[str]:
    """Yield the output lines, with `--` between groups of lines that are not adjacent."""
    is_first = True
    for file in found:
        matches = set(file.matches)
        last = 0
        for number, line in file.lines.items():
            if context and not is_first and (not last or number > last + 1):
                yield "--"
            sign = ":" if number in matches else "-"
            yield f"{file.path}{sign}{number}{sign}{line}"
            last, is_first = number, False


def _with_context(matches: list[int], context: int, count: int) -> list[int]:
    near = {near for number in matches for near in range(number - context, number + context + 1)}
    return sorted(number for number in near if 1 <= number <= count)


def _cut(line: str) -> str:
    rest = len(line) - _MAX_SHOWN_OF_A_LINE
    return f"{line[:_MAX_SHOWN_OF_A_LINE]}… [{rest} more characters]" if rest > 0 else line
