"""Parses the arguments of a call on the command line, and converts them to the types in the schema."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from toolkit.problems import Problem, nearest
from toolkit.redactors.redactor import MASK
from toolkit.redactors.secret_names import names_secret
from toolkit.schemas.schema import Schema
from toolkit.tools.base import Tool
from toolkit.tools.calls.json_data import loads
from toolkit_cli import console

Form = Literal["text", "json"]

_NAME = re.compile(r"[^\W\d][\w.-]*")


class Assignment(NamedTuple):
    """An argument's name, the form and text of its value, and whether the text was read from a file."""

    name: str
    form: Form
    text: str
    is_file: bool = False


def read_assignment(token: str, known: Collection[str]) -> Assignment | None:
    """Parse a word of the command line; return `None` if it is not an assignment.

    `2^3=8` is not an assignment, since `2^3` is not a name; nor is `x==1`, unless the tool has a parameter `x`.
    """
    left, equals, text = token.partition("=")
    if not equals:
        return None
    name = left.removesuffix(":")
    if name not in known and (left not in known) and (text.startswith("=") or not _NAME.fullmatch(name)):
        return None
    is_json = left.endswith(":") and left not in known
    return Assignment(name if is_json else left, "json" if is_json else "text", text)


def with_file_read(assignment: Assignment) -> Assignment | Problem:
    """Return an assignment with `@file` replaced by the text of the file."""
    if not assignment.text.startswith("@"):
        return assignment
    path, name = assignment.text[1:], assignment.name
    is_secret = names_secret(name) or name.lower() in console.redactor().names
    text = read_text_file(path, f"argument '{name}'", MASK if is_secret else path)  # a password may begin with @
    if isinstance(text, Problem):
        return text
    return assignment._replace(text=text, is_file=True)


def read_text_file(path: str, wanted_by: str, shown: str | None = None) -> str | Problem:
    """Return the exact text of a file, or a Problem if it cannot be read, which names it as `shown`."""
    shown = path if shown is None else shown
    try:
        return Path(path).expanduser().read_bytes().decode()
    except UnicodeDecodeError as error:
        return Problem("", f"{wanted_by}: the file '{shown}' is not UTF-8 text (byte {error.start} is not)")
    except (OSError, ValueError, RuntimeError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        hint = "a value that starts with @ is the name of a file; for the text itself write name:='\"@…\"'"
        return Problem("", f"{wanted_by}: cannot read the file '{shown}': {reason}", hint=hint)


def arguments_meant(text: str, parameters: Iterable[str]) -> dict[str, Any] | None:
    """Return the members of a JSON object if all their names are, or resemble, parameters; they are arguments then."""
    members = object_in(text)
    known = list(parameters)
    return members if members and all(name in known or nearest(name, known, most=1) for name in members) else None


def object_in(text: str) -> dict[str, Any] | None:
    """Return the members of a JSON object, or `None` if the text is not one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


_WHOLE_NUMBER = re.compile(r"[+-]?\d+")
_LITERALS = {"true": True, "false": False, "null": None}


class Schemas:
    """The schemas of a tool's parameters; unknown parameters have an empty schema."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        whole = Schema.of(parameters)
        self.properties = {name: whole.at("properties", name) for name in parameters.get("properties", {})}

    def of(self, name: str) -> Schema:
        """Return the schema of a parameter."""
        return self.properties.get(name, _ANYTHING)

    def choices(self, schema: Schema) -> list[Any]:
        """Return the allowed values, or an empty list if any value of the type is allowed."""
        found: list[Any] = []
        for part in schema.alternatives():
            listed = part.choices()
            if not listed and part.keywords.get("type") != "null":
                return []
            found += listed
        return found

    def value(self, text: str, schema: Schema) -> Any:
        """Convert a typed text to the type in the schema."""
        kinds = schema.kinds()
        if "string" in kinds:
            return text if not (choices := self.choices(schema)) else _choice(text, choices)
        if "array" in kinds and not text.lstrip().startswith("["):
            parts = [part.strip() for part in text.split(",")] if text.strip() else []
            return self.items(parts, schema)
        return _convert(text.strip(), kinds, unconverted=text)

    def items(self, texts: Sequence[str], schema: Schema) -> list[Any]:
        """Convert the items of a list, typed one by one."""
        lists = schema.alternatives()
        parts = [[one for part in lists for one in part.items(index)] for index in range(len(texts))]
        return [self.value(text, about[0] if about else _ANYTHING) for text, about in zip(texts, parts, strict=True)]


_ANYTHING = Schema.of({})


def _choice(text: str, choices: Sequence[Any]) -> Any:
    """Return the choice that is written like the text, such as the number for `5`, or the text itself."""
    written = {choice if isinstance(choice, str) else json.dumps(choice): choice for choice in reversed(choices)}
    return written.get(text, text)


def _convert(text: str, kinds: frozenset[str], *, unconverted: str) -> Any:
    if text.casefold() in _LITERALS and kinds & {"boolean", "null"}:
        value = _LITERALS[text.casefold()]
        return value if ("null" if value is None else "boolean") in kinds else unconverted
    if kinds & {"integer", "number"} and _WHOLE_NUMBER.fullmatch(text):
        return _whole_number(text)
    if kinds & {"integer", "number", "array", "object"}:
        try:
            return loads(text)
        except ValueError:
            return unconverted
    return unconverted


def _whole_number(text: str) -> int | str:
    try:
        return int(text)
    except ValueError:  # more digits than Python converts
        return text


USAGE = "write name=value, name:=json or name=@file"


class TextPlace(NamedTuple):
    """The parameter for unnamed text.

    Attributes:
        parameter: The name of the parameter, if there is one.
        takes_object: Whether a JSON object is accepted as well, with all arguments.
        is_open: Whether the parameter has no value yet.
        hint: What to write instead, if there is no such parameter.
    """

    parameter: str | None = None
    takes_object: bool = False
    is_open: bool = False
    hint: str = USAGE


def text_place(tool: Tool, schemas: Schemas, arguments: Mapping[str, Any]) -> TextPlace:
    """Return the parameter for unnamed text, which depends on the kind of tool, as in a pipeline.

    A tool that takes JSON in a pipeline accepts an object with its arguments, and assigns any other text to its only
    required string parameter. Other tools accept an object only if they have no parameter for text.
    """
    if tool.pipe == "text" and "input" in schemas.properties:
        return TextPlace("input", is_open="input" not in arguments)
    place = _place_by_schema(tool, schemas, arguments)
    if tool.pipe == "json":
        return place._replace(takes_object=True, is_open=any(name not in arguments for name in tool.spec.required))
    return place._replace(takes_object=place.parameter is None)


def _place_by_schema(tool: Tool, schemas: Schemas, arguments: Mapping[str, Any]) -> TextPlace:
    texts = [name for name in tool.spec.required if "string" in schemas.of(name).kinds()]
    still_open = [name for name in texts if name not in arguments]
    if len(still_open) == 1:
        return TextPlace(still_open[0], is_open=True)
    if still_open:
        return TextPlace(hint=f"name the parameter: {' or '.join(f'{name}=…' for name in still_open)}")
    return TextPlace(texts[0] if len(texts) == 1 else None, hint=USAGE if schemas.properties else "it takes none")
