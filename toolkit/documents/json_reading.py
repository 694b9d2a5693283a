"""Parses JSON to the same nodes as YAML, with the line and column of each.

The YAML parser cannot do this, since some valid JSON is not YAML: tabs and escaped surrogate pairs are common in JSON.
"""

import json
import re
from pathlib import Path
from typing import Any, NoReturn

from toolkit.codes import BROKEN_DOCUMENT, DUPLICATE_KEY
from toolkit.documents.document_reader import read_text
from toolkit.documents.nodes import Entry, Mapping, Node, Scalar, Sequence, Source, Written, plain
from toolkit.problems import Problem

MAX_DEPTH = 200
MAX_BYTES = 16 * 1024 * 1024

_BLANK = re.compile(r"[ \t\r\n]*")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+"')
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"[A-Za-z_]+")
_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_WORDS = {"true": True, "false": False, "null": None}


def read_json(path: Path, *, name: str | None = None) -> tuple[Node | None, list[Problem]]:
    """Read a JSON file; a file that cannot be read is reported as a problem, as in `parse_json`."""
    file = str(path) if name is None else name
    text = read_text(path, file, most=MAX_BYTES)
    return (None, [text]) if isinstance(text, Problem) else parse_json(text, file)


def parse_json(text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """Parse JSON.

    Args:
        text: The document.
        file: The name of the file in the locations of nodes and problems.

    Returns:
        The root node, or `None` if the text is not JSON, and all problems. If a key occurs twice, its first value is
        kept (`TK603`).
    """
    reader = _Reader(Source(text.removeprefix("\ufeff"), file))
    try:
        return reader.document(), reader.problems
    except _InvalidJson as error:
        return None, [*reader.problems, error.problem]


def parse_commented_json(text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """Parse JSON with comments and trailing commas, as editors allow them in their settings; see `parse_json`."""
    kept = without_comments(text)
    return parse_json(_TRAILING_COMMA.sub(lambda found: found[1] or " ", kept), file)


def without_comments(text: str) -> str:
    """Return JSON with its comments blanked out, so that everything else keeps its place."""
    return _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)


def json_data(text: str, file: str) -> Any:
    """Parse JSON to plain data, or return the first problem; nodes are created only if there is a problem."""
    try:
        return json.loads(text, object_pairs_hook=_without_repetitions)
    except (ValueError, RecursionError):
        root, problems = parse_json(text, file)
        return problems[0] if problems or root is None else plain(root)


def _without_repetitions(members: list[tuple[str, Any]]) -> dict[str, Any]:
    data = dict(members)
    if len(data) != len(members):
        raise ValueError  # the caller finds the duplicate key in the nodes
    return data


class _InvalidJson(Exception):  # it never leaves this module
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


class _Reader:
    """Parses one document."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.problems: list[Problem] = []
        self.position = 0

    def document(self) -> Node:
        root = self.value(0)
        self.skip_blank()
        if self.position < len(self.text):
            self.refuse(
                "unexpected text after the end of the document", hint="a file has one value; put several into a list"
            )
        return root

    def value(self, depth: int) -> Node:
        self.skip_blank()
        if depth > MAX_DEPTH:
            self.refuse(f"nested deeper than {MAX_DEPTH} levels")
        match self.text[self.position : self.position + 1]:
            case "{":
                return self.mapping(depth)
            case "[":
                return self.sequence(depth)
            case '"':
                return self.string()
            case "":
                self.refuse("the document ends where a value is expected")
        return self.number_or_word()

    def mapping(self, depth: int) -> Mapping:
        start, entries = self.position, dict[str, Entry]()
        self.position += 1
        while not self.closed_by("}", is_first=not entries):
            self.skip_blank()
            if not self.text.startswith('"', self.position):
                self.refuse("a key in double quotes is expected", hint=self.hint_for_comma())
            key = self.string()
            self.skip_blank()
            if not self.text.startswith(":", self.position):
                self.refuse("':' is expected after the key")
            self.position += 1
            value = self.value(depth + 1)
            if first := entries.get(key.text):
                related = ((first.key.location, "first defined here"),)
                message, hint = f"duplicate key '{key.text}'", "remove one of the two"
                self.problems.append(Problem(DUPLICATE_KEY, message, key.location, hint=hint, related=related))
            else:
                entries[key.text] = Entry(key, value)
        return Mapping(entries, Written(self.source, start, self.position))

    def sequence(self, depth: int) -> Sequence:
        start, items = self.position, list[Node]()
        self.position += 1
        while not self.closed_by("]", is_first=not items):
            items.append(self.value(depth + 1))
        return Sequence(tuple(items), Written(self.source, start, self.position))

    def closed_by(self, bracket: str, *, is_first: bool) -> bool:
        """Consume the closing bracket and return `True`, or consume the comma before the next item, if any."""
        self.skip_blank()
        if self.text.startswith(bracket, self.position):
            self.position += 1
            return True
        if is_first:
            return False
        if not self.text.startswith(",", self.position):
            self.refuse(f"',' or '{bracket}' is expected")
        self.position += 1
        return False

    def string(self) -> Scalar:
        found = _STRING.match(self.text, self.position)
        if found is None:
            self.refuse("this string is not closed, or contains an invalid escape or a control character")
        value: str = json.loads(found[0])
        self.position = found.end()
        return Scalar(value, value, plain=False, place=Written(self.source, *found.span(), '"'))

    def number_or_word(self) -> Scalar:
        if found := _NUMBER.match(self.text, self.position):
            try:
                value = json.loads(found[0])
            except ValueError:  # more digits than Python parses
                self.refuse("this number is too long")
        elif (found := _WORD.match(self.text, self.position)) and found[0] in _WORDS:
            value = _WORDS[found[0]]
        else:
            self.refuse("a value is expected", hint=self.hint_for_comma())
        self.position = found.end()
        return Scalar(value, found[0], plain=True, place=Written(self.source, *found.span()))

    def hint_for_comma(self) -> str | None:
        ends = self.text[self.position : self.position + 1] in ("}", "]")
        return "remove the comma before it" if ends else None

    def skip_blank(self) -> None:
        found = _BLANK.match(self.text, self.position)
        self.position = found.end() if found else self.position

    def refuse(self, message: str, *, hint: str | None = None) -> NoReturn:
        place = self.source.location(self.position, min(self.position + 1, len(self.text)))
        raise _InvalidJson(Problem(BROKEN_DOCUMENT, f"the JSON is broken: {message}", place, hint=hint))
