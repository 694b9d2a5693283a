"""The tool `glob`: find files by a pattern for their paths."""

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from toolkit.builtin.files.listing import Effort, list_files, on_one_line
from toolkit.builtin.files.patterns import MalformedPatternError, compile_glob
from toolkit.builtin.files.sandbox import SandboxError
from toolkit.builtin.files.sandboxed import SandboxedTool
from toolkit.builtin.options import COUNT, DURATION, FOLDER, Option
from toolkit.builtin.widening import outside_project
from toolkit.tools.results import ToolResult

_MAX_RESULTS = 200
_TIMEOUT = 10.0

OPTIONS: Final = (
    Option("base", FOLDER, "the directory that it looks beneath", default=".", widens=outside_project),
    Option("max_results", COUNT, "paths that it returns at most", default=_MAX_RESULTS),
    Option("timeout", DURATION, "how long it looks", default="10s"),
)


@dataclass(frozen=True, slots=True)
class GlobInput:
    """Which files to find."""

    pattern: str = field(metadata={"description": "Pattern for paths relative to the folder, such as '**/*.py'"})
    path: str = field(default=".", metadata={"description": "Folder to look in, relative to the sandbox directory"})


class Glob(SandboxedTool[GlobInput]):
    """Finds files beneath one directory by a pattern for their paths."""

    name = "glob"
    description = (
        "Finds files by a pattern for their paths, within a sandboxed directory. Use it to see which files there are. "
        "* is any part of a name, ** any number of folders, {a,b} a choice: '*.md' finds files of the folder itself, "
        "'**/*.py' those of all folders in it, 'src/**/test_*.{js,ts}' some of them. Files that .gitignore leaves out "
        "are not found. Returns one path a line, relative to the sandboxed directory, sorted."
    )
    read_only = True
    destructive = False
    idempotent = True
    reads_files = True

    def __init__(self, base: str | Path, *, max_results: int = _MAX_RESULTS, timeout: float = _TIMEOUT) -> None:
        """Keep where files may be found.

        Args:
            base: An existing directory; links are not followed.
            max_results: How many paths are returned at most.
            timeout: Seconds that it looks at most; then it returns what it has found.

        Raises:
            ConfigurationError: If the directory does not exist, or the system cannot keep a tool inside it.
        """
        super().__init__(base)
        self._max_results = max_results
        self._timeout = timeout

    def execute(self, input: GlobInput) -> ToolResult:  # noqa: A002 - the name that typed tools have
        """Return the paths, or why there are none."""
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
