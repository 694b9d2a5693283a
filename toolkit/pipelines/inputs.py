"""Inputs: what a pipeline takes, read from JSON Schema fragments, and what it is given, held against them."""

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolkit import documents
from toolkit.documents import Node
from toolkit.errors import ToolArgumentsError
from toolkit.pipelines.definitions import Input, Word
from toolkit.pipelines.formats import FORMATS, fits
from toolkit.pipelines.shapes import ShapeReader
from toolkit.problems import did_you_mean

if TYPE_CHECKING:
    from toolkit.tools.shapes import Shape

TYPES = ("string", "integer", "number", "boolean", "array", "object", "null")
BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
FRAGMENT_KEYS = (
    "type",
    "description",
    "default",
    "enum",
    "pattern",
    "format",
    *BOUNDS,
    *COUNTS,
    "items",
    "properties",
    "required",
)
MISFIT = "TK607"

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class InputReader(ShapeReader):
    """Reads what stands under `inputs`."""

    def read(self, node: Node | None) -> tuple[Input, ...] | None:
        """Return the inputs, or `None` where there is no such key: then it is one text."""
        if node is None:
            return None
        inputs = self.mapping(node, "'inputs'", "{name: {type: string}}")
        return None if inputs is None else tuple(self._input(entry) for entry in inputs.entries.values())

    def _input(self, entry: documents.Entry) -> Input:
        name = Word(entry.key.text, entry.key.location)
        if not _NAME.fullmatch(name.text):
            hint = "use letters, digits and underscores, so that inputs.name can be written"
            self.report(name.location, f"{name.text!r} cannot be the name of an input", hint=hint)
        before = len(self.problems)
        schema = self._fragment(entry.value, f"the input {name.text!r}")
        given = Input(name, schema, "default" not in schema)
        if len(self.problems) == before and "default" in schema and isinstance(entry.value, documents.Mapping):
            self._check_default(given, entry.value.entries["default"].value)
        return given

    def _check_default(self, given: Input, node: Node) -> None:
        try:
            InputShape((given,)).read({given.name.text: given.schema["default"]})
        except ToolArgumentsError as error:
            self.report(node.location, f"the default does not fit: {error}", code=MISFIT)

    def _fragment(self, node: Node, what: str) -> dict[str, Any]:
        if isinstance(node, documents.Scalar) and node.value is None:
            return {}
        fragment = self.mapping(node, what, "{type: string}")
        if fragment is None:
            return {}
        self.check_keys(fragment, what, FRAGMENT_KEYS)
        schema = {}
        for name, entry in fragment.entries.items():
            if name in FRAGMENT_KEYS and self._is_well_said(name, entry.value, what):
                schema[name] = self._said(name, entry.value, what)
        return schema

    def _said(self, name: str, node: Node, what: str) -> Any:
        if name == "items":
            return self._fragment(node, f"the items of {what}")
        if name == "properties" and isinstance(node, documents.Mapping):
            entries = node.entries.items()
            return {key: self._fragment(entry.value, f"the property {key!r} of {what}") for key, entry in entries}
        return documents.plain(node)

    def _is_well_said(self, name: str, node: Node, what: str) -> bool:
        """Report a keyword of JSON Schema whose value it cannot have."""
        before = len(self.problems)
        data = documents.plain(node)
        match name:
            case "type":
                kinds = data if isinstance(data, list) and data else [data]
                for kind in kinds:
                    if kind not in TYPES:
                        hint = did_you_mean(str(kind), TYPES, otherwise=f"the types are {', '.join(TYPES)}")
                        self.report(node.location, f"unknown type {kind!r} in {what}", hint=hint)
            case "pattern":
                self._check_pattern(node)
            case "format":
                if data not in FORMATS:
                    hint = did_you_mean(str(data), FORMATS, otherwise=f"the formats are {', '.join(FORMATS)}")
                    self.report(node.location, f"unknown format {data!r} in {what}", hint=hint)
            case "enum":
                self._check(node, isinstance(data, list) and bool(data), "'enum'", "a list with at least one value")
            case "required":
                is_names = isinstance(data, list) and all(isinstance(item, str) for item in data)
                self._check(node, is_names, "'required'", "a list of names")
            case "properties":
                self.mapping(node, "'properties'")
            case "description":
                self.text(node, "'description'")
            case _ if name in BOUNDS:
                self._check(node, type(data) in (int, float), f"{name!r}", "a number")
            case _ if name in COUNTS:
                self._check(node, type(data) is int and data >= 0, f"{name!r}", "a whole number, zero or more")
        return len(self.problems) == before

    def _check(self, node: Node, is_good: bool, what: str, expected: str) -> None:  # noqa: FBT001 - a verdict
        if not is_good:
            self._expected(node, what, expected)

    def _check_pattern(self, node: Node) -> None:
        pattern = self.text(node, "'pattern'")
        if pattern is None:
            return
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            hint = "write a backslash before a sign that stands for itself"
            self.report(node.location, f"'pattern' is no regular expression: {error}", hint=hint)


def schema_of(inputs: tuple[Input, ...]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments that a pipeline with these inputs takes."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {given.name.text: dict(given.schema) for given in inputs},
    }
    required = [given.name.text for given in inputs if given.is_required]
    return schema | {"required": required} if required else schema


class InputShape:
    """Holds what is given against the inputs of a pipeline."""

    def __init__(self, inputs: tuple[Input, ...]) -> None:
        """Keep the inputs."""
        self._inputs = inputs
        self.schema = schema_of(inputs)

    @cached_property
    def _shape(self) -> "Shape":
        from toolkit.tools.schema_shapes import shape_of_schema  # noqa: PLC0415 - it imports pydantic

        return shape_of_schema(self.schema)

    def read(self, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs by name, defaults filled in; unknown ones are ignored.

        Raises:
            ToolArgumentsError: Naming every input that is missing or wrong.
        """
        from toolkit.tools.arguments import read_arguments  # noqa: PLC0415 - it imports pydantic

        optional = frozenset(given.name.text for given in self._inputs if not given.is_required)
        given: dict[str, Any] = read_arguments(self._shape, arguments, optional)
        defaults = {one.name.text: one.schema["default"] for one in self._inputs if "default" in one.schema}
        whole = defaults | given
        if wrong := list(_misfits(self.schema, whole, "")):
            raise ToolArgumentsError("; ".join(wrong))
        return whole


def _misfits(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[str]:
    """Yield what does not have the format that its schema names; everything else has been checked."""
    if isinstance(value, str) and "format" in schema and not fits(schema["format"], value):
        yield f"Invalid parameter {path!r}: it is no {schema['format']}: {value!r}"
    if isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield from _misfits(schema["items"], item, f"{path}[{index}]")
    if isinstance(value, dict):
        for name, part in schema.get("properties", {}).items():
            if name in value:
                yield from _misfits(part, value[name], f"{path}.{name}" if path else name)
