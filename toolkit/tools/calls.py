"""Tool calls: what a model asks for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A request to call a tool, as a model makes it.

    Attributes:
        name: The name of the tool, as it was offered.
        arguments: The arguments as JSON text of an object.
        id: What ties the result to the call; some providers give none.
    """

    name: str
    arguments: str = "{}"
    id: str | None = None
