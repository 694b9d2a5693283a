"""The tools that a facade reveals when it is called, as plain data for any agent loop."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolkit.tools.base import Tool


@dataclass(frozen=True, slots=True)
class Unfolded:
    """The tools that a call has revealed; the `artifact` of the call's result.

    Attributes:
        facade: The name of the called tool, which the revealed tools replace.
        tools: The revealed tools.
        guides: Additional tools: one with the name of the facade that refers to the revealed tools, in case a model
            calls the facade again, and one that describes them.
        exclusive: Whether all other tools are hidden too, for the rest of the loop.
        notes: How to use the tools.
    """

    facade: str
    tools: "tuple[Tool, ...]"
    guides: "tuple[Tool, ...]" = field(default=(), kw_only=True)
    exclusive: bool = field(default=False, kw_only=True)
    notes: str | None = field(default=None, kw_only=True)
