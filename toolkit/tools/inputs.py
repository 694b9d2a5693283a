"""Reads the inputs that a file declares as JSON Schema fragments, and validates arguments against them."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, time
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from toolkit import documents
from toolkit.codes import TYPE_MISMATCH
from toolkit.documents import Node
from toolkit.documents.shapes import Schema, ShapeReader, Word, closed, reference, text
from toolkit.errors import ToolArgumentsError
from toolkit.problems import Problem, did_you_mean
from toolkit.regex_checks import compiles
from toolkit.schemas.keywords import DRAFTS, TYPES
from toolkit.schemas.schema import Schema as JsonSchema

if TYPE_CHECKING:
    from toolkit.tools.shapes.shape_values import Shape


_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_HOSTNAME = re.compile(r"(?=.{1,253}\Z)(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*")
_DURATION = re.compile(r"P(?=.)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=.)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_URI = re.compile(r"[^\s<>\"{}|\\^`]+")


def _parses(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def does(text: str) -> bool:
        try:
            parse(text)
        except ValueError:
            return False
        return True

    return does


def _is_date(text: str) -> bool:
    return bool(_DATE.fullmatch(text)) and _parses(date.fromisoformat)(text)


def _is_moment(text: str) -> bool:
    return bool(_DATE.match(text)) and len(text) > len("2026-01-01") and _parses(datetime.fromisoformat)(text)


def _is_uri(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    has_place = bool(parts.netloc) if parts.scheme in ("http", "https", "ftp") else bool(parts.netloc or parts.path)
    return bool(parts.scheme) and has_place and bool(_URI.fullmatch(text))


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date": _is_date,
    "date-time": _is_moment,
    "time": lambda text: ":" in text and _parses(time.fromisoformat)(text),
    "duration": lambda text: bool(_DURATION.fullmatch(text)),
    "email": lambda text: bool(_EMAIL.fullmatch(text)),
    "hostname": lambda text: bool(_HOSTNAME.fullmatch(text)),
    "ipv4": _parses(IPv4Address),
    "ipv6": _parses(IPv6Address),
    "regex": compiles,
    "uri": _is_uri,
    "uuid": _parses(UUID),
}


def fits(name: str, text: str) -> bool:
    """Return whether a string has a format; an unknown format accepts every string."""
    return name not in FORMATS or FORMATS[name](text)


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

_FORMS = {name: DRAFTS["2020-12"][name].form for name in ("enum", "required", *BOUNDS, *COUNTS)}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Input(NamedTuple):
    """One input: its name, the JSON Schema of its value, and whether it is required."""

    name: Word
    schema: Mapping[str, Any]
    is_required: bool


class InputReader(ShapeReader):
    """Reads `inputs`, or another key that declares a mapping of data."""

    def __init__(self, problems: list[Problem], key: str = "inputs", each: str = "input") -> None:
        """Create a reader.

        Args:
            problems: Receives the problems.
            key: The key.
            each: The name of an entry in messages.
        """
        super().__init__(problems)
        self._key, self._each = key, each

    def read(self, node: Node) -> tuple[Input, ...] | None:
        """Return the inputs, or report that the node is not a mapping and return `None`."""
        inputs = self.mapping(node, f"'{self._key}'", "{name: {type: string}}")
        return None if inputs is None else tuple(self._input(entry) for entry in inputs.entries.values())

    def _input(self, entry: documents.Entry) -> Input:
        name = Word(entry.key.text, entry.key.location)
        if not _NAME.fullmatch(name.text):
            hint = "use letters, digits and underscores, so that expressions can use inputs.name"
            self.report(name.location, f"{name.text!r} cannot be the name of an {self._each}", hint=hint)
        before = len(self.problems)
        schema = self._fragment(entry.value, f"the {self._each} {name.text!r}")
        given = Input(name, schema, "default" not in schema)
        if len(self.problems) == before and "default" in schema and isinstance(entry.value, documents.Mapping):
            self._check_default(given, entry.value.entries["default"].value)
        return given

    def _check_default(self, given: Input, node: Node) -> None:
        try:
            InputShape((given,)).read({given.name.text: given.schema["default"]})
        except ToolArgumentsError as error:
            self.report(node.location, f"the default is not valid: {error}", code=TYPE_MISMATCH)

    def _fragment(self, node: Node, what: str) -> dict[str, Any]:
        if isinstance(node, documents.Scalar) and node.value is None:
            return {}
        fragment = self.mapping(node, what, "{type: string}")
        if fragment is None:
            return {}
        self.check_keys(fragment, what, FRAGMENT_KEYS)
        schema = {}
        for name, entry in fragment.entries.items():
            if name in FRAGMENT_KEYS and self._is_valid(name, entry.value, what):
                schema[name] = self._read_value(name, entry.value, what)
        return schema

    def _read_value(self, name: str, node: Node, what: str) -> Any:
        if name == "items":
            return self._fragment(node, f"the items of {what}")
        if name == "properties" and isinstance(node, documents.Mapping):
            entries = node.entries.items()
            return {key: self._fragment(entry.value, f"the property {key!r} of {what}") for key, entry in entries}
        return documents.plain(node)

    def _is_valid(self, name: str, node: Node, what: str) -> bool:
        """Report an invalid value of a JSON Schema keyword, and return whether the value is valid."""
        before = len(self.problems)
        match name:
            case "type" | "format":
                self._check_word(name, node, what)
            case "pattern":
                self._check_pattern(node)
            case "properties":
                self.mapping(node, "'properties'")
            case "description":
                self.text(node, "'description'")
            case _ if name in _FORMS and not _FORMS[name].fits(documents.plain(node)):
                self._expected(node, f"{name!r}", _FORMS[name].words)
        return len(self.problems) == before

    def _check_word(self, name: str, node: Node, what: str) -> None:
        known = TYPES if name == "type" else tuple(FORMATS)
        data = documents.plain(node)
        for word in data if name == "type" and isinstance(data, list) and data else [data]:
            if word not in known:
                hint = did_you_mean(str(word), known, otherwise=f"the {name}s are {', '.join(known)}")
                self.report(node.location, f"unknown {name} {word!r} in {what}", hint=hint)

    def _check_pattern(self, node: Node) -> None:
        pattern = self.text(node, "'pattern'")
        if pattern is None:
            return
        try:
            re.compile(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            hint = "write a backslash before a literal character"
            self.report(node.location, f"'pattern' is not a valid regular expression: {error}", hint=hint)


def schema_of(inputs: tuple[Input, ...]) -> dict[str, Any]:
    """Return the JSON Schema of the arguments of a tool with these inputs."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {given.name.text: dict(given.schema) for given in inputs},
    }
    required = [given.name.text for given in inputs if given.is_required]
    return schema | {"required": required} if required else schema


