"""Makes edits that add a key to a step, whichever form the step is written in, and change nothing else."""

import re

from toolkit.documents import Mapping, Node, Scalar
from toolkit.problems import Edit, Fix, Location

_AFTER_DASH = r"(?:^|[ \t])-[ \t]+$"
_LINE_END = re.compile(r"\r\n|\n|\r|$")


def with_key(node: Node | None, key: str, value: str, *, is_safe: bool) -> Fix | None:
    """Return a fix that adds `key: value` to a step that calls a tool, or `None` if the step's form is not supported.

    Args:
        node: The step as written: a name, a name with arguments, or a mapping of keys, in block or flow style.
        key: The key, which the step does not have yet.
        value: The value as YAML.
        is_safe: Whether the pipeline keeps its meaning.
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
    """Turn `- shout` into `- use: shout` with the entry below it, or `[shout]` into `[{use: shout, …}]`."""
    if name.written is None:
        return None
    text = name.written.source.text
    start, end = _first(name.location), _last(name.location)
    line = text[: name.written.start].rpartition("\n")[2]
    if not re.search(_AFTER_DASH, line):
        return Edit(start, "{use: "), Edit(end, f", {entry}}}")
    return Edit(start, "use: "), _below(name, name.location, entry)


def _behind_use(step: Mapping, key: Scalar, used: Scalar, entry: str) -> tuple[Edit, ...] | None:
    """Add the entry after `use`: on the next line, or after a comma in flow style."""
    if used.written is None:
        return None
    if _is_between_braces(step, used):
        return (Edit(_last(used.location), f", {entry}"),)
    return (_below(used, key.location, entry),)


def _beside_arguments(step: Mapping, entry: str) -> tuple[Edit, ...] | None:
    """Turn `shout: {…}` into `use: shout`, the entry, and `with: {…}`."""
    [(name, _)] = step.entries.values()
    if name.written is None:
        return None
    between = ", " if _is_between_braces(step, name) else _line_break(name) + _indentation(name.location)
    return Edit(_first(name.location), "use: "), Edit(_last(name.location), f"{between}{entry}{between}with")


def _is_between_braces(step: Mapping, inside: Scalar) -> bool:
    assert inside.written is not None  # the callers have looked
    source, place = inside.written.source, step.location
    return source.text.startswith("{", source.index(place.line or 1, place.column or 1))


def _below(scalar: Scalar, aligned: Location, entry: str) -> Edit:
    """Insert an entry on the line below a value, after any comment on the value's line."""
    assert scalar.written is not None  # the callers have looked
    found = _LINE_END.search(scalar.written.source.text, scalar.written.end)
    end = found.start() if found else len(scalar.written.source.text)
    place = scalar.written.source.location(end, end)
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
