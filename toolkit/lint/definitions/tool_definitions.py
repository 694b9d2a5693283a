"""The definition of a tool as rules see it, from Python, JSON, a pipeline or an object."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol

from toolkit import dialects
from toolkit.dialects import Export
from toolkit.documents.nodes import Mapping as MappingNode, Node, Sequence as SequenceNode
from toolkit.problems import Edit, Location
from toolkit.schemas.places import Pointer
from toolkit.schemas.schema import Schema
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.tools.definition.spec import ToolSpec
from toolkit.tools.foreign.source_marks import Terms

Origin = Literal["python", "json", "openapi", "pipeline", "object"]
TextKind = Literal["name", "title", "description", "parameter name", "parameter", "value", "instruction", "prompt"]


class Written(Protocol):
    """The position of a text in a file, character by character."""

    def locate(self, offset: int, length: int = 1) -> Location | None:
        """Return the location of some characters; that of the whole text if it has none; None if nothing is known."""

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit that replaces some characters by a text, or None if that is impossible."""


class Text(NamedTuple):
    """One text that a model receives.

    Attributes:
        kind: The kind of text: `parameter` is the description of a parameter, `value` an enumerated or default value.
        value: The text.
        written: Its position.
        parameter: The parameter that it belongs to, if any.
    """

    kind: TextKind
    value: str
    written: Written
    parameter: str | None = None

    @property
    def subject(self) -> str:
        """The text's name in messages, such as `the description of parameter 'city'`."""
        if self.parameter is None:
            return f"the {self.kind}"
        what = {"parameter": "description", "parameter name": "name"}.get(self.kind, self.kind)
        return f"the {what} of parameter {self.parameter!r}"


