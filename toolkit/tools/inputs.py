"""Reads the inputs that a file declares as JSON Schema fragments, and validates arguments against them."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import date, datetime, time
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from toolkit import documents
from toolkit.codes import TYPE_MISMATCH
from toolkit.documents import keys
from toolkit.documents.keys import REPORTED, Key, Schema, is_text, one_of, one_or_more
from toolkit.documents.node_keys import MAPPING, TEXT, NodeSpot, node, read_mapping, reference, text_schema
from toolkit.documents.nodes import Word
from toolkit.errors import ToolArgumentsError
from toolkit.problems import Problem
from toolkit.regex_checks import compiles
from toolkit.schemas.keywords import DRAFTS, TYPES
from toolkit.schemas.schema import Schema as JsonSchema
from toolkit.tools.shapes.schema_shapes import shape_of_schema

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


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


class Input(NamedTuple):
    """One input: its name, the JSON Schema of its value, and whether it is required."""

    name: Word
    schema: Mapping[str, Any]
    is_required: bool


def read_inputs(spot: NodeSpot, each: str = "input") -> tuple[Input, ...] | None:
    """Return the inputs that a mapping declares, or `None` if the node is no mapping.

    Args:
        spot: The position of the mapping.
        each: The name of an entry in messages.
    """
    return tuple(_input(one, each) for one in spot.inner) if isinstance(spot.node, documents.Mapping) else None


def _input(spot: NodeSpot, each: str) -> Input:
    name, problems = spot.name_word, spot.origin.problems
    if not _NAME.fullmatch(name.text):
        hint = "use letters, digits and underscores, so that expressions can use inputs.name"
        message = f"{name.text!r} cannot be the name of an {each}"
        problems.append(Problem(spot.origin.code, message, name.location, hint=hint))
    before = len(problems)
    schema = _fragment(spot._replace(words=f"the {each} {name.text!r}"))
    given = Input(name, schema, "default" not in schema)
    if len(problems) == before and "default" in schema:
        _check_default(given, spot.below("default"))
    return given


def _check_default(given: Input, spot: NodeSpot) -> None:
    try:
        InputShape((given,)).read({given.name.text: given.schema["default"]})
    except ToolArgumentsError as error:
        message = f"the default is not valid: {error}"
        spot.origin.problems.append(Problem(TYPE_MISMATCH, message, spot.location))


def _fragment(spot: NodeSpot) -> dict[str, Any]:
    """Return a fragment of JSON Schema as plain data, without what is not valid in it."""
    if spot.is_nothing:
        return {}
    found = read_mapping(spot, FRAGMENT, "{type: string}") or {}
    return {name: _fragment_value(name, one, spot.words) for name, one in found.items()}


def _fragment_value(name: str, spot: NodeSpot, owner: str) -> Any:
    if name == "items":
        return _fragment(spot._replace(words=f"the items of {owner}"))
    if name == "properties":
        names = [(one, one.name_word.text) for one in spot.inner]
        return {key: _fragment(one._replace(words=f"the property {key!r} of {owner}")) for one, key in names}
    return documents.plain(spot.at)


def _at(_: Any, spot: NodeSpot) -> NodeSpot:
    return spot


def _keyword(name: str, schema: Schema) -> Key:
    form = DRAFTS["2020-12"][name].form
    return Key(name, node(form.words, lambda _, spot: spot if form.fits(documents.plain(spot.at)) else None, schema))


def _pattern(written: Any, spot: NodeSpot) -> Any:
    if not is_text(written):
        return None
    try:
        re.compile(written)
    except (re.error, RecursionError, OverflowError) as error:
        hint = "write a backslash before a literal character"
        spot.report(f"'pattern' is not a valid regular expression: {error}", hint)
        return REPORTED
    return spot


BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
COUNTS = ("minLength", "maxLength", "minItems", "maxItems")
FRAGMENT: Final = (
    Key("type", one_or_more(one_of(*TYPES), "types"), take=_at),
    Key("description", TEXT, "a description of the input", take=_at),
    Key("default", node("any value", _at, {}), "the default value; an input without one is required"),
    _keyword("enum", {"type": "array", "minItems": 1}),
    Key(
        "pattern",
        replace(TEXT, read=_pattern, schema=text_schema(format="regex")),
        "a regular expression that must match somewhere in the string",
    ),
    Key("format", one_of(*FORMATS), take=_at),
    *(_keyword(name, {"type": "number"}) for name in BOUNDS),
    *(_keyword(name, {"type": "integer", "minimum": 0}) for name in COUNTS),
    Key("items", node("a schema", _at, reference("input"))),
    Key("properties", replace(MAPPING, schema={"type": "object", "additionalProperties": reference("input")})),
    _keyword("required", {"type": "array", "items": {"type": "string"}}),
)
"""The keywords of JSON Schema that an input can have."""


def input_format() -> Schema:
    """Return the JSON Schema for one input in a file, for editors; it refers to itself as the definition `input`."""
    return {"anyOf": [{"type": "null"}, keys.schema_of(FRAGMENT)]}


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