class InputShape:
    """Validates arguments against the inputs of a tool."""

    def __init__(self, inputs: tuple[Input, ...]) -> None:
        self._inputs = inputs
        self.schema = schema_of(inputs)

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        return {one.name.text: one.schema["default"] for one in self._inputs if "default" in one.schema}

    @cached_property
    def _has_formats(self) -> bool:
        return any("format" in part.keywords for part in JsonSchema.of(self.schema).parts())

    @cached_property
    def _shape(self) -> "Shape":
        from toolkit.tools.shapes.schema_shapes import shape_of_schema  # it imports pydantic

        return shape_of_schema(self.schema)

    def read(self, arguments: str | Mapping[str, Any]) -> dict[str, Any]:
        """Validate arguments and return them by name, with defaults filled in; unknown ones are ignored.

        Raises:
            ToolArgumentsError: If the arguments are not valid; the message lists every missing or wrong input.
        """
        given: dict[str, Any] = self._shape.read(arguments)
        whole = self._defaults | given
        if self._has_formats and (wrong := dict(_misfits(JsonSchema.of(self.schema), whole, ""))):
            message = "; ".join(f"Invalid parameter {path!r}: {reason}" for path, reason in wrong.items())
            raise ToolArgumentsError(message, faults=wrong)
        return whole


def _misfits(schema: JsonSchema, value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield the path of each value that does not match the `format` of its schema, and the reason."""
    wanted = schema.keywords.get("format")
    if isinstance(value, str) and wanted is not None and not fits(wanted, value):
        yield path, f"it is not a valid {wanted}: {value!r}"
    if isinstance(value, list) and any("format" in part.keywords for part in schema.parts()):
        for index, item in enumerate(value):
            for part in schema.items(index):
                yield from _misfits(part, item, f"{path}[{index}]")
    if isinstance(value, dict):
        for part in schema.inner(("properties",)):
            name = str(part.pointer[-1])
            if name in value:
                yield from _misfits(part, value[name], f"{path}.{name}" if path else name)


def input_format() -> Schema:
    """Return the JSON Schema for one input in a file, for editors; it refers to itself as the definition `input`."""
    kinds = {"enum": list(TYPES)}
    keys = {
        "type": {"anyOf": [kinds, {"type": "array", "items": kinds, "minItems": 1}]},
        "description": text("A description of the input."),
        "default": {"description": "The default value; an input without one is required."},
        "enum": {"type": "array", "minItems": 1},
        "pattern": text("A regular expression that must match somewhere in the string.", format="regex"),
        "format": {"enum": list(FORMATS)},
        **{name: {"type": "number"} for name in BOUNDS},
        **{name: {"type": "integer", "minimum": 0} for name in COUNTS},
        "items": reference("input"),
        "properties": {"type": "object", "additionalProperties": reference("input")},
        "required": {"type": "array", "items": {"type": "string"}},
    }
    return {"anyOf": [{"type": "null"}, closed(keys)]}
