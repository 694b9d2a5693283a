"""The ready tools: one a file, each safe enough for a model to hold.

`from toolkit.builtin import Calculator` imports that tool alone.
"""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from toolkit.builtin.calculator import Calculator
    from toolkit.builtin.date_time import DateTime
    from toolkit.builtin.file_read import FileRead
    from toolkit.builtin.file_write import FileWrite
    from toolkit.builtin.human_input import HumanInput
    from toolkit.builtin.json_parser import JsonParser
    from toolkit.tools.base import Tool

__all__ = ["Calculator", "DateTime", "FileRead", "FileWrite", "HumanInput", "JsonParser", "ReadyTool", "ready_tools"]


class ReadyTool(NamedTuple):
    """One ready tool, before it is imported: `build()` imports and makes it.

    Attributes:
        summary: What it does, in a few words for a list.
        build: Makes the tool; raises `ConfigurationError` where it cannot work.
    """

    summary: str
    build: Callable[[], "Tool"]


class _Entry(NamedTuple):
    module: str
    class_name: str
    summary: str
    takes_directory: bool = False


_TOOLS = {
    "calculator": _Entry("calculator", "Calculator", "Evaluates an arithmetic expression exactly"),
    "datetime": _Entry("date_time", "DateTime", "Tells the time, adds to dates, converts between time zones"),
    "file_read": _Entry("file_read", "FileRead", "Reads a text file beneath one directory", takes_directory=True),
    "file_write": _Entry("file_write", "FileWrite", "Writes a text file beneath one directory", takes_directory=True),
    "human_input": _Entry("human_input", "HumanInput", "Asks a person a question"),
    "json_parser": _Entry("json_parser", "JsonParser", "Picks one value out of a JSON document"),
}


def ready_tools(base: Path | None = None) -> dict[str, ReadyTool]:
    """Return every ready tool by its name; none is imported before it is built.

    Args:
        base: The directory that file tools stay in; the current one unless it is given.
    """
    return {name: ReadyTool(entry.summary, _builder(entry, base)) for name, entry in _TOOLS.items()}


def _builder(entry: _Entry, base: Path | None) -> Callable[[], "Tool"]:
    def build() -> "Tool":
        make = _load(entry)
        tool: Tool = make(base or Path.cwd()) if entry.takes_directory else make()
        return tool

    return build


def _load(entry: _Entry) -> Any:
    return getattr(import_module(f"toolkit.builtin.{entry.module}"), entry.class_name)


def __getattr__(name: str) -> Any:
    """Import the one tool that is asked for."""
    for entry in _TOOLS.values():
        if entry.class_name == name:
            return _load(entry)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the names there are, imported or not."""
    return sorted(__all__)
