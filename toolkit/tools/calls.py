"""A model's request to call a tool."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to call a tool.

    Attributes:
        name: The name of the tool.
        arguments: The arguments as a JSON object.
        id: Identifies the call to which the result belongs; some providers do not send one.
    """

    name: str
    arguments: str = "{}"
    id: str | None = None
