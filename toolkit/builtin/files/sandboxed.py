"""The base class of the tools that are confined to the files of one directory."""

from collections.abc import Mapping
from pathlib import Path

from toolkit.builtin.files.sandbox import Sandbox
from toolkit.tools.typed import Input, TypedTool


class SandboxedTool(TypedTool[Input]):
    """A tool for the files in one directory, and nothing outside it."""

    open_world = False
    source = "builtin"

    def __init__(self, base: str | Path) -> None:
        """Create the tool.

        Raises:
            ConfigurationError: If the directory does not exist, or this system cannot confine a tool to it.
        """
        super().__init__()
        self._sandbox = Sandbox(base)

    @property
    def uses(self) -> Mapping[str, str]:
        """The directory to which the tool is confined."""
        return {"base": str(self._sandbox.base)}
