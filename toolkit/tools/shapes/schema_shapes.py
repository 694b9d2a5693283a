"""Reads arguments by a JSON Schema: validates them, corrects harmless slips, and reports what is wrong with the rest.

A number may be a string and the other way round, a whole number may be written as `5.0`, an optional member that is
null counts as omitted, and members at the top that the schema does not describe are ignored. What is returned is valid.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

from toolkit.errors import MISSING, ToolArgumentsError
from toolkit.json_texts import json_text
from toolkit.regex_checks import TooMuchWorkError
from toolkit.schemas.places import MAPPINGS, Pointer, types_of
from toolkit.schemas.validation import Misfit, Validator
from toolkit.tools.calls.json_data import digits_to_lose, loads
from toolkit.tools.secret_arguments import secret_members
from toolkit.tools.shapes.argument_schemas import ArgumentSchema, kind_in_words, refusal, value_in_words
from toolkit.tools.shapes.shape_values import Shape

UNDECIDED = "they are nested too deeply, contain themselves, or take too long to be checked"
_NUMERAL = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_ROUNDS = 4  # corrections that make others possible
_OMITTED = object()
_Changes = dict[Pointer, Any]


class SchemaShape(Shape):
    """A JSON Schema of type `object` with the validator for it."""

    def __init__(self, schema: Mapping[str, Any], *, foreign: bool) -> None:
        """Create it with `shape_of_schema`."""
        super().__init__(dict(schema), lambda: None)
        self._judge = Validator(self.schema, foreign=foreign)
        self._arguments = ArgumentSchema.of(self.schema)

    def read(self, arguments: str | Mapping[str, Any], *, drops_nulls: bool = True) -> Any:
        """Validate arguments against the schema, and correct them where it is harmless."""
        try:
            data, misfits = self._corrected(_parsed(arguments), drops_nulls=drops_nulls)
            if not misfits:
                return _settled(self._arguments, self._without_unknown(data))
        except (TooMuchWorkError, RecursionError):
            raise ToolArgumentsError(f"The arguments cannot be checked: {UNDECIDED}") from None
        raise refusal_of(misfits, self.schema, data)

    def _corrected(self, data: Any, *, drops_nulls: bool) -> tuple[Any, Sequence[Misfit]]:
        misfits = self._judge.misfits(data)
        for _ in range(_ROUNDS):
            changes = dict(self._changes(misfits, data, drops_nulls=drops_nulls)) if misfits else {}
            if not changes:
                break
            data = _changed(data, changes)
            misfits = self._judge.misfits(data)
        return data, misfits or [*_not_json(data, ())]

    def _changes(self, misfits: Iterable[Misfit], data: Any, *, drops_nulls: bool) -> Iterator[tuple[Pointer, Any]]:
        for one in misfits:
            if self._is_needless(one, drops_nulls=drops_nulls):
                yield one.path, _OMITTED
            elif one.keyword == "type":
                converted = _converted(one.value, types_of({"type": one.limit}))
                if converted is not one.value:
                    yield one.path, converted
            elif one.branches and one.keyword in ("anyOf", "oneOf"):
                yield from self._changes_of_a_branch(one, data)

    def _is_needless(self, one: Misfit, *, drops_nulls: bool) -> bool:
        """Return whether a member can be omitted: an optional one that is null, or an unknown one at the top."""
        if not one.path or not isinstance(one.path[-1], str) or one.keyword in ("required", "propertyNames"):
            return False
        if len(one.path) == 1 and one.keyword == "additionalProperties":
            return True
        return one.value is None and (len(one.path) > 1 or (drops_nulls and one.path[0] in self.optional))

    def _changes_of_a_branch(self, union: Misfit, data: Any) -> Iterable[tuple[Pointer, Any]]:
        """Return the changes that make a value valid for one of the schemas of a union; nothing if there are none."""
        for branch in union.branches:
            changes = dict(self._changes(branch, data, drops_nulls=False))
            if any(isinstance(one.value, bool) for one in branch if one.path in changes):
                continue  # it could mean several things
            if changes and not any(
                (one.path, one.keyword) == (union.path, union.keyword)
                for one in self._judge.misfits(_changed(data, changes))
            ):
                return changes.items()
        return ()

    def _without_unknown(self, data: Any) -> Any:
        part = self._arguments.part
        if self.schema.get("additionalProperties") or part.is_described_elsewhere:
            return data
        return {name: value for name, value in data.items() if name in self._arguments.names}


def shape_of_schema(schema: Mapping[str, Any], *, foreign: bool = False) -> SchemaShape:
    """Return the shape that a JSON Schema of type `object` describes; unknown members at the top are ignored.

    Args:
        schema: The schema.
        foreign: Whether the schema is not trusted, as for `Validator`.

    Raises:
        ValueError: If the schema cannot be checked, for example because a pattern or a reference is not valid.
    """
    try:
        return SchemaShape(schema, foreign=foreign)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the schema cannot be checked: {error}") from error


def _parsed(arguments: str | Mapping[str, Any]) -> Any:
    if not isinstance(arguments, str):
        return arguments
    if not arguments.strip():
        return {}
    from pydantic_core import from_json

    try:
        return loads(arguments) if "." in arguments and digits_to_lose(arguments) else from_json(arguments)
    except ValueError as error:
        raise ToolArgumentsError(f"Invalid JSON: {error}") from None


def _converted(value: Any, kinds: Sequence[str]) -> Any:
    """Return a value as one of the wanted types, if it is one in another notation; otherwise the same object."""
    if isinstance(value, str) and _NUMERAL.fullmatch(value) and not {"integer", "number"}.isdisjoint(kinds):
        return _number_in(value, is_whole="number" not in kinds)
    if "string" in kinds and isinstance(value, int | float):
        if isinstance(value, bool):
            return json_text(value) if len(kinds) == 1 else value
        return str(value) if isinstance(value, int) or isfinite(value) else value
    return [*value] if isinstance(value, set | frozenset) and "array" in kinds else value


def _number_in(text: str, *, is_whole: bool) -> Any:
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not isfinite(number):
        return text
    return number if not is_whole else int(number) if number.is_integer() else text


def _changed(data: Any, changes: _Changes, here: Pointer = ()) -> Any:
    """Return a copy of data with other values at the given paths."""
    if here in changes:
        return changes[here]
    if isinstance(data, MAPPINGS):
        kept = ((name, value) for name, value in data.items() if changes.get((*here, name)) is not _OMITTED)
        return {name: _changed(value, changes, (*here, name)) for name, value in kept}
    if isinstance(data, list | tuple):
        return [_changed(value, changes, (*here, index)) for index, value in enumerate(data)]
    return data


_SCALARS = frozenset({str, int, bool, type(None)})


def _not_json(data: Any, path: Pointer) -> Iterator[Misfit]:
    if isinstance(data, float) and not isfinite(data):
        yield Misfit(path, "finite", None, data)
    elif isinstance(data, MAPPINGS):
        for name, value in data.items():
            yield from _not_json(value, (*path, name))
    elif isinstance(data, list | tuple) and not _SCALARS.issuperset(map(type, data)):
        for index, value in enumerate(data):
            yield from _not_json(value, (*path, index))


def _settled(schema: ArgumentSchema, value: Any) -> Any:
    """Return a mutable copy of valid data, with whole numbers as `int` where the schema wants them."""
    if isinstance(value, float):
        number = float(value)
        wanted = frozenset[str]().union(*(one.kinds for one in schema.alternatives)) if number.is_integer() else ()
        return int(number) if "integer" in wanted and "number" not in wanted else number
    if type(value) is dict or isinstance(value, MAPPINGS):
        part = schema.as_object
        return {name: _settled(part.member(name), one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        if _SCALARS.issuperset(map(type, value)):
            return [*value]
        part = schema.as_list
        return [_settled(part.item(index), one) for index, one in enumerate(value)]
    return value


# ------------------------------------------------------------------------------------------------------------- messages


def refusal_of(misfits: Iterable[Misfit], schema: Mapping[str, Any], data: Any) -> ToolArgumentsError:
    """Return one error that lists everything that is wrong with arguments."""
    required = set(schema.get("required", ()))
    missing: dict[str, int] = {}
    wrong: dict[str, list[str]] = {}
    secrets = secret_members(schema)
    for one in _likeliest(misfits):
        if not one.path and one.keyword == "type":
            return ToolArgumentsError(f"Expected a JSON object but received: {kind_in_words(one.value)}")
        path = path_in_words(one.path)
        if one.keyword == "required" or (len(one.path) == 1 and one.value is None and one.path[0] in required):
            missing[path] = len(one.path)
        else:
            wrong.setdefault(path, []).append(reason_of(one, is_secret=bool(one.path) and one.path[0] in secrets))
    return refusal(sorted(missing, key=missing.__getitem__), wrong, schema, data)


def refusal_in_words(validator: Validator, arguments: Mapping[str, Any]) -> str | None:
    """Return what a tool with this schema answers to arguments that are not valid, or `None` if they are."""
    try:
        misfits = validator.misfits(arguments)
    except TooMuchWorkError:
        return f"The arguments cannot be checked: {UNDECIDED}"
    return str(refusal_of(misfits, validator.root.node, arguments)) if misfits else None


def misfit_in_words(validator: Validator, data: Any, *, within: int = 0) -> str | None:
    """Return where and why data is not valid, or `None` if it is.

    Args:
        validator: The validator.
        data: The data.
        within: How many steps of each path to omit.
    """
    try:
        misfits = [*_likeliest(validator.misfits(data))]
    except TooMuchWorkError:
        return f"the data cannot be checked: {UNDECIDED}"
    parts = []
    for one in misfits:
        path, reason = path_in_words(one.path[within:]), MISSING if one.keyword == "required" else reason_of(one)
        parts.append(f"{path!r} {reason}" if path else reason)
    return "; ".join(dict.fromkeys(parts)) or None


def likely_misfits(validator: Validator, data: Any) -> list[Misfit]:
    """Return what is wrong with data; for each union, only according to the schemas that come closest to the value.

    Raises:
        TooMuchWorkError: If the data cannot be checked.
    """
    return [*_likeliest(validator.misfits(data))]


def _likeliest(misfits: Iterable[Misfit]) -> Iterator[Misfit]:
    """Yield the misfits; for each union, only those of the schemas that come closest to the value."""
    for one in misfits:
        if not one.branches or one.keyword not in ("anyOf", "oneOf"):
            yield one
            continue
        branches = [[*_likeliest(branch)] for branch in one.branches]
        kept = [branch for branch in branches if not _wants_other_type(branch, one.path)]
        kept = kept or [branch for branch in branches if not _wants_null(branch)] or branches
        kept = [branch for branch in kept if not _is_of_another_kind(branch, one.path)] or kept
        fewest = min(map(len, kept))
        for branch in kept:
            if len(branch) == fewest:
                yield from branch


def _wants_other_type(branch: Sequence[Misfit], path: Pointer) -> bool:
    return bool(branch) and all(one.keyword == "type" and one.path == path for one in branch)


def _is_of_another_kind(branch: Sequence[Misfit], path: Pointer) -> bool:
    """Whether a schema is for objects that another value of a key tells apart, such as `"type": "stdio"`."""
    fixed = (one for one in branch if one.keyword == "const" or (one.keyword == "enum" and len(one.limit) == 1))
    return any(one.path[:-1] == path for one in fixed)


def _wants_null(branch: Sequence[Misfit]) -> bool:
    return len(branch) == 1 and branch[0].keyword == "type" and branch[0].limit == "null"


def path_in_words(path: Pointer) -> str:
    """Return a path as `orders[0].price`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


