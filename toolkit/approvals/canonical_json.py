"""Canonical JSON: the one text that a record has, whoever writes it, and whoever reads it and writes it again."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolkit.json_texts import as_plain

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_NAMES: Final = frozenset({str})
_write: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def canonical_json(record: Mapping[str, Any]) -> str:
    """Return a record as JSON whose members are sorted by their names; what JSON cannot hold is written as a text.

    What reads the text as JSON gets data that has the same text.

    Raises:
        RecursionError: If it is nested too deeply.
        ValueError: If it contains itself.
    """
    if not _is_plain(record):  # a name that is not a text is sorted as the text that it becomes
        record = json.loads(json.dumps(record, default=as_plain))
    return _write(record)


def _is_plain(value: Any) -> bool:
    """Return whether data is just as it would be read from its JSON."""
    kind = type(value)
    if kind is dict:
        return _NAMES.issuperset(map(type, value)) and _are_plain(value.values())
    return kind in _SCALARS or (kind is list and _are_plain(value))


def _are_plain(values: Iterable[Any]) -> bool:
    return all(_is_plain(value) for value in values if type(value) not in _SCALARS)
