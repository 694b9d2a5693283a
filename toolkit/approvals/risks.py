"""Describes what a call of a tool could do, according to the tool's marks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

Chooser = Literal["person", "model"]
"""Who chose the call: a person (on the command line, as a written step, in code) or a model."""


Flow = Literal["reads_untrusted", "reads_private", "writes", "sends"]
"""What a tool does with data: it reads untrusted content, reads private data, changes something, or sends data out."""

FLOWS: Final[tuple[Flow, ...]] = get_args(Flow)

_REMOTE: Final = "mcp://"


def server_of(source: str | None) -> str | None:
    """Return the name of the MCP server that a tool's source names, or `None` for a tool of this process."""
    return source.removeprefix(_REMOTE).partition("/")[0] if source and source.startswith(_REMOTE) else None


@dataclass(frozen=True, slots=True)
class Risk:
    """The marks of a tool that decide whether its calls need approval; `None` means not set.

    Attributes:
        tool: The name under which the tool is called.
        source: Where the tool comes from, such as `builtin` or a file, if known.
        requires_approval: Whether the tool's author requires approval of every call.
        read_only: Whether the tool changes nothing.
        destructive: Whether the tool can destroy or overwrite something.
        open_world: Whether the tool accesses things outside this machine.
        framework: The framework of the tool; `None` for a tool of this library.
        names: The tool's other names if it was renamed, with the original name first.
        origin: The tool's original source if a project's file or module gives it another one.
        brought_by: The file of the project that provides the tool; `None` if the user chose the source.
        allowed_as: The names by which a rule can allow the tool, if these are not all its names.
        definition: The definition that models receive, if known.
        flow: What the tool does with data.
        files: All files and modules that define the tool or pass it on, as their sources name them; for rules that deny
            or ask.
        dotted_names: Names such as `box.drop`, after the class, the object or a facade to which the tool belongs; for
            rules that deny or ask.
        has_changed: Whether the definition differs from the one that was locked.
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
    files: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    dotted_names: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    has_changed: bool = False

    def __hash__(self) -> int:
        """Hash only the name, which is fast, since a gate records every call that it allows."""
        return hash(self.tool)

    @property
    def labels(self) -> tuple[str, ...]:
        """The marks in words, the most serious ones first."""
        words = (
            ("DESTRUCTIVE", self.destructive),
            ("requires approval", self.requires_approval),
            ("open world", self.open_world),
            ("read-only", self.read_only),
        )
        return tuple(word for word, applies in words if applies)

    @property
    def digest(self) -> str:
        """The SHA-256 of the definition and the marks, which changes with the definition."""
        import json  # few rules have a digest
        from hashlib import sha256

        return sha256(json.dumps([self.definition, self.labels], sort_keys=True, default=dict).encode()).hexdigest()
