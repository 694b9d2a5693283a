"""Sets or removes one entry of a JSON, TOML or YAML file that belongs to somebody else; everything else stays as it is.

The text is edited in place, so comments, order and layout stay. Whether an edit is right is not left to the editing:
the new text is parsed, and has to contain exactly the old data with the one change. Otherwise the edit is refused.
"""

import json
import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Final, Literal

from toolkit.documents import dumping
from toolkit.documents.document_reader import parse_document
from toolkit.documents.json_reading import parse_commented_json, without_comments
from toolkit.documents.nodes import Entry, Mapping as MappingNode, Node, Written, plain
from toolkit.documents.toml_reading import nodes_of, read_data
from toolkit.problems import Location, Problem, errors_among

Format = Literal["json", "toml", "yaml"]
"""The format of a file. JSON can have comments and trailing commas."""

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_INDENT: Final = "  "
_REFUSED: Final = "the entry cannot be changed without changing the rest of the file"


def parse_as(format: Format, text: str, file: str) -> tuple[Node | None, list[Problem]]:
    """Parse a file whose content is a table; an empty file is an empty table.

    Returns:
        The root node, or `None` if there is an error, and all problems.
    """
    if not text.strip():
        return MappingNode({}, Location(file, 1, 1, 1, 1)), []
    if format == "toml":
        data = read_data(text, file)
        return (None, [data]) if isinstance(data, Problem) else (nodes_of(data, text, file), [])
    root, problems = (parse_commented_json if format == "json" else parse_document)(text, file)
    if root is not None and plain(root) is None:
        return MappingNode({}, Location(file, 1, 1, 1, 1)), problems
    if root is not None and not isinstance(root, MappingNode):
        problems = [*problems, Problem("", "the file does not contain a table", root.location)]
    return (None, problems) if errors_among(problems) else (root, problems)


