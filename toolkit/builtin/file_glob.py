"""The `glob` tool, which finds files whose paths match a pattern."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from toolkit.builtin.files.listing import Effort, MalformedPatternError, compile_glob, list_files, on_one_line
from toolkit.builtin.files.sandbox import SandboxedTool, SandboxError
from toolkit.builtin.options import COUNT, DURATION, FOLDER, Option, outside_project
from toolkit.tools.calls.results import ToolResult

_MAX_RESULTS = 200
_TIMEOUT = 10.0

OPTIONS: Final = (
    Option("base", FOLDER, "the directory to search", default=".", widens=outside_project),
    Option("max_results", COUNT, "maximum number of paths to return", default=_MAX_RESULTS),
    Option("timeout", DURATION, "time limit for the search", default="10s"),
)


@dataclass(frozen=True, slots=True)
class GlobInput:
    """The pattern of the files to find, and the folder to search."""

    pattern: str = field(metadata={"description": "Pattern for paths relative to the folder, such as '**/*.py'"})
    path: str = field(default=".", metadata={"description": "Folder to search, relative to the sandbox directory"})


class Glob(SandboxedTool[GlobInput]):
    """Finds files in one directory whose paths match a pattern."""

    name = "glob"
    description = (
        "Finds files whose paths match a pattern, within a sandboxed directory. Use it to see which files there are. "
        "* matches any part of a name, ** any number of folders, and {a,b} either a or b: '*.md' finds files directly "
        "in the folder, '**/*.py' also those in all its subfolders, 'src/**/test_*.{js,ts}' only some of these. Files "
        "that .gitignore excludes are not found. Returns one path per line, relative to the sandboxed directory, "
        "sorted."
    )
    read_only = True
    destructive = False
    idempotent = True
    reads_files = True

    def __init__(self, base: str | Path, *, max_results: int = _MAX_RESULTS, timeout: float = _TIMEOUT) -> None:
        """Create the tool.

        Args:
            base: An existing directory. Symbolic links in it are not followed.
            max_results: Maximum number of paths to return.
            timeout: Time limit for the search, in seconds; what was found by then is returned.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__(base)
        self._max_results = max_results
        self._timeout = timeout

    def execute(self, input: GlobInput) -> ToolResult:
        """Return the paths that match, or a failure that says what went wrong."""
        pattern = input.pattern.strip()
        if not pattern:
            return ToolResult.failure("Pattern must not be blank")
        effort = Effort(self._timeout)
        try:
            matches = compile_glob(pattern).match
            files = list_files(self._sandbox.base, input.path.strip() or ".", effort)
            found = list(islice((file.path for file in files if matches(file.inside)), self._max_results + 1))
        except MalformedPatternError as error:
            return ToolResult.failure(f"Invalid glob pattern: {error}")
        except SandboxError as error:
            return ToolResult.failure(str(error), error.code)
        except OSError as error:
            return ToolResult.failure(f"Failed to list files: {error.strerror or error}")
        return self._result(pattern, found, effort)

    def _result(self, pattern: str, found: list[str], effort: Effort) -> ToolResult:
        remarks = effort.remarks()
        if len(found) > self._max_results:
            remarks = [f"there are more than {self._max_results} files: narrow the pattern or the path"]
        paths = [on_one_line(path) for path in found[: self._max_results]]
        lines = [*(paths or [f"No files found matching pattern: {pattern}"]), *(f"[{remark}]" for remark in remarks)]
        return ToolResult.success("\n".join(lines), structured={"files": paths, "complete": not remarks})
