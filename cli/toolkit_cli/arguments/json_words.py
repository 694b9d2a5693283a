"""JSON words: a word of the command line that is a JSON object, where a text may stand as well."""

from collections.abc import Iterable
from typing import Any

from toolkit.problems import nearest
from toolkit.tools.exact_numbers import loads


def arguments_meant(text: str, parameters: Iterable[str]) -> dict[str, Any] | None:
    """Return the members of a JSON object if all are called like a parameter, or nearly so: they are arguments."""
    members = object_in(text)
    known = list(parameters)
    return members if members and all(name in known or nearest(name, known, most=1) for name in members) else None


def object_in(text: str) -> dict[str, Any] | None:
    """Return the members of the JSON object that a text is; nothing if it is not one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