def with_entry(format: Format, text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    """Return a text in which the entry at a path of keys has this value; tables that are missing are added.

    Raises:
        ValueError: If this is not possible without changing anything else.
    """
    mark, body, data = _opened(format, text)
    _table(data, path[:-1], create=True)[path[-1]] = value
    edited = _EDITS[format][0](body, path, value)
    return mark + _checked(format, edited, data, path)


def without_entry(format: Format, text: str, path: Sequence[str]) -> str:
    """Return a text without the entry at a path of keys, which has to exist.

    Raises:
        ValueError: If this is not possible without changing anything else.
    """
    mark, body, data = _opened(format, text)
    del _table(data, path[:-1])[path[-1]]
    return mark + _checked(format, _EDITS[format][1](body, path), data, path)


def _opened(format: Format, text: str) -> tuple[str, str, dict[str, Any]]:
    """Return the byte order mark, the text after it, and its data."""
    body = text.removeprefix("\ufeff")
    root, problems = parse_as(format, body, "")
    if root is None:
        raise ValueError(str(problems[0]))
    return text[: len(text) - len(body)], body, deepcopy(plain(root))


def _checked(format: Format, text: str, data: dict[str, Any], path: Sequence[str]) -> str:
    root, _ = parse_as(format, text, "")
    found = {} if root is None else plain(root)
    if format == "toml":
        found, data = _without_empty(found, path), _without_empty(data, path)
    if root is None or found != data:
        raise ValueError(_REFUSED)
    return text


def _table(data: dict[str, Any], path: Sequence[str], *, create: bool = False) -> dict[str, Any]:
    for name in path:
        if create and data.get(name) is None:
            data[name] = {}
        found = data.get(name)
        if not isinstance(found, dict):
            message = f"'{name}' is not a table"
            raise ValueError(message)  # noqa: TRY004 - as the caller expects
        data = found
    return data


def _nested(path: Sequence[str], value: Any) -> Any:
    for name in reversed(path):
        value = {name: value}
    return value


def _line_break(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


# ----------------------------------------------------------------------------------------------- JSON


class _Span:
    """Where a table of a JSON text begins and ends, and how its entries are laid out."""

    def __init__(self, text: str, node: MappingNode) -> None:
        self.text = text
        self.entries = list(node.entries.values())
        self.start, self.end = _span_of(node)

    @property
    def last(self) -> int:
        """The index after everything in the table, comments included."""
        return len(self.text[: self.end - 1].rstrip())

    @property
    def is_on_one_line(self) -> bool:
        """Whether the table ends on the line of its last entry, so that one more goes there, too."""
        return bool(self.entries) and "\n" not in self.text[self.last : self.end]

    @property
    def indent(self) -> str:
        """The indentation of the table's entries."""
        first = _span_of(self.entries[0].key)[0] if self.entries else None
        if first is not None and "\n" in self.text[self.start : first]:
            return _indent_at(self.text, first)
        return _indent_at(self.text, self.start) + _unit(self.text)

    def comma_after(self, entry: Entry) -> int | None:
        """The index of the comma after an entry, or `None`."""
        at = _span_of(entry.value)[1]
        found = re.compile(r"\s*,").match(without_comments(self.text), at)
        return None if found is None else found.end() - 1


def _span_of(node: Node) -> tuple[int, int]:
    """Return where a node of JSON begins and ends."""
    place = node.place
    assert isinstance(place, Written)  # it was read from a text
    return place.start, place.end


def _indent_at(text: str, index: int) -> str:
    line = text[text.rfind("\n", 0, index) + 1 : index]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """Return one level of indentation: that of the first line that has any."""
    found = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return found[1] if found else _INDENT


def _json_with(text: str, path: Sequence[str], value: Any) -> str:
    if not text.strip():
        return json.dumps(_nested(path, value), indent=_INDENT, ensure_ascii=False) + "\n"
    node = _json_node(text)
    for depth, name in enumerate(path):
        span = _Span(text, node)
        entry = node.entries.get(name)
        if entry is None:
            return _added(span, name, _nested(path[depth + 1 :], value))
        if not isinstance(entry.value, MappingNode) or depth == len(path) - 1:
            start, end = _span_of(entry.value)
            inner = "" if span.is_on_one_line else _indent_at(text, _span_of(entry.key)[0])
            new = _nested(path[depth + 1 :], value)
            return text[:start] + _written(text, new, inner, one_line=span.is_on_one_line) + text[end:]
        node = entry.value
    raise AssertionError  # a path has at least one name, and the last one returns


def _json_node(text: str) -> MappingNode:
    root, _ = parse_commented_json(text, "")
    assert isinstance(root, MappingNode)  # the caller has parsed it
    return root


def _written(text: str, value: Any, indent: str, *, one_line: bool) -> str:
    if one_line:
        return json.dumps(value, ensure_ascii=False)
    return f"{_line_break(text)}{indent}".join(json.dumps(value, indent=_unit(text), ensure_ascii=False).splitlines())


def _added(span: _Span, name: str, value: Any) -> str:
    """Return the text with a new entry at the end of a table, after all comments."""
    text, last = span.text, span.entries[-1] if span.entries else None
    at = span.last
    comma = span.comma_after(last) if last is not None else None
    entry = f"{json.dumps(name)}: {_written(text, value, span.indent, one_line=span.is_on_one_line)}"
    gap = " " if span.is_on_one_line else f"{_line_break(text)}{span.indent}"
    tail = gap + entry + ("," if comma is not None else "")
    if span.is_on_one_line or "\n" in text[at : span.end - 1]:
        tail += text[at:]
    else:
        tail += f"{_line_break(text)}{_indent_at(text, span.start)}{text[span.end - 1 :]}"
    if last is None or comma is not None:
        return text[:at] + tail
    end = _span_of(last.value)[1]
    return f"{text[:end]},{text[end:at]}{tail}"


def _json_without(text: str, path: Sequence[str]) -> str:
    node = _json_node(text)
    for name in path[:-1]:
        inner = node.entries[name].value
        assert isinstance(inner, MappingNode)  # the caller has walked the data
        node = inner
    span, names = _Span(text, node), list(node.entries)
    at = names.index(path[-1])
    entry = span.entries[at]
    comma = span.comma_after(entry)
    end = _span_of(entry.value)[1] if comma is None else comma + 1
    start = len(text[: _span_of(entry.key)[0]].rstrip())
    kept = text[:start] + text[end:]
    if at > 0 and comma is None:  # it was the last one, and the comma before it belongs to it
        before = span.comma_after(span.entries[at - 1])
        assert before is not None  # two entries have a comma between them
        return kept[:before] + kept[before + 1 :]
    if len(names) == 1 and not kept[span.start + 1 : span.end - 1 - (end - start)].strip():
        return kept[: span.start + 1] + kept[span.end - 1 - (end - start) :]
    return kept


# ----------------------------------------------------------------------------------------------- TOML


def _toml_with(text: str, path: Sequence[str], value: Mapping[str, Any]) -> str:
    end = _line_break(text)
    header = ".".join(map(_toml_key, path))
    lines = [f"[{header}]", *(f"{_toml_key(key)} = {_toml_value(one)}" for key, one in value.items())]
    table = end.join([*lines, ""])
    root, _ = parse_as("toml", text, "")
    assert root is not None  # the caller has parsed it
    data = plain(root)
    _table(data, path[:-1], create=True)
    if _at(data, path) is None:
        return _appended(text, table, end)
    start, stop = _toml_lines(text, path)
    edited = text[:start] + table + text[stop:]
    _table(data, path[:-1])[path[-1]] = value
    changed, _ = parse_as("toml", edited, "")
    is_right = changed is not None and plain(changed) == data
    return edited if is_right else _appended(_toml_without(text, path), table, end)


def _appended(text: str, table: str, end: str) -> str:
    if not text:
        return table
    return f"{text}{'' if text.endswith(end) else end}{end}{table}"


def _at(data: Any, path: Sequence[str]) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _toml_without(text: str, path: Sequence[str]) -> str:
    start, stop = _toml_lines(text, path)
    blank = re.search(r"(?:\A|\n)(\r?\n)\Z", text[:start])
    return text[: start if blank is None else blank.start(1)] + text[stop:]


def _toml_lines(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Return where the lines of a table begin and end: the fewest lines without which its data is gone.

    Raises:
        ValueError: If the table is not written in one piece.
    """
    root, _ = parse_as("toml", text, "")
    node, place = root, None
    for name in path:
        assert isinstance(node, MappingNode)  # the caller has walked the data
        place, node = node.entries[name].key.location, node.entries[name].value
    assert root is not None
    lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    first = ((place and place.line) or 1) - 1
    left = deepcopy(plain(root))
    del _table(left, path[:-1])[path[-1]]
    for last in range(first + 1, len(lines) + 1):
        found = read_data("".join(lines[:first] + lines[last:]), "")
        if not isinstance(found, Problem) and _without_empty(found, path) == _without_empty(left, path):
            return sum(map(len, lines[:first])), sum(map(len, lines[:last]))
    raise ValueError(_REFUSED)


def _without_empty(data: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Return data without the tables around an entry that are empty: a header of an entry implies them."""
    copy = deepcopy(data)
    for length in range(len(path) - 1, 0, -1):
        if _at(copy, path[:length]) == {}:
            del _table(copy, path[: length - 1])[path[length - 1]]
    return copy


def _toml_key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _toml_value(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_toml_key(key)} = {_toml_value(one)}' for key, one in value.items())} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml_value, value))}]"
    return json.dumps(value, ensure_ascii=False)  # strings, numbers, true and false are the same in both


# ----------------------------------------------------------------------------------------------- YAML


def _yaml_with(text: str, path: Sequence[str], value: Any) -> str:
    root, _ = parse_document(text, "")
    data = None if root is None else plain(root)
    if data is None:
        nested = dumping.as_yaml(_nested(path, value))
        return f"{text}{'' if not text or text.endswith(chr(10)) else _line_break(text)}{nested}"
    full = next((length for length in range(1, len(path)) if _at(data, path[:length]) is None), len(path))
    return dumping.with_value(text, path[:full], _nested(path[full:], value), as_block=True)


_EDITS: Final = {
    "json": (_json_with, _json_without),
    "toml": (_toml_with, _toml_without),
    "yaml": (_yaml_with, dumping.without_entry),
}
