"""The base class and the options of the tools that change text files in one directory."""

from pathlib import Path
from typing import Final

from toolkit.builtin.files.sandbox import DEFAULT_LIMIT
from toolkit.builtin.files.sandboxed import SandboxedTool
from toolkit.builtin.options import COUNT, SWITCH, Option
from toolkit.tools.typed import Input

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
