"""Rewrites the expected outputs of snapshots in case files; comments, order and layout stay."""

from collections.abc import Sequence
from typing import Any

from toolkit.cases.case import Case
from toolkit.documents import parse_document, plain
from toolkit.documents.dumping import with_value


def updated(text: str, found: Sequence[tuple[Case, Any]]) -> str:
    """Return the text of a case file in which the outputs of some cases are what was found.

    Raises:
        ValueError: If nothing but the outputs could not be rewritten, for example because YAML aliases share them.
    """
    for case, output in found:
        path = ("cases", case.position, "expect", "output")
        after = with_value(text, path, output)
        if _data(after) != _changed(_data(text), path, output):
            message = f"the output of '{case.name.text}' cannot be rewritten alone; write it by hand"
            raise ValueError(message)
        text = after
    return text


def _data(text: str) -> Any:
    root, _ = parse_document(text, "")
    return None if root is None else plain(root)


def _changed(data: Any, path: Sequence[str | int], value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        return [*data[:first], _changed(data[first], rest, value), *data[first + 1 :]]
    return {**(data or {}), first: _changed((data or {}).get(first), rest, value)}
