"""Reads tables of keys from the nodes of a document, so that each problem has the exact place of the value.

The JSON Schemas of the formats in YAML are draft-07, since editors support no later draft.
"""

from collections import abc
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

from toolkit.amounts import parse_duration
from toolkit.codes import UNKNOWN_KEY
from toolkit.documents import keys
from toolkit.documents.keys import Key, Kind, Origin, Schema, Spot, is_number, is_text, read_table, schema_of
from toolkit.documents.nodes import Mapping, Node, Scalar, Sequence as Items, Word
from toolkit.problems import Location, Problem, fix_spelling, nearest

DRAFT: Final = "http://json-schema.org/draft-07/schema#"

NAME: Final = "^[A-Za-z_][A-Za-z0-9_]*$"
"""The pattern of a name that can be used in an expression."""


class NodeSpot(Spot):
    """The position of a node."""

    __slots__ = ()

    @property
    def at(self) -> Node:
        """The node."""
        assert self.node is not None
        return self.node

    @property
    def location(self) -> Location:
        """The location of the node."""
        return self.at.location

    @property
    def place_of_key(self) -> Location:
        """The location of the node's own key, or of the node if it has none."""
        return self.location if self.key is None else self.key.location

    @property
    def text(self) -> str:
        """The text of a scalar; empty for other nodes."""
        return self.node.text if isinstance(self.node, Scalar) else ""

    @property
    def is_nothing(self) -> bool:
        """Whether the value is null, or no value is written."""
        return isinstance(self.node, Scalar) and self.node.value is None

    @property
    def written(self) -> Any:
        """What a kind reads: the value of a scalar, a list of such, or a mapping itself, whose keys have places."""
        return _written(self.at)

    @property
    def word(self) -> Word:
        """The text of a scalar with its location."""
        return Word(self.text, self.at.place)

    @property
    def name_word(self) -> Word:
        """The node's own key with its location."""
        return Word("", self.at.place) if self.key is None else Word(self.key.text, self.key.place)

    @property
    def inner(self) -> list[Self]:
        """The positions of the values of this mapping."""
        return [self.below(name) for name in self.node.entries] if isinstance(self.node, Mapping) else []

    def below(self, *names: str) -> Self:
        """Return the position of a key of this mapping."""
        return self.member(names[0], {})

    def member(self, name: str, table: abc.Mapping[str, Any]) -> Self:
        """Return the position of a key of this mapping."""
        key, node = self.node.entries[name] if isinstance(self.node, Mapping) else (None, None)
        return self.__class__((name,), self.origin, table, f"'{name}'", node=node, key=key)

    def item(self, index: int, words: str = "") -> Self:
        """Return the position of an item of this list; a single value instead of a list is its only item."""
        node = self.node.items[index] if isinstance(self.node, Items) else self.node
        return self.__class__((str(index),), self.origin, words=words or f"an item of {self.words}", node=node)

    def items(self, words: str) -> list[Self]:
        """Return the positions of the items of this list, and what messages call each."""
        count = len(self.node.items) if isinstance(self.node, Items) else 1
        return [self.item(index, words) for index in range(count)]

    def lacks(self, name: str) -> bool:
        """Return whether this mapping lacks a key."""
        return isinstance(self.node, Mapping) and name not in self.node.entries

    def report_key(self, message: str, hint: str | None = None) -> None:
        """Report a problem at the node's own key."""
        self._replace(node=self.key or self.node).report(message, hint)

    def wrong(self, words: str, hint: str | None = None) -> None:
        """Report that the value must be something else, which `words` describe."""
        self.report(f"{self.words} must be {words}, not {described(self.at)}", hint)

    def unknown(self, name: str, keys: Sequence[Key], each: str, hint: str | None) -> None:
        """Report an unknown key of this mapping, with a fix if it is a key with a spelling mistake."""
        here = self.below(name)
        free = [key.name for key in keys if isinstance(self.node, Mapping) and key.name not in self.node.entries]
        near = [key for key in nearest(name, [key.name for key in keys], most=1) if key in free]
        message, fix = f"unknown {each} {name!r} in {self.words}", fix_spelling(name, near, here.place_of_key)
        self.origin.problems.append(Problem(self.origin.code, message, here.place_of_key, hint=hint, fix=fix))

    def missing(self, key: Key, each: str) -> None:
        """Report that this mapping lacks a key."""
        hint = f"write {key.name}: {key.kind.example}" if key.kind.example else None
        self.report(f"{self.words} needs {key.name!r}", hint)


