"""Revealing: how a tool that stands for others hands them over, as plain data that any loop can use."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.tools.base import Tool


@dataclass(frozen=True, slots=True)
class Unfolded:
    """The tools that a call has revealed; the `artifact` of the call's result.

    Attributes:
        facade: The name of the tool that was called; it makes way for the tools here.
        tools: The tools that stood behind it.
        guides: What goes with them: a tool of the facade's name that leads back to them, and one that describes
            them. They keep a model which calls the facade again from going astray.
        exclusive: Whether all other tools make way too, for the rest of the loop.
        notes: How the tools are to be used.
    """

    facade: str
    tools: "tuple[Tool, ...]"
    guides: "tuple[Tool, ...]" = field(default=(), kw_only=True)
    exclusive: bool = field(default=False, kw_only=True)
    notes: str | None = field(default=None, kw_only=True)
