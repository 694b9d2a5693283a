"""Parses TOML to the same nodes as YAML and JSON, with the line and column of each.

The standard library parses the text and detects errors, but does not return locations. So this module finds each key
and value in the text again, guided by the parsed data.
"""

import re
import tomllib
from typing import Any, cast

from toolkit.codes import BROKEN_DOCUMENT
from toolkit.documents.nodes import Entry, Mapping, Node, Scalar, Sequence, Source
from toolkit.problems import Location, Problem

_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_KEY = re.compile(r"""[A-Za-z0-9_-]++|"(?:[^"\\]|\\.)*+"|'[^']*+'""")
_SCALAR = re.compile(
    r'''"""(?:[^"\\]|\\.|"(?!""))*+"{3,5}'''
    r"""|'{3}(?:[^']|'(?!''))*+'{3,5}"""
    r'''|"(?:[^"\\]|\\.)*+"'''
    r"""|'[^']*+'"""
    r"|\d{4}-\d\d-\d\d[Tt ]\d\d:[^\s,\]}#]++"
    r"|[^\s,\]}#]++",
    re.DOTALL,
)
_WHERE = re.compile(r"^(.*?)\s*\(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)

Table = tuple[Mapping, dict[str, Any]]
"""The node of a table, and its parsed data."""

_DEEP_KEY = re.compile(
    r"""(?:^[ \t]*\[{0,2}|[{,])[ \t]*+(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}""", re.MULTILINE
)
"""A dotted key with more than a hundred parts."""


def read_data(text: str, file: str) -> dict[str, Any] | Problem:
    """Parse TOML to plain data without locations, or return the problem if it cannot be parsed.

    Args:
        text: The document.
        file: The name of the file in the location of a problem.
    """
    if _DEEP_KEY.search(text):  # the time to parse it is quadratic in its parts
        return Problem(BROKEN_DOCUMENT, "the TOML is nested too deeply", Location(file))
    try:
        return tomllib.loads(text)
    except RecursionError:
        return Problem(BROKEN_DOCUMENT, "the TOML is nested too deeply", Location(file))
    except tomllib.TOMLDecodeError as error:
        return _broken(str(error), text, file)


def nodes_of(data: dict[str, Any], text: str, file: str) -> Mapping:
    """Return the nodes of a text that is already parsed, which takes longer than parsing.

    The location of a key is the start of the dotted key or header that contains it. If lists are nested too deeply for
    this function, although `tomllib` could parse them, the result is an empty mapping.
    """
    try:
        return _Finder(Source(text, file), data).document()
    except RecursionError:
        return Mapping({}, Location(file))


def _broken(reason: str, text: str, file: str) -> Problem:
    found = _WHERE.search(reason)
    message = (found[1] if found else reason).strip().replace("\n", " ")
    line, column = (int(found[2]), int(found[3])) if found and found[2] else (len(text.splitlines()) or 1, None)
    whole = f"the TOML is broken: {message[:1].lower()}{message[1:]}"
    return Problem(BROKEN_DOCUMENT, whole, Location(file, line, column))


class _Finder:
    """Finds the keys and values of a text that is known to be valid TOML."""

    def __init__(self, source: Source, data: dict[str, Any]) -> None:
        self.source = source
        self.text = source.text
        self.position = 0
        self.root: Table = (Mapping({}, Location(source.file, 1, 1)), data)
        self.lists: dict[tuple[Mapping, str], list[Mapping]] = {}

    def document(self) -> Mapping:
        table = self.root
        while self.skip_blank() < len(self.text):
            if self.text.startswith("[", self.position):
                table = self.header()
            else:
                self.assignment(table)
        for (owner, name), tables in self.lists.items():
            key = owner.entries[name].key
            owner.entries[name] = Entry(key, Sequence(tuple(tables), key.location))
        return self.root[0]

    def header(self) -> Table:
        """Consume `[a.b]` or `[[a.b]]` and return the table that it starts."""
        brackets = 2 if self.text.startswith("[[", self.position) else 1
        self.position += brackets
        *outer, key = self.keys()
        self.position += brackets
        owner = self.inner(self.root, outer)
        first = owner[0].entries.get(key.text)
        if brackets > 1:
            self.lists.setdefault((owner[0], key.text), []).append(Mapping({}, key.location))
            owner[0].entries[key.text] = first or Entry(key, Sequence((), key.location))
        elif first:  # `[a.b]` came before `[a]`
            owner[0].entries[key.text] = Entry(key, first.value)
        return self.inner(owner, [key])

    def assignment(self, table: Table) -> None:
        *outer, key = self.keys()
        self.position += 1
        self.skip_blank()
        node, data = self.inner(table, outer)
        node.entries[key.text] = Entry(key, self.value(data[key.text]))

    def inner(self, table: Table, keys: list[Scalar]) -> Table:
        """Return the table at some keys inside another one; for a list of tables, that is the last table."""
        node, data = table
        for key in keys:
            below = data[key.text]
            if tables := self.lists.get((node, key.text)):
                node, data = tables[-1], below[len(tables) - 1]
            else:
                entry = node.entries.setdefault(key.text, Entry(key, Mapping({}, key.location)))
                node, data = cast("Mapping", entry.value), below
        return node, data

    def keys(self) -> list[Scalar]:
        """Consume a dotted key and return its parts, whose locations all start at the start of the whole key."""
        self.skip_blank()
        start, keys = self.position, list[Scalar]()
        while True:
            written = self.take(_KEY)
            name = _unquoted(written) if written[0] in "\"'" else written
            location = self.source.location(start, self.position)
            keys.append(Scalar(name, name, plain=name == written, place=location))
            self.skip_blank()
            if not self.text.startswith(".", self.position):
                return keys
            self.position += 1
            self.skip_blank()

    def value(self, data: Any) -> Node:
        start = self.position
        match self.text[start]:
            case "[":
                items = tuple(self.items(data))
                return Sequence(items, self.source.location(start, self.position))
            case "{":
                table = self.inline_table(data)
                return Mapping(table.entries, self.source.location(start, self.position))
        written = self.take(_SCALAR)
        text = data if isinstance(data, str) else written
        location = self.source.location(start, self.position)
        return Scalar(data, text, plain=not isinstance(data, str), place=location)

    def items(self, data: list[Any]) -> list[Node]:
        items = list[Node]()
        while self.has_more("]"):
            items.append(self.value(data[len(items)]))
        return items

    def inline_table(self, data: dict[str, Any]) -> Mapping:
        table = Mapping({}, self.root[0].location)
        while self.has_more("}"):
            self.assignment((table, data))
        return table

    def has_more(self, bracket: str) -> bool:
        """Consume the opening bracket or a comma; return `False` after consuming a closing bracket."""
        self.skip_blank()
        if not self.text.startswith(bracket, self.position):
            self.position += 1
            self.skip_blank()
        if not self.text.startswith(bracket, self.position):
            return True
        self.position += 1
        return False

    def take(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.position)
        assert found is not None, "tomllib has parsed it"  # both accept the same syntax
        self.position = found.end()
        return found[0]

    def skip_blank(self) -> int:
        found = _BLANK.match(self.text, self.position)
        self.position = found.end() if found else self.position
        return self.position


def _unquoted(written: str) -> str:
    name: str = tomllib.loads(f"key = {written}")["key"]
    return name
