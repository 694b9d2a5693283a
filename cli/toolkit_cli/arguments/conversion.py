"""Converts typed arguments to the types in the schema of the parameters.

A value stays a string wherever the schema allows one, even if it looks like a number. A value that cannot be converted
is passed unchanged, so that the tool's validation reports it.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolkit.schemas.schema import Schema
from toolkit.tools.exact_numbers import loads

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
