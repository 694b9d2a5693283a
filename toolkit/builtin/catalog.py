"""The catalog of the ready tools: each is imported only when its options are asked for or it is built."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from toolkit.builtin.options import Option
    from toolkit.tools.base import Tool

_NOTHING: Mapping[str, Any] = MappingProxyType({})


class ReadyTool(NamedTuple):
    """One ready tool, which is not imported before its options are asked for or it is built.

    Attributes:
        name: What it is called unless it is configured under another name.
        summary: What it does, in a few words for a list.
        module: Where it is written, in this package.
        class_name: The class that it is made of.
    """

    name: str
    summary: str
    module: str
    class_name: str

    @property
    def options(self) -> "tuple[Option, ...]":
        """Its options."""
        options: tuple[Option, ...] = self.load().OPTIONS
        return options

    def build(self, base: Path | None = None, options: Mapping[str, Any] = _NOTHING) -> "Tool":
        """Make the tool.

        Args:
            base: The directory that relative paths start from, and that file tools stay in unless an option names
                another; the current one unless it is given.
            options: Values of its options, by their names.

        Raises:
            ConfigurationError: If an option is unknown or has a wrong value, with every one that is wrong, or
                if the tool cannot work here.
        """
        from toolkit.builtin.options import take_options  # noqa: PLC0415 - a list of the tools reads no options

        module, here = self.load(), Path.cwd() if base is None else base
        folders = {option.name: here for option in module.OPTIONS if option.default == "."}
        make = getattr(module, "build", None) or getattr(module, self.class_name)
        tool: Tool = make(**folders | take_options(module.OPTIONS, options, here))
        return tool

    def load(self) -> ModuleType:
        """Import its module."""
        return import_module(f"toolkit.builtin.{self.module}")


_TOOLS = [
    ReadyTool("calculator", "Evaluates an arithmetic expression exactly", "calculator", "Calculator"),
    ReadyTool("code_edit", "Changes a part of a text file beneath one directory", "code_edit", "CodeEdit"),
    ReadyTool("code_search", "Finds lines of files by a regular expression", "code_search", "CodeSearch"),
    ReadyTool("datetime", "Tells the time, adds to dates, converts between time zones", "date_time", "DateTime"),
    ReadyTool("file_read", "Reads a text file beneath one directory", "file_read", "FileRead"),
    ReadyTool("file_write", "Writes a text file beneath one directory", "file_write", "FileWrite"),
    ReadyTool("glob", "Finds files by a pattern for their paths", "file_glob", "Glob"),
    ReadyTool("http", "Sends the input to one endpoint of your own by HTTP", "http_endpoint", "Http"),
    ReadyTool("human_input", "Asks a person a question", "human_input", "HumanInput"),
    ReadyTool("json_parser", "Picks values out of a JSON document", "json_parser", "JsonParser"),
    ReadyTool("process", "Runs one command of your own with the input", "process", "Process"),
    ReadyTool("web_scrape", "Reads a page of the web", "web_scrape", "WebScrape"),
    ReadyTool("web_search", "Searches the web", "web_search", "WebSearch"),
]


def ready_tools() -> dict[str, ReadyTool]:
    """Return every ready tool by its name."""
    return {tool.name: tool for tool in _TOOLS}


def options_of(tool: "Tool") -> "tuple[Option, ...]":
    """Return the options of a tool if it is a ready one, whatever it is wrapped in."""
    from toolkit.tools.base import innermost  # noqa: PLC0415 - what is looked up here is a Tool already

    made = type(innermost(tool))
    ready = next((each for each in _TOOLS if made.__module__ == f"toolkit.builtin.{each.module}"), None)
    return ready.options if ready else ()
