"""Matchers are the conditions of rules on one argument, which are parsed once and tested for every call.

If a matcher cannot decide, its result is `doubt`: then an allow rule does not apply, and any other rule does.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from glob import escape
from itertools import count
from pathlib import Path
from typing import Any, Final

from toolkit.approvals.policies import Fit, all_fit, any_fits, each_fits, fit_of, opposite
from toolkit.approvals.text_fits import Unreadable, fits_expression, fits_glob, folded, spellings_of
from toolkit.approvals.value_fits import at, fits_host, fits_value, inside, normal_host
from toolkit.documents.keys import (
    Key,
    Kind,
    Spot,
    as_written,
    is_number,
    one_or_more,
    read_table,
    schema_of,
    table,
    text,
)
from toolkit.json_texts import text_of
from toolkit.redactors.redactor import MASK
from toolkit.regex_checks import MalformedExpressionError, TooMuchWorkError, compile_line_expression
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


Matcher = Callable[[Any, str | None], Fit]
"""Returns whether a value matches, given the folder that relative paths start from."""


def read_matcher(written: Any, spot: Spot) -> Matcher | None:
    """Parse a rule's condition on an argument. If it is invalid, report the problem and return `None`.

    A plain value means `equals`.
    """
    if not isinstance(written, Mapping):
        if isinstance(written, list | tuple):
            spot.wrong("one value, or a table of matchers", "one_of takes a list")
            return None
        return _unmasked(_equals((written,), spot))
    found = read_table(written, MATCHERS, spot, each="matcher")
    if len(found) < len(written):
        return None
    if not found:
        spot.report(f"'{spot.name}' has no matcher", "write equals, one_of, glob or another matcher")
        return None
    matchers = tuple(found.values())
    return _unmasked(lambda value, base: all_fit(matcher(value, base) for matcher in matchers))


def _unmasked(matcher: Matcher) -> Matcher:
    """Return a matcher whose result is `doubt` for a secret, since policies never see secrets."""
    return lambda value, base: "doubt" if value == MASK else matcher(value, base)


def _equals(wanted: tuple[Any], _: Spot) -> Matcher:
    return _one_of(wanted, _)


def _one_of(wanted: Sequence[Any], _: Spot) -> Matcher:
    return _each(lambda value, base: any_fits(fits_value(value, one, base) for one in wanted), whole=wanted)


def _each(fits: Matcher, *, whole: Sequence[Any] = ()) -> Matcher:
    """Return a matcher for a value, or for every item of a list, at any depth.

    Args:
        fits: The matcher for one item.
        whole: Wanted values; if some of these are lists, they are also compared with the whole list.
    """

    def fit(value: Any, base: str | None) -> Fit:
        if not isinstance(value, list | tuple):
            return "doubt" if isinstance(value, str) and MASK in value else fits(value, base)
        if any(isinstance(one, list | tuple) for one in whole) and (found := fits(value, base)) != "no":
            return found
        return each_fits(fit(item, base) for item in value)

    return fit


def _each_text(fits: Callable[[str, str | None], Fit], *, only_text: bool = False) -> Matcher:
    """Return a matcher for a string, or for every item of a list; an omitted value does not match."""

    def fit(value: Any, base: str | None) -> Fit:
        if value is None:
            return "no"
        if only_text and not isinstance(value, str):
            return "doubt"
        return fits(text_of(value), base)

    return _each(fit)


def _glob(wanted: Sequence[str], _: Spot) -> Matcher:
    return _each_text(lambda text, base: any_fits(fits_glob(text, one, base) for one in wanted))


def _prefix(wanted: str, spot: Spot) -> Matcher | None:
    _, is_url, rest = wanted.partition("://")
    if is_url and "/" not in rest:
        hint = f"end it with a slash, '{wanted}/': '{wanted}.evil.example' begins with it too"
        spot.report(f"'{spot.name}' ends within the host of a URL", hint)
        return None
    return _glob((f"{escape(wanted)}*",), spot)


def _regex(wanted: str, spot: Spot) -> Matcher | None:
    try:
        expression = compile_line_expression(wanted, whole=True)
    except MalformedExpressionError as error:
        spot.report(f"'{spot.name}' is not a pattern: {error}", "it must match the whole text, in linear time")
        return None

    def fit(text: str, base: str | None) -> Fit:
        try:
            return fits_expression(text, expression.matches, base)
        except TooMuchWorkError:
            return "doubt"

    return _each_text(fit)


def _host(wanted: Sequence[str], spot: Spot) -> Matcher | None:
    hosts = [normal_host(one) for one in wanted]
    if None in hosts:
        bad = wanted[hosts.index(None)]
        hint = "write docs.python.org, or *.example.com for all subdomains"
        spot.report(f"'{bad}' in '{spot.name}' is not a host", hint)
        return None
    known = [host for host in hosts if host is not None]
    return _each_text(lambda text, base: fits_host(text, known), only_text=True)  # noqa: ARG005 - as every matcher


def _inside(wanted: Sequence[str], spot: Spot) -> Matcher:
    folders = [str(spot.origin.folder / Path(one).expanduser()) for one in wanted]
    return _each_text(inside(folders), only_text=True)


def _at(wanted: Sequence[str], spot: Spot) -> Matcher:
    return _each_text(at([str(spot.origin.folder / Path(one).expanduser()) for one in wanted]), only_text=True)


def _outside(wanted: Sequence[str], spot: Spot) -> Matcher:
    within = _inside(wanted, spot)
    return lambda value, base: "no" if value is None else opposite(within(value, base))


def _max(most: float, _: Spot) -> Matcher:
    def fit(value: Any, _: str | None) -> Fit:
        return fit_of(value <= most) if is_number(value) and value == value else "doubt"  # noqa: PLR0124 - NaN

    return _each(fit)


def _schema(written: Any, spot: Spot) -> Matcher | None:
    if (fault := fault_of(written)) is not None:
        spot.report(f"'{spot.name}' cannot be checked: {fault}")
        return None
    whole = Validator(written)

    def fit(value: Any, _: str | None) -> Fit:
        try:
            return fits_schema(whole, value)
        except (TooMuchWorkError, RecursionError):
            return "doubt"

    return fit


def _not(written: Any, spot: Spot) -> Matcher | None:
    matcher = read_matcher(written, spot)
    return None if matcher is None else lambda value, base: opposite(matcher(value, base))


# ------------------------------------------------------------------------------------------------- the table


def _fill(written: Any, _: Spot) -> tuple[Any, ...] | None:
    return tuple(written) if isinstance(written, list | tuple) and written else None


def texts_or_text(words: str, example: str) -> Kind:
    """Return the kind of a value that is a string or a list of at least one string."""
    return one_or_more(text(words, _TEXT_SCHEMA, test=_has_text), "string or strings", example=example)


def _has_text(written: str) -> bool:
    return bool(written.strip()) and "\0" not in written


_TEXT_SCHEMA: Final = {"type": "string", "minLength": 1}


_ANY: Final = Kind("any value", "a value", lambda written, _: (written,), "1", {})
_LIST: Final = Kind("list", "a list of at least one value", _fill, "[1, 2]", {"type": "array", "minItems": 1})
_TEXT: Final = text(schema=_TEXT_SCHEMA, example="'a'")
_NUMBER: Final = as_written("number", "a number", {"type": "number"}, is_number, "100")
_TABLE: Final = Kind("table", "a JSON Schema", table, "", {"type": "object"})


def matchers_schema() -> dict[str, Any]:
    """Return the JSON Schema of a rule's condition on one argument."""
    return {"anyOf": [{"type": ["string", "number", "boolean", "null"]}, schema_of(MATCHERS, minProperties=1)]}