_TYPES = {
    "integer": "must be a whole number",
    "number": "must be a number",
    "string": "should be a valid string",
    "boolean": "should be a valid boolean",
    "array": "should be a valid list",
    "object": "should be a valid object",
    "null": "should be null",
}
_WORDS = {
    "minimum": "should be greater than or equal to {}",
    "maximum": "should be less than or equal to {}",
    "exclusiveMinimum": "should be greater than {}",
    "exclusiveMaximum": "should be less than {}",
    "multipleOf": "should be a multiple of {}",
    "minLength": "string should have at least {} character{s}",
    "maxLength": "string should have at most {} character{s}",
    "pattern": "string should match pattern '{}'",
    "minItems": "list should have at least {} item{s}",
    "maxItems": "list should have at most {} item{s}",
    "minProperties": "should have at least {} member{s}",
    "maxProperties": "should have at most {} member{s}",
    "minContains": "list should have at least {} item{s} as 'contains' describes",
    "maxContains": "list should have at most {} item{s} as 'contains' describes",
    "contains": "list should have an item as 'contains' describes",
    "uniqueItems": "list should have no item twice",
    "additionalProperties": "extra inputs are not permitted",
    "unevaluatedProperties": "extra inputs are not permitted",
    "additionalItems": "extra items are not permitted",
    "unevaluatedItems": "extra items are not permitted",
    "false": "must be omitted",
    "oneOf": "should match only one of the schemas in 'oneOf'",
    "not": "should not match the schema in 'not'",
    "finite": "must be a finite number",
}
_COUNTED = {"minItems", "maxItems", "minProperties", "maxProperties"}
_OF_A_WHOLE = _COUNTED | {"minContains", "maxContains", "contains", "uniqueItems", "oneOf", "not"}