@dataclass(frozen=True, slots=True, eq=False)
class ParameterDefinition:
    """One parameter of a tool.

    Attributes:
        name: Its name in calls.
        description: Its description; empty if it has none, None if that is not known.
        location: The location of its name.
        schema: Its JSON Schema; None if only the source was read.
        is_required: Whether a call must include it.
        python: The parameter of the Python function, if it has one in the source.
    """

    name: str
    description: str | None
    location: Location | None
    schema: Mapping[str, Any] | None = None
    is_required: bool = True
    python: PythonParameter | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ToolDefinition:
    """One tool.

    Attributes:
        name: The name that a model calls.
        description: Its description; empty if it has none, None if that is not known.
        parameters: Its parameters, in order.
        origin: How it is defined; `object` is a tool created at run time.
        location: The location of its name.
        schema: The JSON Schema of its parameters; None if only the source was read.
        spec: Its specification; None if only the source was read, or if the definition is invalid.
        function: The Python function in its source, if it is one.
        source: The file, or the name through which it was opened.
        texts: The texts that a model receives, with their positions.
        document: The JSON document of the parameters' schema, with the location of each part.
        result: The JSON document of the result's schema, if it has one.
        examples: The locations of its examples in JSON.
        identity: Keys of the tool; two definitions with a common key are the same tool.
        is_written: Whether only the source was read, so that `spec` lacks whatever only running adds.
        framework: The framework that it is written for, if it is not a tool of this package.
        habit: What the version of its framework does with docstrings, if that depends on the version.
        is_named: Whether its name is known; if it is only known at run time, `name` is a placeholder.
        is_behind_facade: Whether models only get it after a search for it.
        is_lookalike: Whether a class is a tool by its attributes alone, in a file that imports nothing of this package.
        outline: If only the source was read, the specification as far as the source shows it.
        exports: The exports of `spec` so far, by dialect; shared by copies of the definition.
        find_place: Returns where a part of the parameters' schema is written, if that is in an OpenAPI document.
    """

    name: str
    description: str | None
    parameters: tuple[ParameterDefinition, ...] = ()
    origin: Origin = "object"
    location: Location | None = None
    schema: Mapping[str, Any] | None = None
    spec: ToolSpec | None = None
    function: PythonFunction | None = None
    source: str | None = None
    texts: tuple[Text, ...] = ()
    document: Node | None = None
    result: Node | None = None
    examples: tuple[Location, ...] = ()
    identity: frozenset[tuple[Any, ...]] = frozenset()
    is_written: bool = False
    framework: str | None = None
    habit: str | None = None
    is_named: bool = True
    is_behind_facade: bool = False
    is_lookalike: bool = False
    outline: ToolSpec | None = None
    exports: dict[str, Export] = field(default_factory=dict, repr=False)
    find_place: Callable[[Pointer], Location | None] | None = None

    @property
    def terms(self) -> Terms | None:
        """What its framework calls the things that hints mention; None for a tool of this package."""
        if self.framework is None:
            return None

        marks = marks_of(self.framework)
        return None if marks is None else marks.terms

    @property
    def is_by_others(self) -> bool:
        """Whether it is described in the terms of others: of a framework, or of an API."""
        return self.framework is not None or self.origin == "openapi"

    @property
    def is_in_template(self) -> bool:
        """Whether a generator replaces parts of it before it is a tool."""
        return self.function is not None and self.function.is_in_template

    @property
    def is_foreign(self) -> bool:
        """Whether someone else may have written it: it is defined in JSON, or not by code of this project."""
        return self.origin == "json" or (self.origin == "object" and not any(key[0] == "code" for key in self.identity))

    def exported(self, dialect: str) -> Export:
        """Return the tool in a provider's dialect; each export is created once.

        Args:
            dialect: One of `dialects.DIALECTS`.

        Raises:
            ValueError: If there is no specification to export, or no such dialect.
        """
        if self.spec is None:
            raise ValueError(f"of {self.name!r} only the source was read")
        if dialect not in self.exports:
            self.exports[dialect] = dialects.export(self.spec, dialect)
        return self.exports[dialect]

    def place(self, *path: str | int) -> Location | None:
        """Return the location of a part of the parameters' schema, or the nearest one that is known.

        Args:
            *path: The keys that lead to the part, such as `"properties", "city", "enum"`.
        """
        if (node := self.node(*path)) is not None:
            return node.location
        if self.find_place is not None and (found := self.find_place(path)) is not None:
            return found
        named = {parameter.name: parameter.location for parameter in self.parameters}
        if len(path) > 1 and path[0] == "properties" and (known := named.get(str(path[1]))):
            return known
        return self.location

    def node(self, *path: str | int) -> Node | None:
        """Return the node of a part of the parameters' schema in a JSON document, or the nearest existing one."""
        return None if self.document is None else nearest_node(self.document, path)

    def place_of_default(self, parameter: ParameterDefinition) -> Location | None:
        """Return the location of a parameter's default, or the nearest one that is known."""
        if self.function is not None and parameter.python is not None and parameter.python.default is not None:
            return self.function.file.location(parameter.python.default)
        return self.place("properties", parameter.name, "default")

    def with_texts(self, texts: Iterable[Text]) -> "ToolDefinition":
        """Return the same tool with these texts; `dataclasses.replace` takes three times as long, for every tool."""
        copy = object.__new__(ToolDefinition)
        for name in _FIELDS:
            object.__setattr__(copy, name, getattr(self, name))
        object.__setattr__(copy, "texts", tuple(texts))
        return copy

    def schemas(self) -> Iterable[tuple[Pointer, Mapping[str, Any]]]:
        """Return every schema inside the parameters' schema, starting with itself, with its path."""
        return _schemas_of(self)


_FIELDS = tuple(each.name for each in fields(ToolDefinition))


@lru_cache(maxsize=16)  # all rules ask for the same tool in turn
def _schemas_of(tool: ToolDefinition) -> tuple[tuple[Pointer, Mapping[str, Any]], ...]:
    return tuple((part.pointer, part.keywords) for part in Schema.of(tool.schema).parts())


def nearest_node(node: Node, path: Iterable[str | int]) -> Node:
    """Return the node at a path, or the last existing node on the way."""
    for key in path:
        match node:
            case MappingNode() if (inner := node.get(str(key))) is not None:
                node = inner
            case SequenceNode() if isinstance(key, int) and key < len(node.items):
                node = node.items[key]
            case _:
                break
    return node
