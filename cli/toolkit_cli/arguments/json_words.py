"""Recognizes a JSON object where the command line also accepts text."""

from collections.abc import Iterable
from typing import Any

from toolkit.problems import nearest
from toolkit.tools.exact_numbers import loads


def arguments_meant(text: str, parameters: Iterable[str]) -> dict[str, Any] | None:
    """Return the members of a JSON object if all their names are, or resemble, parameters; they are arguments then."""
    members = object_in(text)
    known = list(parameters)
    return members if members and all(name in known or nearest(name, known, most=1) for name in members) else None


def object_in(text: str) -> dict[str, Any] | None:
    """Return the members of a JSON object, or `None` if the text is not one."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        data = loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None
