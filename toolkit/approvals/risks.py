"""Risk: what a call of a tool may do, according to its marks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

Chooser = Literal["person", "model"]
"""Who chose the call: a person (on the command line, as a written step, in code) or a model."""


Flow = Literal["reads_untrusted", "reads_private", "writes", "sends"]
"""What a tool does with data: it reads what others wrote, reads private data, changes something, or sends data out."""

FLOWS: Final[tuple[Flow, ...]] = get_args(Flow)


@dataclass(frozen=True, slots=True)
class Risk:
    """The marks of a tool that decide whether somebody is asked; `None` means not set.

    Attributes:
        tool: The name under which the tool is called.
        source: Where the tool comes from, such as `builtin` or a file, if known.
        requires_approval: Its author wants a question before every call.
        read_only: It changes nothing.
        destructive: It may destroy or overwrite something.
        open_world: It reaches things outside this machine.
        framework: The framework that it was written for; `None` for a tool of ours.
        names: Other names that it goes by, where it has been given another: the first is the one that it was given
            where it comes from.
        origin: Where it came from first, where a project's file or module gives it another source.
        brought_by: The file of a project that brings it; `None` where the user has named what it comes from.
        allowed_as: The names by which a rule may allow it, where these are not all of its names.
        definition: What a model is sent of it, if known.
        flow: What it does with data.
        has_changed: Its definition is not the one that somebody has agreed to.
    """

    tool: str
    source: str | None = None
    requires_approval: bool = False
    read_only: bool | None = None
    destructive: bool | None = None
    open_world: bool | None = None
    framework: str | None = None
    names: tuple[str, ...] = ()
    origin: str | None = None
    brought_by: str | None = None
    allowed_as: tuple[str, ...] = ()
    definition: Mapping[str, Any] | None = field(default=None, compare=False, repr=False)
    flow: frozenset[Flow] = frozenset()
    has_changed: bool = False

    def __hash__(self) -> int:
        """Return what equal marks share, the name alone: a gate takes note of every call that it admits."""
        return hash(self.tool)

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

    @property
    def digest(self) -> str:
        """The SHA-256 of its definition and its marks: a tool whose definition has changed has another one."""
        import json  # noqa: PLC0415 - few rules have a digest
        from hashlib import sha256  # noqa: PLC0415

        return sha256(json.dumps([self.definition, self.labels], sort_keys=True, default=dict).encode()).hexdigest()
