"""Encodes records as canonical JSON, which is the same again after parsing and encoding it."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolkit.json_texts import as_plain

_SCALARS: Final = frozenset({str, int, float, bool, type(None)})
_NAMES: Final = frozenset({str})
_write: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def canonical_json(record: Mapping[str, Any]) -> str:
    """Encode a record as JSON with sorted members; values that JSON cannot represent become strings.

    Parsing the result and encoding it again returns the same string.

    Raises:
        RecursionError: If the record is nested too deeply.
        ValueError: If the record contains itself.
    """
    if not _is_plain(record):  # names that are not strings must be sorted by the strings that they become
        record = json.loads(json.dumps(record, default=as_plain))
    return _write(record)


def _is_plain(value: Any) -> bool:
    """Return whether encoding data as JSON and parsing it returns the same data."""
    kind = type(value)
    if kind is dict:
        return _NAMES.issuperset(map(type, value)) and _are_plain(value.values())
    return kind in _SCALARS or (kind is list and _are_plain(value))


def _are_plain(values: Iterable[Any]) -> bool:
    return all(_is_plain(value) for value in values if type(value) not in _SCALARS)
