"""Editing: the edits that add one key to a step, in whatever form it is written, and change nothing else."""

import re

from toolkit.documents import Mapping, Node, Scalar
from toolkit.problems import Edit, Fix, Location

_AFTER_DASH = re.compile(r"(?:^|[ \t])-[ \t]+$")
_LINE_END = re.compile(r"\r\n|\n|\r|$")


def with_key(node: Node | None, key: str, value: str, *, is_safe: bool) -> Fix | None:
    """Return the fix that writes `key: value` into a step that calls a tool; None where its form is not known.

    Args:
        node: The step as it is written: a name, a name with arguments, or keys; in lines or between braces.
        key: The key, which it does not have yet.
        value: The value as YAML.
        is_safe: Whether the pipeline means what it meant.
    """
    entry = f"{key}: {value}"
    edits: tuple[Edit, ...] | None = None
    match node:
        case Scalar():
            edits = _beside_name(node, entry)
        case Mapping() if "use" in node.entries and isinstance(used := node.entries["use"].value, Scalar):
            edits = _behind_use(node, node.entries["use"].key, used, entry)
        case Mapping() if len(node.entries) == 1:
            edits = _beside_arguments(node, entry)
    return None if edits is None else Fix(f"Add '{entry}'", edits, is_safe)


def _beside_name(name: Scalar, entry: str) -> tuple[Edit, ...] | None:
    """`- shout` becomes `- use: shout` and the entry below; `[shout]` becomes `[{use: shout, …}]`."""
    if name.written is None:
        return None
    text = name.written.source.text
    start, end = _first(name.location), _last(name.location)
    line = text[: name.written.start].rpartition("\n")[2]
    if not _AFTER_DASH.search(line):
        return Edit(start, "{use: "), Edit(end, f", {entry}}}")
    return Edit(start, "use: "), _below(name, name.location, entry)


def _behind_use(step: Mapping, key: Scalar, used: Scalar, entry: str) -> tuple[Edit, ...] | None:
    """The entry stands behind `use`: on the next line, or behind a comma between braces."""
    if used.written is None:
        return None
    if _is_between_braces(step, used):
        return (Edit(_last(used.location), f", {entry}"),)
    return (_below(used, key.location, entry),)


def _beside_arguments(step: Mapping, entry: str) -> tuple[Edit, ...] | None:
    """`shout: {…}` becomes `use: shout`, the entry, and `with: {…}`."""
    [(name, _)] = step.entries.values()
    if name.written is None:
        return None
    between = ", " if _is_between_braces(step, name) else _line_break(name) + _indentation(name.location)
    return Edit(_first(name.location), "use: "), Edit(_last(name.location), f"{between}{entry}{between}with")


def _is_between_braces(step: Mapping, inside: Scalar) -> bool:
    assert inside.written is not None  # noqa: S101 - the callers have looked
    source, place = inside.written.source, step.location
    return source.text.startswith("{", source.index(place.line or 1, place.column or 1))


def _below(scalar: Scalar, aligned: Location, entry: str) -> Edit:
    """Put an entry on the line below a value, behind the comment that follows it there."""
    assert scalar.written is not None  # noqa: S101 - the callers have looked
    found = _LINE_END.search(scalar.written.source.text, scalar.written.end)
    end = found.start() if found else len(scalar.written.source.text)
    place = scalar.written.source.location(aligned.file, end, end)
    return Edit(place, f"{_line_break(scalar)}{_indentation(aligned)}{entry}")


def _line_break(scalar: Scalar) -> str:
    text = scalar.written.source.text if scalar.written is not None else ""
    found = _LINE_END.search(text)
    return (found.group() if found else "") or "\n"


def _indentation(place: Location) -> str:
    return " " * ((place.column or 1) - 1)


def _first(place: Location) -> Location:
    return Location(place.file, place.line, place.column, place.line, place.column)


def _last(place: Location) -> Location:
    return Location(place.file, *place[3:], *place[3:])
