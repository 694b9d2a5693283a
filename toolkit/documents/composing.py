"""Composes nodes from PyYAML's events, within limits.

This uses events rather than PyYAML's own nodes because they can be processed one by one without recursion. So a
document can be refused in the middle, and nothing is resolved, constructed or expanded before this module checks it.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

import yaml

from toolkit.codes import BROKEN_DOCUMENT, DUPLICATE_KEY
from toolkit.documents.nodes import (
    MAX_PROBLEMS,
    USUAL,
    Bounds,
    Entry,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Source,
    Style,
    Written,
    many_nodes,
    too_many,
)
from toolkit.documents.scalars import NoSuchNumber, Value, resolve
from toolkit.documents.syntax import misread_expression, syntax_problem
from toolkit.problems import Location, Problem

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_DEPTH = 64
MERGE_KEY = "<<"
CORE = "tag:yaml.org,2002:"
SCALAR_TAGS: dict[str, tuple[type, ...]] = {
    "null": (type(None),),
    "bool": (bool,),
    "int": (int,),
    "float": (float, int),
}


def compose(source: Source, bounds: Bounds = USUAL) -> tuple[Node | None, list[Problem]]:
    """Return the root node of a document, or `None` if it cannot be parsed, and all problems."""
    composer = _Composer(source, bounds)
    try:
        with many_nodes():
            return composer.compose(), composer.problems
    except _Refused as refused:
        return None, [*composer.problems, refused.problem]
    except yaml.YAMLError as error:
        problem = syntax_problem(error, source)
        return None, [*(one for one in composer.problems if one != problem), problem]


class _Refused(Exception):  # it never leaves this module
    """The document cannot be read any further."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Size(NamedTuple):
    """The size of a part of a document, including what aliases repeat."""

    nodes: int
    characters: int


class _Open:
    """A collection whose end has not been read yet."""

    __slots__ = ("awaits_key", "before", "entries", "event", "is_mapping", "items", "key")

    def __init__(self, event: Any, before: _Size) -> None:
        self.event = event
        self.is_mapping = self.awaits_key = type(event) is yaml.MappingStartEvent
        self.before = before
        self.items: list[Node] = []
        self.entries: dict[str, Entry] = {}
        self.key: Scalar | None = None


