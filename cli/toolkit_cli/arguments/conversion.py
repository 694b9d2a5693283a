"""Conversion: what a person typed as an argument becomes the value that the parameter's schema wants.

A text stays a text wherever a text will do, though it look like a number. What cannot be converted is left as it is:
the tool then says what it wanted.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toolkit.tools.exact_numbers import loads

_WHOLE_NUMBER = re.compile(r"[+-]?\d+")
_LITERALS = {"true": True, "false": False, "null": None}


class Schemas:
    """The schemas of a tool's parameters, with the definitions that they refer to."""

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        """Keep the whole schema of the parameters."""
        self._root = parameters
        self.properties: Mapping[str, Any] = parameters.get("properties", {})

    def kinds(self, schema: Any) -> set[str]:
        """Return the JSON types that a value may have; all of them where the schema does not say."""
        return {kind for part in self._parts(schema) for kind in _kinds_of(part)}

    def choices(self, schema: Any) -> list[Any]:
        """Return the only values that there are, or none where anything of the type will do."""
        found: list[Any] = []
        for part in self._parts(schema):
            if "const" not in part and "enum" not in part:
                if part.get("type") == "null":
                    continue
                return []
            found += [part["const"]] if "const" in part else part["enum"]
        return found

    def value(self, text: str, schema: Any) -> Any:
        """Return the value that a typed text stands for."""
        kinds = self.kinds(schema)
        if "string" in kinds:
            return text if not (choices := self.choices(schema)) else _choice(text, choices)
        if "array" in kinds and not text.lstrip().startswith("["):
            parts = [part.strip() for part in text.split(",")] if text.strip() else []
            return self.items(parts, schema)
        return _converted(text.strip(), kinds, unconverted=text)

    def items(self, texts: Sequence[str], schema: Any) -> list[Any]:
        """Return the list whose items were typed one by one."""
        of_items: Any = next((part["items"] for part in self._parts(schema) if "items" in part), {})
        return [self.value(text, of_items) for text in texts]

    def _parts(self, schema: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
        """Yield the alternatives of a schema, references followed."""
        if not isinstance(schema, Mapping) or depth > len(self._root.get("$defs", ())) + 8:
            return
        if isinstance(reference := schema.get("$ref"), str):
            target = self._root.get("$defs", {}).get(reference.rpartition("/")[2])
            yield from self._parts(target, depth + 1)
            return
        alternatives = schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf")
        if not alternatives:
            yield schema
        for alternative in alternatives or ():
            yield from self._parts(alternative, depth + 1)


def _kinds_of(schema: Mapping[str, Any]) -> list[str]:
    if "const" in schema:
        return [_kind(schema["const"])]
    if "enum" in schema:
        return [_kind(value) for value in schema["enum"]]
    match schema.get("type"):
        case str(kind):
            return [kind]
        case [*kinds]:
            return [str(kind) for kind in kinds]
    return ["object"] if "properties" in schema else ["string", "anything"]


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    names = {str: "string", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _choice(text: str, choices: Sequence[Any]) -> Any:
    """Return the choice that is written like this, or the text: `5` may be the number among the choices."""
    written = {choice if isinstance(choice, str) else json.dumps(choice): choice for choice in reversed(choices)}
    return written.get(text, text)


def _converted(text: str, kinds: set[str], *, unconverted: str) -> Any:
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
    except ValueError:  # longer than Python reads
        return text
