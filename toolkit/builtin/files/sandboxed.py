"""Sandboxed tools: what the tools have in common that reach the files beneath one directory."""

from collections.abc import Mapping
from pathlib import Path

from toolkit.builtin.files.sandbox import Sandbox
from toolkit.tools.typed import Input, TypedTool


class SandboxedTool(TypedTool[Input]):
    """A tool for the files beneath one directory, and nothing outside it."""

    open_world = False
    source = "builtin"

    def __init__(self, base: str | Path) -> None:
        """Keep the directory.

        Raises:
            ConfigurationError: If it does not exist, or the system cannot keep a tool inside it.
        """
        super().__init__()
        self._sandbox = Sandbox(base)

    @property
    def uses(self) -> Mapping[str, str]:
        """The directory that its paths are beneath."""
        return {"base": str(self._sandbox.base)}