def spot_of(
    node: Node, words: str, problems: list[Problem], *, code: str = UNKNOWN_KEY, folder: Path | None = None
) -> NodeSpot:
    """Return the position of a node.

    Args:
        node: The node.
        words: What messages call it.
        problems: Receives the problems in it.
        code: The code of the problems.
        folder: The folder of the project.
    """
    origin = Origin(folder or Path(), lambda _: None, problems, assigns=": ", code=code)
    return NodeSpot((words.strip("'"),), origin, words=words, node=node)


def read_mapping(
    spot: NodeSpot, keys: Sequence[Key], example: str = "", advice: Callable[[str], str | None] | None = None
) -> dict[str, Any] | None:
    """Return the valid values of a mapping, or report that the node is none and return `None`.

    Args:
        spot: The position of the mapping.
        keys: All keys that it can have.
        example: What to write instead of another node.
        advice: Returns a hint for an unknown key; by default, the most similar key, or all of them.
    """
    if not isinstance(spot.node, Mapping):
        spot.wrong("a mapping", f"write {example}" if example else None)
        return None
    nodes = [(name, entry.value) for name, entry in spot.node.entries.items()]
    written = {name: one.value if isinstance(one, Scalar) else _written(one) for name, one in nodes}
    return read_table(written, keys, spot, advice=advice)


def _written(node: Node) -> Any:
    if isinstance(node, Scalar):
        return node.value
    return [_written(item) for item in node.items] if isinstance(node, Items) else node


def described(node: Node) -> str:
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


# --------------------------------------------------------------------------------------------------------------- kinds


def reference(name: str, description: str = "") -> Schema:
    """Return a reference to a definition, wrapped if it has a description, which draft-07 ignores next to `$ref`."""
    found = {"$ref": f"#/definitions/{name}"}
    return {"allOf": [found], "description": description} if description else found


def text_schema(**more: Any) -> Schema:
    """Return the schema of a string whose description comes first."""
    return {"type": "string", "description": "", **more}


def node(words: str, read: Callable[[Any, NodeSpot], Any], schema: Schema, example: str = "", **more: Any) -> Kind:
    """Return a kind of nodes, which the docs name like the messages."""
    return Kind(words, words, read, example, schema, **more)


def mapping_of(
    known: Sequence[Key], make: Callable[[dict[str, Any]], Any] = dict, *, example: str, schema: Schema | None = None
) -> Kind:
    """Return the kind of a mapping with these keys, whose valid values `make` receives."""

    def read(written: Any, spot: NodeSpot) -> Any:
        return make(read_mapping(spot, known) or {}) if isinstance(written, Mapping) else None

    return node("a mapping", read, schema_of(known) if schema is None else schema, example)


def words(item: str, *, or_one: bool = False) -> Kind:
    """Return the kind of a list of names, of which the valid ones are read with their places.

    Args:
        item: What messages call a name.
        or_one: Whether a single name need not be in a list.
    """

    def read(written: Any, spot: NodeSpot) -> Any:
        if not (or_one or isinstance(written, list)):
            return None
        found = [WORD.read_or_report(one.written, one) for one in spot.items(item)]
        return tuple(word for word in found if word is not None)

    several = {"type": "array", "items": {"type": "string"}}
    one_or_several = {"anyOf": [{"type": "string"}, {**several, "description": ""}]}
    return node("a list", read, one_or_several if or_one else several)


def _in_quotes(_: Any, spot: NodeSpot) -> str | None:
    return "put quotes around it" if spot.text.strip() else None


def _duration(*, may_be_zero: bool) -> Kind:
    def read(_: Any, spot: NodeSpot) -> float | None:
        seconds = parse_duration(spot.text)
        return seconds if may_be_zero else seconds or None

    def advice(written: Any, spot: NodeSpot) -> str | None:
        return f"write {spot.text}s for seconds" if is_number(written) else None

    limits = "at most 720h" if may_be_zero else "above zero and at most 720h"
    return node(f"a duration such as 500ms, 30s or 5m, {limits}", read, reference("duration"), advice=advice)


DURATION_SCHEMA: Final = {
    "type": "string",
    "description": "A duration such as 500ms, 30s or 5m.",
    "pattern": r"^\d+(\.\d+)?\s*(ms|s|m|h)$",
}
"""The definition that the schemas of durations refer to."""
TEXT: Final = replace(keys.text("text"), advice=_in_quotes)
WORD: Final = replace(TEXT, read=lambda written, spot: spot.word if is_text(written) else None)
DURATION: Final = _duration(may_be_zero=False)
DURATION_OR_ZERO: Final = _duration(may_be_zero=True)
NODES: Final = node("a list", lambda written, spot: spot if isinstance(written, list) else None, {"type": "array"})
MAPPING: Final = node("a mapping", lambda written, spot: spot if isinstance(written, Mapping) else None, {})
