"""Checks whether plain data conforms to a JSON Schema in a policy, which can use the keywords in `KEYWORDS`.

Any other keyword is refused, since ignoring it would make a rule match more than its author expects.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from math import isfinite
from typing import Any, Final

from toolkit.approvals.flow_histories import Fit, fit_of
from toolkit.approvals.text_fits import Unreadable, folded, spellings_of
from toolkit.approvals.value_fits import same_data
from toolkit.line_expressions import compile_line_expression
from toolkit.redactors.redactor import MASK
from toolkit.regex_checks import MalformedExpressionError
from toolkit.schemas.faults import faults_in
from toolkit.schemas.places import kind_of_data, types_of
from toolkit.schemas.schema import Schema

_NOTES: Final = frozenset({"title", "description", "examples", "$comment"})


def fault_of(schema: Mapping[str, Any]) -> str | None:
    """Return why a schema cannot be used, or `None` if it can."""
    if (fault := next(faults_in(schema), None)) is not None:
        return f"it {fault.message}"
    for part in Schema.of(schema).parts():
        unknown = [word for word in part.keywords if word not in KEYWORDS and word not in _NOTES]
        if unknown:
            return f"the keyword '{unknown[0]}' is not supported here; use {', '.join(KEYWORDS)}"
        if (reason := _pattern_fault(part.keywords.get("pattern"))) is not None:
            return reason
    return None


def _pattern_fault(pattern: Any) -> str | None:
    try:
        compile_line_expression(pattern or "")
    except MalformedExpressionError as error:
        return f"its pattern {pattern!r} is malformed: {error}"
    return None


def fits_schema(schema: Schema, data: Any) -> Fit:
    """Return whether data conforms to a schema in which `fault_of` finds no fault.

    It is in doubt if the result depends on how programs read the texts in the data, or if these contain secrets.

    Raises:
        TooMuchWorkError: If a string is too long for a pattern.
    """
    found, most = conforms(schema, data), 1
    try:
        for number in count():
            counts = [0]
            read = _with_texts(partial(_spelling, number, counts), data)
            if conforms(schema, read) != found or (not found and conforms(schema, _with_texts(folded, read))):
                return "doubt"
            most = max(most, *counts)
            if number + 1 >= most:
                break
    except Unreadable:
        return "doubt"
    return fit_of(found)


def _spelling(number: int, counts: list[int], text: str) -> str:
    """Return one of the spellings of a text, or the last one, and add how many there are to a list."""
    spellings = [text, *(one for same in spellings_of(text) for one in same)]
    counts.append(len(spellings))
    return spellings[min(number, len(spellings) - 1)]


def _with_texts(change: Callable[[str], str], data: Any) -> Any:
    if isinstance(data, str):
        if MASK in data:
            raise Unreadable
        return change(data)
    if isinstance(data, Mapping):
        return {name: _with_texts(change, value) for name, value in data.items()}
    return [_with_texts(change, item) for item in data] if isinstance(data, list | tuple) else data


def conforms(schema: Schema, data: Any) -> bool:
    """Return whether data conforms to a schema in which `fault_of` finds no fault.

    Raises:
        TooMuchWorkError: If a string is too long for a pattern.
    """
    if isinstance(schema.node, bool):
        return schema.node
    return all(KEYWORDS[word](schema, limit, data) for word, limit in schema.keywords.items() if word not in _NOTES)


_Check = Callable[[Schema, Any, Any], bool]
"""Returns whether data satisfies a keyword, given the schema, the keyword's value and the data."""


def _is_of_type(schema: Schema, _: Any, data: Any) -> bool:
    kinds = {kind_of_data(data)}
    if "integer" in kinds:
        kinds.add("number")
    elif "number" in kinds and isfinite(data) and data == int(data):
        kinds.add("integer")
    return not kinds.isdisjoint(types_of(schema.keywords))


def _items_differ(data: Any) -> bool:
    return all(not same_data(one, other) for index, one in enumerate(data) for other in data[:index])


def _members_conform(schema: Schema, _: Any, data: Any) -> bool:
    return not _is_table(data) or all(conforms(schema.member(name), value) for name, value in data.items())


def _items_conform(schema: Schema, _: Any, data: Any) -> bool:
    return not _is_list(data) or all(conforms(schema.item(index), item) for index, item in enumerate(data))


def _of(applies: Callable[[Any], bool], holds: Callable[[Any, Any], bool]) -> _Check:
    return lambda _, limit, data: not applies(data) or holds(limit, data)


def _how_many_conform(schema: Schema, word: str, data: Any) -> int:
    return sum(conforms(part, data) for part in schema.inner((word,)))


def _is_number(data: Any) -> bool:
    return isinstance(data, int | float) and not isinstance(data, bool)


def _is_text(data: Any) -> bool:
    return isinstance(data, str)


def _is_list(data: Any) -> bool:
    return isinstance(data, list | tuple)


def _is_table(data: Any) -> bool:
    return isinstance(data, Mapping)


KEYWORDS: Final[Mapping[str, _Check]] = {
    "type": _is_of_type,
    "const": lambda _, limit, data: same_data(limit, data),
    "enum": lambda _, limit, data: any(same_data(one, data) for one in limit),
    "minimum": _of(_is_number, lambda limit, data: data >= limit),
    "maximum": _of(_is_number, lambda limit, data: data <= limit),
    "exclusiveMinimum": _of(_is_number, lambda limit, data: data > limit),
    "exclusiveMaximum": _of(_is_number, lambda limit, data: data < limit),
    "minLength": _of(_is_text, lambda limit, data: len(data) >= limit),
    "maxLength": _of(_is_text, lambda limit, data: len(data) <= limit),
    "pattern": _of(_is_text, lambda limit, data: compile_line_expression(limit).matches(data)),
    "minItems": _of(_is_list, lambda limit, data: len(data) >= limit),
    "maxItems": _of(_is_list, lambda limit, data: len(data) <= limit),
    "uniqueItems": _of(_is_list, lambda limit, data: not limit or _items_differ(data)),
    "items": _items_conform,
    "required": _of(_is_table, lambda limit, data: all(name in data for name in limit)),
    "properties": _members_conform,
    "additionalProperties": _members_conform,
    "allOf": lambda schema, limit, data: _how_many_conform(schema, "allOf", data) == len(limit),
    "anyOf": lambda schema, _, data: _how_many_conform(schema, "anyOf", data) > 0,
    "oneOf": lambda schema, _, data: _how_many_conform(schema, "oneOf", data) == 1,
    "not": lambda schema, _, data: _how_many_conform(schema, "not", data) == 0,
}
