"""Risk: what may happen when a tool is called, as far as its marks tell."""

from dataclasses import dataclass
from typing import Literal

Chooser = Literal["person", "model"]
"""Who chose the call: a person (on the command line, as a written step, in code) or a model."""


@dataclass(frozen=True, slots=True)
class Risk:
    """The marks of a tool that decide whether somebody is asked; `None` means that nobody said.

    Attributes:
        tool: The name under which the tool is called.
        source: Where the tool comes from, such as `builtin` or a file, if known.
        requires_approval: Its author wants a question before every call.
        read_only: It changes nothing.
        destructive: It may destroy or overwrite something.
        open_world: It reaches things outside this machine.
    """

    tool: str
    source: str | None = None
    requires_approval: bool = False
    read_only: bool | None = None
    destructive: bool | None = None
    open_world: bool | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The marks in words, the gravest first."""
        words = (
            ("DESTRUCTIVE", self.destructive),
            ("requires approval", self.requires_approval),
            ("open world", self.open_world),
            ("read-only", self.read_only),
        )
        return tuple(word for word, applies in words if applies)
