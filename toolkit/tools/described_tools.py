"""The tools of a class of which there is no object: they can be inspected, but not called."""

from collections.abc import Callable
from typing import Any

from toolkit.errors import ConfigurationError
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.context import ToolContext
from toolkit.tools.function_readings import methods_of
from toolkit.tools.secret_arguments import members_of
from toolkit.tools.spec import ToolSpec


class DescribedTool(Tool):
    """A marked method of a class of which there is no object: it can be inspected, but not called."""

    suspends = False
    uses_context = False

    def __init__(self, spec: ToolSpec, function: Callable[..., Any] | None = None) -> None:
        """Create it from its specification and, if known, the method that is never called."""
        self.spec = spec
        self.function = function

    def parse(self, arguments: Arguments) -> Any:
        """Return the arguments, which are not validated."""
        return (members_of(arguments) or {}) if isinstance(arguments, str) else dict(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the arguments with secrets masked."""
        return self.veil.over(dict(parsed))

    async def perform(self, parsed: Any, context: ToolContext) -> Any:
        """Raise an exception, since there is no object.

        Raises:
            ConfigurationError: Always.
        """
        raise ConfigurationError(f"'{self.name}' is a method of a class, and needs an object of it")


def described_tools(cls: type, source: str) -> list[Tool]:
    """Return the tools of a class's marked methods for inspection, without creating an object of the class.

    Raises:
        InvalidTools: If a method is not a valid tool; `problems` lists everything that is wrong.
    """
    return [
        DescribedTool(ToolSpec(**{**reading.fields, "source": source}), method) for method, reading in methods_of(cls)
    ]
