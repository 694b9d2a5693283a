"""What a dialect, or another provider of models, declares about itself, in its own module."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from toolkit.dialects.fitting import fit
from toolkit.dialects.provider_limits import Limits, Notes
from toolkit.tools.definition.spec import ToolSpec

CHECKED: Final = "2026-11-22"
"""The day on which most limits were checked."""

WORD: Final = r"[a-zA-Z0-9_-]+"
"""The names that most providers accept."""

STRICT_SHAPE: Final = frozenset(
    {"type", "description", "properties", "required", "additionalProperties", "items", "enum", "anyOf", "$ref", "$defs"}
)
"""The keywords that every strict mode supports."""


class Draft(NamedTuple):
    """A definition that is about to be written: the tool, the limits that apply to it, and what is changed for them."""

    spec: ToolSpec
    limits: Limits
    strict: bool
    notes: Notes

    @property
    def described(self) -> dict[str, Any]:
        """The name, and the description if there is one."""
        return {"name": self.spec.name} | ({"description": self.spec.description} if self.spec.description else {})

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters as the provider accepts them."""
        return fit(self.spec.parameters, self.limits, "/parameters", self.notes)


class Form(NamedTuple):
    """A format of definitions, and how it is recognized.

    Attributes:
        name: Its name.
        sign: The JSON pointer to what only definitions in this format have.
        inner: The JSON pointer to the object that has the name; empty if it is the definition itself.
        schemas: The JSON pointers to the JSON Schema of the parameters; the first that exists counts.
        kind: The value of `type` in this format; empty if it does not matter.
        lists: The keys of the lists that contain such definitions; empty if any list may.
        read: Changes a JSON Schema that is written in a way of the provider's own.
    """

    name: str
    sign: str
    inner: str
    schemas: tuple[str, ...]
    kind: str = ""
    lists: tuple[str, ...] = ()
    read: Callable[[dict[str, Any]], dict[str, Any]] = dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """A format for definitions, which `export` writes: all that is known about it.

    Attributes:
        name: Its name on the command line.
        provider: The key of its own settings in the `metadata` of a tool.
        write: Writes a definition.
        limits: The limits of a tool without strict mode.
        strict_limits: The limits of a tool with strict mode; None if there is none.
        is_strict: Whether tools have strict mode unless they say otherwise.
        more_limits: Limits of other forms, by the names under which they are listed.
        forms: The formats of definitions that its provider accepts unchanged.
        lists: The keys of objects under which its provider has lists of definitions, or the objects with these.
        hosted: The keys of objects that stand for tools of the provider itself.
        gather: Makes the value of `tools` in a request from definitions.
    """

    name: str
    provider: str
    write: Callable[[Draft], dict[str, Any]]
    limits: Limits
    strict_limits: Limits | None = None
    is_strict: bool = False
    more_limits: Mapping[str, Limits] | None = None
    forms: tuple[Form, ...] = ()
    lists: tuple[str, ...] = ()
    hosted: frozenset[str] = frozenset()
    gather: Callable[[list[dict[str, Any]]], list[dict[str, Any]]] = list

    def strict_for(self, spec: ToolSpec) -> bool:
        """Return whether a tool is sent with strict mode: as it says, or else as usual in this dialect."""
        return self.is_strict if spec.strict is None or self.strict_limits is None else spec.strict

    def limits_for(self, spec: ToolSpec) -> Limits:
        """Return the limits that apply to a tool, which depend on strict mode."""
        return self.strict_limits if self.strict_limits is not None and self.strict_for(spec) else self.limits


class Provider(NamedTuple):
    """What receives tools in the dialect of another provider, and its own limits.

    Attributes:
        name: Its name on the command line.
        limits: Its limits.
        dialect: The name of the dialect.
        forms: The formats of definitions that it accepts unchanged.
    """

    name: str
    limits: Limits
    dialect: str
    forms: tuple[Form, ...] = ()
