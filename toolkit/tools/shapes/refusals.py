"""The error for arguments that are not valid: one message for everything that is missing or wrong."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolkit.errors import MISSING, ToolArgumentsError
from toolkit.json_texts import WrittenNumber
from toolkit.tools.shapes.argument_schemas import unknown_members

_SHOWN_LENGTH = 60


def refusal(
    missing: Iterable[str], wrong: Mapping[str, Sequence[str]], schema: Mapping[str, Any], data: Any
) -> ToolArgumentsError:
    """Return one error from the paths of missing members, and the reasons for each path at fault."""
    faults = {path: " or ".join(dict.fromkeys(reasons)) for path, reasons in wrong.items()}
    parts = [f"Missing required parameter(s): {', '.join(missing)}"] if missing else []
    parts += [(f"Invalid parameter {path!r}" if path else "Invalid arguments") + f": {faults[path]}" for path in faults]
    for one in unknown_members(schema, data) if missing else ():  # it may be a misspelled required member
        parts.append(f"Unknown parameter {one.path!r}" + (f": {one.meant}" if one.meant else ""))
    return ToolArgumentsError("; ".join(parts), faults=dict.fromkeys(missing, MISSING) | faults)


_KINDS = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "an array", dict: "an object"}


def kind_in_words(value: object) -> str:
    """Return the JSON type of a value in words."""
    return "null" if value is None else _KINDS.get(type(value), type(value).__name__)


def value_in_words(value: object) -> str:
    """Return a value as shortened JSON, or only the type of a container."""
    if isinstance(value, dict | list | tuple | set):
        return kind_in_words(value)
    try:
        text = str(value) if isinstance(value, WrittenNumber) else json.dumps(value)
    except (TypeError, ValueError):
        return f"a value of type '{type(value).__name__}'"
    return text if len(text) <= _SHOWN_LENGTH else f"{text[:_SHOWN_LENGTH]}…"
