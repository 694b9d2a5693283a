"""Changing: what the tools that write text files beneath one directory have in common."""

from pathlib import Path
from typing import Final

from toolkit.builtin.files.sandbox import DEFAULT_LIMIT
from toolkit.builtin.files.sandboxed import SandboxedTool
from toolkit.builtin.options import COUNT, SWITCH, Option
from toolkit.tools.typed import Input

CHANGING_OPTIONS: Final = (
    Option("requires_approval", SWITCH, "whether a reviewer must approve every call", default=False),
    Option("max_bytes", COUNT, "bytes that a file may have, before and after", default=DEFAULT_LIMIT),
)


class FileChangingTool(SandboxedTool[Input]):
    """A tool that changes text files beneath one directory, and nothing outside it."""

    read_only = False
    destructive = True
    idempotent = False

    def __init__(self, base: str | Path, *, requires_approval: bool = False, max_bytes: int = DEFAULT_LIMIT) -> None:
        """Keep where files may be changed.

        Args:
            base: An existing directory; links that lead out of it are refused.
            requires_approval: Whether a reviewer must approve every call; then a context without one is an error.
            max_bytes: How large a file may be, before and after.

        Raises:
            ConfigurationError: If the directory does not exist, or the system cannot keep a tool inside it.
        """
        super().__init__(base)
        self.requires_approval = requires_approval
        self._max_bytes = max_bytes
