"""Lists the ready tools; each is imported only when its options are needed or when it is built."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from toolkit.builtin.options import Option
    from toolkit.tools.base import Tool

ALL_READY = "builtin"
"""The name for all ready tools."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ReadyTool(NamedTuple):
    """One ready tool, which is imported only when its options are needed or when it is built.

    Attributes:
        name: The name of the tool, unless a configuration gives it another one.
        summary: What the tool does, in a few words for a list.
        module: The module in this package that defines it.
        class_name: The class of the tool.
    """

    name: str
    summary: str
    module: str
    class_name: str

    @property
    def options(self) -> "tuple[Option, ...]":
        """The options of the tool."""
        options: tuple[Option, ...] = self.load().OPTIONS
        return options

    def build(self, base: Path | None = None, options: Mapping[str, Any] = _NOTHING) -> "Tool":
        """Create the tool.

        Args:
            base: The directory that relative paths start from, and to which file tools are confined unless an option
                sets another one; by default, the current directory.
            options: Values of the tool's options, by name.

        Raises:
            ConfigurationError: If options are unknown or have invalid values (the error lists all of them), or if the
                tool cannot work here.
        """
        from toolkit.builtin.options import take_options  # a list of the tools reads no options

        module, here = self.load(), Path.cwd() if base is None else base
        folders = {option.name: here for option in module.OPTIONS if option.default == "."}
        make = getattr(module, "build", None) or getattr(module, self.class_name)
        tool: Tool = make(**folders | take_options(module.OPTIONS, options, here))
        return tool

    def load(self) -> ModuleType:
        """Import the tool's module."""
        return import_module(f"toolkit.builtin.{self.module}")


_TOOLS = [
    ReadyTool("calculator", "Evaluates an arithmetic expression exactly", "calculator", "Calculator"),
    ReadyTool("code_edit", "Changes part of a text file in one directory", "code_edit", "CodeEdit"),
    ReadyTool("code_search", "Finds lines of files that match a regular expression", "code_search", "CodeSearch"),
    ReadyTool("datetime", "Tells the time, adds to dates, converts between time zones", "date_time", "DateTime"),
    ReadyTool("file_read", "Reads a text file in one directory", "file_read", "FileRead"),
    ReadyTool("file_write", "Writes a text file in one directory", "file_write", "FileWrite"),
    ReadyTool("glob", "Finds files whose paths match a pattern", "file_glob", "Glob"),
    ReadyTool("http", "Sends the input to one endpoint of your own by HTTP", "http_endpoint", "Http"),
    ReadyTool("human_input", "Asks a person a question", "human_input", "HumanInput"),
    ReadyTool("json_parser", "Picks values out of a JSON document", "json_parser", "JsonParser"),
    ReadyTool("process", "Runs one command of your own with the input", "process", "Process"),
    ReadyTool("web_scrape", "Reads a web page", "web_scrape", "WebScrape"),
    ReadyTool("web_search", "Searches the web", "web_search", "WebSearch"),
]


def ready_tools() -> dict[str, ReadyTool]:
    """Return all ready tools, by name."""
    return {tool.name: tool for tool in _TOOLS}


def options_of(tool: "Tool") -> "tuple[Option, ...]":
    """Return the options of a ready tool, also if it is wrapped; other tools have none."""
    from toolkit.tools.base import innermost  # what is looked up here is a Tool already

    made = type(innermost(tool))
    ready = next((each for each in _TOOLS if made.__module__ == f"toolkit.builtin.{each.module}"), None)
    return ready.options if ready else ()
