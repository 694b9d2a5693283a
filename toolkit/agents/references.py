"""References: additional knowledge for an agent, with its own tools."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from toolkit.disclosure.facades import UnfoldingTool
from toolkit.disclosure.offering import folded_tools
from toolkit.errors import ConfigurationError
from toolkit.regular_files import bounded_bytes
from toolkit.tools.base import Tool
from toolkit.tools.context import ToolContext

Notes = str | Path | Callable[[], str]
"""The content of a reference: a string, the path of a text file, or a function that is called at every start."""

_Instructions = str | Callable[[ToolContext, str], str]


class Reference:
    """Additional knowledge for an agent, such as a handbook, a store or an API: notes for the prompt, and tools.

    The name of each tool is prefixed with the name of the reference, so two references can both have a tool `search`.

    Attributes:
        name: The name of the reference.
        description: A one-sentence description.
        notes: How to use it, at any length.
        prefix: The prefix of the names of its tools.
    """

    def __init__(
        self, name: str, description: str, notes: Notes = "", tools: Iterable[Any] = (), *, prefix: str | None = None
    ) -> None:
        """Create a reference.

        Args:
            name: The name of the reference, which can contain any characters.
            description: A one-sentence description.
            notes: How to use it. A file is read, and a function called, whenever an agent starts.
            tools: Anything that `resolve_tools` accepts. A toolbox becomes one facade.
            prefix: The prefix of the names of its tools, to which an underscore is added. By default, it is made from
                the name; an empty string means no prefix.

        Raises:
            InvalidTools: If the tools are invalid. The exception lists all problems.
            ConfigurationError: If the name is blank.
        """
        if not name.strip():
            raise ConfigurationError("a reference needs a name")
        self.name = name
        self.description = description
        self.notes = notes
        self.prefix = prefix if prefix is not None else _safe(name)
        self._own = tuple(folded_tools(tools).values())
        self._is_unfolding = False

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that an agent is offered, with prefixed names."""
        if self._is_unfolding:
            return (self.facade(),) if self._own else ()
        return self._prefixed()

    def _prefixed(self) -> tuple[Tool, ...]:
        if not self.prefix:
            return self._own
        return tuple(tool.with_name(f"{self.prefix}_{tool.name}") for tool in self._own)

    def facade(self) -> UnfoldingTool:
        """Return the reference as a facade: a tool that reveals the tools and the notes when it is called.

        Raises:
            ConfigurationError: If the notes cannot be read.
        """
        name = self.prefix or _safe(self.name)
        return UnfoldingTool.of(name, self.description, self._prefixed(), usage_notes=self._read() or None)

    def unfolding(self) -> "Reference":
        """Return the reference with its tools and notes behind a facade."""
        other = Reference(self.name, self.description, self.notes, self._own, prefix=self.prefix)
        other._is_unfolding = True
        return other

    def section(self) -> str:
        """Return the section that is added to an agent's instructions.

        Raises:
            ConfigurationError: If the notes cannot be read.
        """
        names = ", ".join(tool.name for tool in self.tools)
        lines = [f"# Reference: {self.name}", self.description, f"Its tools: {names}." if names else ""]
        hides_notes = self._is_unfolding and self._own
        notes = "" if hides_notes else self._read()
        head = "\n".join(line for line in lines if line)
        return f"{head}\n\n{notes}" if notes else head

    def _read(self) -> str:
        try:
            if isinstance(self.notes, Path):
                return bounded_bytes(self.notes).decode("utf-8").strip()
            return (self.notes if isinstance(self.notes, str) else self.notes()).strip()
        except Exception as error:
            reason = str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            raise ConfigurationError(f"the notes of the reference '{self.name}' cannot be read: {reason}") from error

    def __repr__(self) -> str:
        """Return the class and the name."""
        return f"<Reference {self.name!r}>"


def with_references(instructions: _Instructions, references: Sequence[Reference]) -> _Instructions:
    """Return instructions that include the references, which are read at every start."""
    if not references:
        return instructions

    def instructions_for(context: ToolContext, task: str) -> str:
        first = instructions if isinstance(instructions, str) else instructions(context, task)
        return "\n\n".join(part for part in (first, *(each.section() for each in references)) if part)

    return instructions_for


def referenced_tools(references: Iterable[Reference]) -> list[Tool]:
    """Return the tools of references, with prefixed names."""
    return [tool for each in references for tool in each.tools]


def _safe(name: str) -> str:
    """Return a name as a valid prefix of tool names: lowercase letters, digits and underscores."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode("ascii").casefold()
    return re.sub(r"[^a-z0-9]+", "_", plain).strip("_") or "reference"