def reason_of(one: Misfit, *, is_secret: bool = False) -> str:
    """Return what is wrong with a value, and the value unless it is secret or is a container of the right type."""
    reason = _in_words(one)
    if one.keyword in _COUNTED:
        return f"{reason}, not {len(one.value)}"
    if is_secret or (one.keyword in _OF_A_WHOLE and isinstance(one.value, dict | list | tuple)):
        return reason
    return f"{reason}, not {value_in_words(one.value)}"


def _in_words(one: Misfit) -> str:
    match one.keyword:
        case "type":
            kinds = [kind for kind in types_of({"type": one.limit}) if kind != "null"] or ["null"]
            return " or ".join(_TYPES[kind] for kind in kinds)
        case "enum" | "const":
            *most, last = map(_choice_in_words, one.limit if one.keyword == "enum" else [one.limit])
            return f"should be {', '.join(most)} or {last}" if most else f"should be {last}"
        case "propertyNames":
            return f"the name is not allowed: {' or '.join(map(_in_words, _likeliest(one.branches[0])))}"
    limit = one.limit if isinstance(one.limit, str) else json_text(one.limit, default=str)
    return _WORDS[one.keyword].format(limit, s="" if one.limit == 1 else "s")


def _choice_in_words(choice: Any) -> str:
    return repr(str(choice)) if isinstance(choice, str) else json_text(choice, default=str)