class _Composer:
    """Folds the events of one document into its root node."""

    def __init__(self, source: Source, bounds: Bounds) -> None:
        self.source = source
        self.most_nodes, self.most_characters = bounds
        self.problems: list[Problem] = []
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Node, _Size] | None] = {}
        self.nodes = self.characters = 0
        self.root: Node | None = None

    def compose(self) -> Node:
        loader = Loader(self.source.text)
        try:
            while (kind := type(event := loader.get_event())) is not yaml.StreamEndEvent:
                if (handle := HANDLERS.get(kind)) is not None:
                    handle(self, event)
        finally:
            loader.dispose()
        return self.root or Scalar(None, "", plain=True, place=Location(self.source.file, 1, 1, 1, 1))

    def begin(self, event: Any) -> None:
        if self.root is not None:
            self._refuse(event, "a second document begins here", hint="write one document per file; remove the '---'")

    # ------------------------------------------------------------------------------------------------------- one node

    def scalar(self, event: Any) -> None:
        text: str = event.value
        self._count(1, len(text), event)
        style: Style = event.style or ""
        is_key = self.stack and self.stack[-1].awaits_key
        value: Value = text if is_key else self._value(event, is_plain=not style)
        written = Written(self.source, event.start_mark.index, event.end_mark.index, style)
        node = Scalar(value, text, not style, written)
        if event.anchor:
            self.anchors[event.anchor] = (node, _Size(1, len(text)))
        self._place(node, event)

    def _value(self, event: Any, *, is_plain: bool) -> Value:
        kind = None if event.tag is None else self._kind(event)
        if kind == "str" or (kind is None and not is_plain):
            return self._text(event)
        try:
            value = resolve(event.value)
        except NoSuchNumber as error:
            self._report(self._location(event), str(error), hint="put quotes around it if it is text")
            return None
        if kind is None:
            return value
        if type(value) not in SCALAR_TAGS.get(kind, ()):
            self._report(
                self._location(event), f"'{event.value}' is not a value of the type '!!{kind}'", hint="remove the tag"
            )
            return None
        return float(value) if kind == "float" and isinstance(value, int) else value

    def _text(self, event: Any) -> str | None:
        text: str = event.value
        if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
            return text
        self._report(self._location(event), "this escape is a lone surrogate", hint="write the character itself")
        return None

    def _kind(self, event: Any) -> str | None:
        """Return the name of a core tag, or `None` after reporting a tag that is not allowed."""
        tag: str = event.tag
        if isinstance(event, yaml.ScalarEvent):
            allowed: tuple[str, ...] = ("str", *SCALAR_TAGS)
        else:
            allowed = ("seq",) if isinstance(event, yaml.SequenceStartEvent) else ("map",)
        kind = tag.removeprefix(CORE)
        if kind != tag and kind in allowed:
            return kind
        shown = f"!!{kind}" if kind != tag else tag
        self._report(
            self._location(event),
            f"the tag '{shown}' is not allowed",
            hint=f"remove it; put quotes around the text if it begins with '{shown[:1]}'",
        )
        return None

    def alias(self, event: Any) -> None:
        if event.anchor not in self.anchors:
            self._refuse(
                event,
                f"there is no anchor '&{event.anchor}' before this",
                hint='put quotes around a text that begins with "*"',
            )
        anchored = self.anchors[event.anchor]
        if anchored is None:
            self._refuse(event, f"the alias '*{event.anchor}' is inside the value it refers to", hint="write it out")
        node, size = anchored
        self._count(*size, event)
        self._place(node, event)

    # ---------------------------------------------------------------------------------------------------- collections

    def open(self, event: Any) -> None:
        before = _Size(self.nodes, self.characters)
        self._count(1, 0, event)
        if len(self.stack) >= MAX_DEPTH:
            self._refuse(event, f"nested deeper than {MAX_DEPTH} levels", hint="move such data to a separate file")
        if event.tag is not None:
            self._kind(event)
        if event.anchor:
            self.anchors[event.anchor] = None
        self.stack.append(_Open(event, before))

    def close(self, event: Any) -> None:
        collection = self.stack.pop()
        start = collection.event
        written = Written(self.source, start.start_mark.index, event.end_mark.index)
        node: Mapping | Sequence
        if collection.is_mapping:
            node = Mapping(collection.entries, written)
        else:
            node = Sequence(tuple(collection.items), written)
        if start.anchor:
            before = collection.before
            size = _Size(self.nodes - before.nodes, self.characters - before.characters)
            self.anchors[start.anchor] = (node, size)
        self._place(node, start)

    def _place(self, node: Node, event: Any) -> None:
        """Add a finished node to the innermost open collection, or make it the root."""
        if not self.stack:
            self.root = node
            return
        collection = self.stack[-1]
        if not collection.is_mapping:
            collection.items.append(node)
        elif collection.awaits_key:
            collection.awaits_key = False
            collection.key = self._accepted_key(node, collection.entries, event)
        else:
            collection.awaits_key = True
            if collection.key is not None:
                collection.entries[collection.key.text] = Entry(collection.key, node)

    def _accepted_key(self, key: Node, entries: dict[str, Entry], event: Any) -> Scalar | None:
        """Return a key, or `None` after reporting a key whose entry has to be left out."""
        if not isinstance(key, Scalar):
            self._report_key(key)
            return None
        if key.plain and key.text == MERGE_KEY:
            self._report(key.location, "the merge key '<<' is not allowed", hint="write the entries out")
            return None
        if first := entries.get(key.text):
            if len(self.problems) >= MAX_PROBLEMS:
                raise _Refused(too_many(self._location(event)))
            self.problems.append(
                Problem(
                    DUPLICATE_KEY,
                    f"duplicate key '{key.text}'",
                    self._location(event),
                    hint="remove one of the two",
                    related=((first.key.location, "first defined here"),),
                )
            )
            return None
        return key

    def _report_key(self, key: Sequence | Mapping) -> None:
        index = key.place.start if isinstance(key.place, Written) else 0
        if index and (problem := misread_expression(self.source, index - 1)):
            self.problems.append(problem)
        else:
            kind = "mapping" if isinstance(key, Mapping) else "list"
            self._report(key.location, f"a {kind} cannot be a key", hint="put quotes around it if it is text")

    # --------------------------------------------------------------------------------------------------- what is wrong

    def _count(self, nodes: int, characters: int, event: Any) -> None:
        self.nodes += nodes
        self.characters += characters
        if self.nodes <= self.most_nodes and self.characters <= self.most_characters:
            return
        for number, most, what in (
            (self.nodes, self.most_nodes, "values"),
            (self.characters, self.most_characters, "characters"),
        ):
            if number > most:
                message = f"more than {most:,} {what}, including those that aliases repeat"
                self._refuse(event, message, hint="move such data to a separate file")

    def _report(self, location: Location, message: str, *, hint: str | None = None) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            raise _Refused(too_many(location))
        self.problems.append(Problem(BROKEN_DOCUMENT, message, location, hint=hint))

    def _refuse(self, event: Any, message: str, *, hint: str | None = None) -> NoReturn:
        raise _Refused(Problem(BROKEN_DOCUMENT, message, self._location(event), hint=hint))

    def _location(self, event: Any) -> Location:
        return self.source.location(event.start_mark.index, event.end_mark.index)


HANDLERS: dict[type, Callable[[_Composer, Any], None]] = {
    yaml.DocumentStartEvent: _Composer.begin,
    yaml.ScalarEvent: _Composer.scalar,
    yaml.SequenceStartEvent: _Composer.open,
    yaml.SequenceEndEvent: _Composer.close,
    yaml.MappingStartEvent: _Composer.open,
    yaml.MappingEndEvent: _Composer.close,
    yaml.AliasEvent: _Composer.alias,
}
