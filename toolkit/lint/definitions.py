"""Definitions: one tool as rules see it, whether it is defined in Python, in JSON, as a pipeline or by an object."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Protocol

from toolkit import dialects
from toolkit.dialects import Export
from toolkit.documents.nodes import Mapping as MappingNode, Node, Sequence as SequenceNode
from toolkit.lint.python_functions import PythonFunction, PythonParameter
from toolkit.problems import Edit, Location
from toolkit.schemas.places import Pointer
from toolkit.schemas.schema import Schema
from toolkit.tools.source_marks import Terms
from toolkit.tools.spec import ToolSpec

Origin = Literal["python", "json", "pipeline", "object"]
TextKind = Literal["name", "title", "description", "parameter name", "parameter", "value", "instruction", "prompt"]


class Written(Protocol):
    """Where a text was written, character by character."""

    def locate(self, offset: int, length: int = 1) -> Location | None:
        """Return the place of some characters; of the whole if they have none; None if none is known."""

    def replaced(self, offset: int, length: int, text: str) -> Edit | None:
        """Return the edit that puts a text in the place of some characters; None where that cannot be done."""


class Text(NamedTuple):
    """One text that a model is sent.

    Attributes:
        kind: What it is: `parameter` is the description of a parameter, `value` an enumerated or default one.
        value: The text.
        written: Where it stands.
        parameter: The parameter that it belongs to, if it does.
    """

    kind: TextKind
    value: str
    written: Written
    parameter: str | None = None

    @property
    def subject(self) -> str:
        """What it is, in words, such as `the description of 'city'`."""
        if self.parameter is None:
            return f"the {self.kind}"
        what = {"parameter": "description", "parameter name": "name"}.get(self.kind, self.kind)
        return f"the {what} of parameter {self.parameter!r}"


@dataclass(frozen=True, slots=True, eq=False)
class ParameterDefinition:
    """One parameter of a tool.

    Attributes:
        name: What a call names it.
        description: What it is; empty if it has none, None if that is not known.
        location: The place of its name.
        schema: Its JSON Schema; None where only the source was read.
        is_required: Whether a call must carry it.
        python: The parameter of the Python function, where there is one in the source.
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
        name: What a model calls it by.
        description: What it does; empty if it has none, None if that is not known.
        parameters: What a call may carry, in order.
        origin: How it is defined; `object` is a tool that is made when the program runs.
        location: The place of its name.
        schema: The JSON Schema of its parameters; None where only the source was read.
        spec: All that is known of it as data; None where only the source was read, or where it cannot be built.
        function: The Python function in its source, if it is one.
        source: What it belongs to: the file, or the name that it was opened by.
        texts: What a model is sent of it, with the places.
        document: The parameters' schema as it stands in JSON, with the place of each part.
        examples: The places of its examples, where they stand in JSON.
        identity: Whether two definitions are one tool that was reached in two ways: then theirs are equal.
        is_written: Whether only the source was read, so that `spec` lacks what only building adds.
        framework: Whose kind of tool it is, where its source shows that it is not ours.
        is_named: Whether its name is known; where only running the file shows it, `name` stands in for it.
        exports: What was made of `spec` until now, by dialect; copies of the definition share it.
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
    examples: tuple[Location, ...] = ()
    identity: frozenset[tuple[Any, ...]] = frozenset()
    is_written: bool = False
    framework: str | None = None
    is_named: bool = True
    exports: dict[str, Export] = field(default_factory=dict, repr=False)

    @property
    def terms(self) -> Terms | None:
        """How the users of its framework write what lint asks for; None for a tool of ours."""
        if self.framework is None:
            return None
        from toolkit.sources.marks_table import marks_of  # noqa: PLC0415 - most tools are ours

        marks = marks_of(self.framework)
        return None if marks is None else marks.terms

    @property
    def is_foreign(self) -> bool:
        """Whether somebody else may have written it: it stands in JSON, or no code of this project makes it."""
        return self.origin == "json" or (self.origin == "object" and not any(key[0] == "code" for key in self.identity))

    def exported(self, dialect: str) -> Export:
        """Return the tool in a provider's dialect; it is made once, however many rules ask for it.

        Args:
            dialect: One of `dialects.DIALECTS`.

        Raises:
            ValueError: If there is no specification that could be exported, or no such dialect.
        """
        if self.spec is None:
            raise ValueError(f"of {self.name!r} only the source was read")
        if dialect not in self.exports:
            self.exports[dialect] = dialects.export(self.spec, dialect)
        return self.exports[dialect]

    def place(self, *path: str | int) -> Location | None:
        """Return the place of a part of the parameters' schema: the nearest that is known.

        Args:
            *path: The keys that lead to it, such as `"properties", "city", "enum"`.
        """
        if self.document is not None:
            return nearest_node(self.document, path).location
        named = {parameter.name: parameter.location for parameter in self.parameters}
        if len(path) > 1 and path[0] == "properties" and (found := named.get(str(path[1]))):
            return found
        return self.location

    def schemas(self) -> Iterable[tuple[Pointer, Mapping[str, Any]]]:
        """Return every schema inside the parameters' schema, itself first, with the path that leads to it."""
        return _schemas_of(self)


@lru_cache(maxsize=16)  # one rule after the other asks for those of one tool
def _schemas_of(tool: ToolDefinition) -> tuple[tuple[Pointer, Mapping[str, Any]], ...]:
    return tuple((part.pointer, part.keywords) for part in Schema.of(tool.schema).parts())


def nearest_node(node: Node, path: Iterable[str | int]) -> Node:
    """Return the node that a path leads to, or the last one on the way."""
    for key in path:
        match node:
            case MappingNode() if (inner := node.get(str(key))) is not None:
                node = inner
            case SequenceNode() if isinstance(key, int) and key < len(node.items):
                node = node.items[key]
            case _:
                break
    return node
