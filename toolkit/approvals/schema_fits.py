"""Checks whether plain data conforms to a JSON Schema in a policy, which can use the keywords in `KEYWORDS`.

Any other keyword is refused, since ignoring it would make a rule match more than its author expects.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import count
from typing import Any, Final

from toolkit.approvals.flow_histories import Fit, fit_of
from toolkit.approvals.text_fits import Unreadable, folded, spellings_of
from toolkit.redactors.redactor import MASK
from toolkit.regex_checks import MalformedExpressionError, compile_line_expression
from toolkit.schemas.faults import faults_in
from toolkit.schemas.schema import Schema
from toolkit.schemas.validation import Validator

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


def fits_schema(schema: Validator, data: Any) -> Fit:
    """Return whether data conforms to a schema in which `fault_of` finds no fault.

    It is in doubt if the result depends on how programs read the texts in the data, or if these contain secrets.

    Raises:
        TooMuchWorkError: As for `Validator.misfits`.
    """
    found, most = schema.accepts(data), 1
    try:
        for number in count():
            counts = [0]
            read = _with_texts(partial(_spelling, number, counts), data)
            if schema.accepts(read) != found or (not found and schema.accepts(_with_texts(folded, read))):
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


KEYWORDS: Final = (
    "type", "const", "enum",
    "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
    "minLength", "maxLength", "pattern",
    "minItems", "maxItems", "uniqueItems", "items",
    "required", "properties", "additionalProperties",
    "allOf", "anyOf", "oneOf", "not",
)  # fmt: skip
