"""Reads nodes as values of an expected type: text, a whole number, a duration, one of a few words, and others.

The JSON Schemas of file formats are draft-07, since editors support no later draft.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple

from toolkit.amounts import parse_duration
from toolkit.codes import UNKNOWN_KEY
from toolkit.documents.nodes import Mapping, Node, Scalar, Sequence as Items
from toolkit.problems import Location, Problem, did_you_mean, fix_spelling, nearest


class Word(NamedTuple):
    """A name and its location."""

    text: str
    location: Location


def kind_of(node: Node) -> str:
    """Describe a node in words, for a message."""
    match node:
        case Mapping():
            return "a mapping" if node.entries else "an empty mapping"
        case Items():
            return "a list" if node.items else "an empty list"
        case Scalar(value=None):
            return "nothing"
        case Scalar(value=str()) if not node.text.strip():
            return "blank"
        case Scalar(value=str()):
            return f"the text {_shortened(node.text)!r}"
        case Scalar():
            return _shortened(node.text)


def _shortened(text: str, length: int = 40) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


class ShapeReader:
    """Reads nodes as plain values and adds problems to `problems`."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems

    def report(self, place: Location, message: str, *, hint: str | None = None, code: str = UNKNOWN_KEY) -> None:
        """Add one problem."""
        self.problems.append(Problem(code, message, place, hint=hint))

    def _expected(self, node: Node, what: str, expected: str, hint: str | None = None) -> None:
        self.report(node.location, f"{what} must be {expected}, not {kind_of(node)}", hint=hint)

    def text(self, node: Node, what: str) -> str | None:
        """Read a string that is not blank."""
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.strip():
            return node.value
        hint = "put quotes around it" if isinstance(node, Scalar) and node.text.strip() else None
        self._expected(node, what, "text", hint)
        return None

    def boolean(self, node: Node, what: str) -> bool | None:
        """Read true or false."""
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        self._expected(node, what, "true or false")
        return None

    def integer(self, node: Node, what: str, *, least: int = 1, most: int) -> int | None:
        """Read a whole number from `least` up to `most`."""
        if isinstance(node, Scalar) and type(node.value) is int and least <= node.value <= most:
            return node.value
        self._expected(node, what, f"a whole number from {least} to {most:,}")
        return None

    def number(self, node: Node, what: str, *, least: float, most: float) -> float | None:
        """Read a number from `least` up to `most`."""
        if isinstance(node, Scalar) and type(node.value) in (int, float) and least <= float(str(node.value)) <= most:
            return float(str(node.value))
        self._expected(node, what, f"a number from {least:g} to {most:g}")
        return None

    def duration(self, node: Node, what: str, *, may_be_zero: bool = False) -> float | None:
        """Read a duration such as `30s` and return it in seconds."""
        seconds = parse_duration(node.text) if isinstance(node, Scalar) else None
        if seconds or (may_be_zero and seconds is not None):
            return seconds
        is_number = isinstance(node, Scalar) and type(node.value) in (int, float)
        hint = f"write {node.text}s for seconds" if is_number and isinstance(node, Scalar) else None
        limits = "at most 720h" if may_be_zero else "above zero and at most 720h"
        self._expected(node, what, f"a duration such as 500ms, 30s or 5m, {limits}", hint)
        return None

    def choice(self, node: Node, what: str, choices: Sequence[str]) -> str | None:
        """Read one of a few words."""
        if isinstance(node, Scalar) and node.value in choices:
            return node.text
        words = " or ".join(repr(choice) for choice in choices)
        self._expected(node, what, words, did_you_mean(node.text, choices) if isinstance(node, Scalar) else None)
        return None

    def mapping(self, node: Node, what: str, example: str | None = None) -> Mapping | None:
        if isinstance(node, Mapping):
            return node
        self._expected(node, what, "a mapping", example and f"write {example}")
        return None

    def sequence(self, node: Node, what: str) -> Items | None:
        if isinstance(node, Items):
            return node
        self._expected(node, what, "a list")
        return None

    def check_keys(self, node: Mapping, what: str, known: Collection[str]) -> None:
        """Report every unknown key, with the most similar known one."""
        for name, entry in node.entries.items():
            if name not in known:
                otherwise = f"the keys here are {', '.join(known)}"
                hint = did_you_mean(name, known, otherwise=otherwise)
                place = entry.key.location
                free = [key for key in nearest(name, known, most=1) if key not in node.entries]
                fix = fix_spelling(name, free, place)
                self.problems.append(Problem(UNKNOWN_KEY, f"unknown key {name!r} in {what}", place, hint=hint, fix=fix))

    def words(self, node: Node, what: str, choices: Sequence[str]) -> tuple[Any, ...] | None:
        """Read a list of words that must be among some choices, or a single such word."""
        nodes: Iterable[Node] = node.items if isinstance(node, Items) else (node,)
        words = [self.choice(item, f"an item of {what}", choices) for item in nodes]
        return None if None in words or not words else tuple(words)

    def names(self, node: Node, what: str) -> tuple[Word, ...]:
        """Read a list of names, or a single name, with their locations."""
        nodes: Iterable[Node] = node.items if isinstance(node, Items) else (node,)
        texts = ((self.text(item, what), item.location) for item in nodes)
        return tuple(Word(text, place) for text, place in texts if text is not None)


DRAFT = "http://json-schema.org/draft-07/schema#"

NAME = "^[A-Za-z_][A-Za-z0-9_]*$"
"""The pattern of a name that can be used in an expression."""

Schema = dict[str, Any]


def closed(properties: Schema, required: Sequence[str] = ()) -> Schema:
    """Return the schema of a mapping with these keys and no others."""
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | {"required": [*required]} if required else schema


def reference(name: str, description: str = "") -> Schema:
    """Return a reference to a definition, wrapped if it has a description, which draft-07 ignores next to `$ref`."""
    found = {"$ref": f"#/definitions/{name}"}
    return {"allOf": [found], "description": description} if description else found


def text(description: str, **more: Any) -> Schema:
    return {"type": "string", "description": description, **more}


def texts(description: str) -> Schema:
    return {"type": "array", "items": {"type": "string"}, "description": description}