_MORE: Final = Kind("table", "a value, or a table of matchers", lambda written, _: (written,), "", {})

MATCHERS: Final = (
    Key("equals", _ANY, "the value is this one", take=_equals),
    Key("one_of", _LIST, "the value is one of these", take=_one_of),
    Key("prefix", _TEXT, "the text begins with it", take=_prefix),
    Key(
        "glob",
        texts_or_text("a shell pattern", "'out/*'"),
        "the whole text matches this shell pattern",
        take=_glob,
    ),
    Key("regex", _TEXT, "the whole text matches this regular expression", take=_regex),
    Key(
        "host",
        texts_or_text("a host", "'*.example.com'"),
        "the host of the URL matches",
        take=_host,
    ),
    Key("inside", texts_or_text("a folder", "'.'"), "the path is in one of them", take=_inside),
    Key("outside", texts_or_text("a folder", "'.'"), "the path is in none of them", take=_outside),
    Key("at", texts_or_text("a path", "'out/a.md'"), "the path leads to one of these", take=_at),
    Key("max", _NUMBER, "the number is at most this one", take=_max),
    Key("schema", _TABLE, "the value conforms to this JSON Schema", take=_schema),
    Key("not", _MORE, "the value does not match these keys", take=lambda written, spot: _not(written[0], spot)),
)
