"""Validates rejected arguments a second time, more leniently, and reports everything that is wrong in one message."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic_core import ValidationError, from_json

from toolkit.errors import ToolArgumentsError
from toolkit.tools.secret_arguments import secret_members
from toolkit.tools.shapes.argument_schemas import kind_in_words, refusal, value_in_words
from toolkit.tools.shapes.leniency import FAST_PATH, NOT_COPIED

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from toolkit.tools.shapes.shape_values import Shape


def validate_again(
    shape: "Shape", arguments: str | Mapping[str, Any], error: ValueError, *, drops_nulls: bool = True
) -> Any:
    """Return arguments that are valid after two corrections, or raise an error that lists what is wrong.

    An optional member that is null, although its type does not allow null, counts as omitted, at any depth. Models that
    must send every member send null for those without a value. A boolean for a text counts as the text `true` or
    `false`, as a number counts as its digits.

    Raises:
        ToolArgumentsError: If the arguments are not valid; the message lists every missing or wrong member.
    """
    data = _data(arguments)
    details = details_of(error) if isinstance(error, ValidationError) else []
    places = {_place(location, data) for location in _nulls(details)}
    optional = shape.optional if drops_nulls else ()
    needless = {place for place in places if len(place) > 1 or (place and place[0] in optional)}
    texts = {detail["loc"] for detail in details if detail["type"] == "string_type" and _is_boolean_at(detail, data)}
    if needless or texts:
        data = _with_texts(_without(data, needless), texts)
    elif data != {} or not isinstance(arguments, str) or arguments.strip():
        raise explain(error, shape.schema, data) from None
    try:
        return shape.validate_data(data)
    except ValueError as second:
        raise explain(second, shape.schema, data) from None


def details_of(error: ValidationError) -> list["ErrorDetails"]:
    """Return the details of an error, without those that only say why a fast path did not match."""
    return [detail for detail in error.errors(include_url=False) if FAST_PATH not in detail["loc"]]


def _data(arguments: str | Mapping[str, Any]) -> Any:
    """Return arguments as plain data; blank text means no arguments, and malformed JSON results in `None`."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return from_json(arguments) if arguments.strip() else {}
    except ValueError:
        return None


_Place = tuple[int | str, ...]


def _place(location: _Place, data: Any) -> _Place:
    """Return the path to a member that is null; empty if the value is not null, or not a member of an object."""
    steps: list[int | str] = []
    for part in location:
        is_there = part in data if isinstance(data, Mapping) else isinstance(data, list) and isinstance(part, int)
        if is_there:  # otherwise the part is a branch of a union
            steps.append(part)
            data = data[part]
    return tuple(steps) if data is None and steps and isinstance(steps[-1], str) else ()


def _without(data: Any, places: set[_Place], here: _Place = ()) -> Any:
    """Return data without the members at the given paths."""
    if isinstance(data, Mapping):
        kept = ((name, value) for name, value in data.items() if (*here, name) not in places)
        return {name: _without(value, places, (*here, name)) for name, value in kept}
    if isinstance(data, list):
        return [_without(value, places, (*here, index)) for index, value in enumerate(data)]
    return data


def _is_boolean_at(detail: "ErrorDetails", data: Any) -> bool:
    """Whether the value is a boolean in the data itself, and not one of several types that it could have."""
    for part in detail["loc"]:
        is_there = part in data if isinstance(data, Mapping) else isinstance(data, list) and isinstance(part, int)
        if not is_there:
            return False
        data = data[part]
    return isinstance(data, bool)


def _with_texts(data: Any, places: set[_Place], here: _Place = ()) -> Any:
    """Return data with the booleans at the given paths as text."""
    if not places:
        return data
    if isinstance(data, Mapping):
        return {name: _with_texts(value, places, (*here, name)) for name, value in data.items()}
    if isinstance(data, list):
        return [_with_texts(value, places, (*here, index)) for index, value in enumerate(data)]
    return json.dumps(data) if here in places else data


def _nulls(details: Iterable["ErrorDetails"]) -> Iterator[_Place]:
    for detail in details:
        if detail["loc"] and detail["input"] is None and detail["type"] != "missing":
            yield detail["loc"]


def explain(error: ValueError, schema: Mapping[str, Any], data: Any) -> ToolArgumentsError:
    """Return one error that lists every missing and every invalid member of the data."""
    if not isinstance(error, ValidationError):
        return ToolArgumentsError(f"The arguments cannot be read: {error}")  # for example, a number has too many digits
    details = _likeliest_branches(_without_null_branches(details_of(error)), data)
    whole = next((detail for detail in details if not detail["loc"] and detail["type"] in _WHOLES), None)
    if whole is not None:
        return ToolArgumentsError(_WHOLES[whole["type"]](whole))
    required = set(schema.get("required", ()))
    secrets = secret_members(schema)
    missing: dict[str, None] = {}
    wrong: dict[str, list[str]] = {}
    for detail in details:
        path = path_of(detail, data)
        if _is_missing(detail, required, data):
            missing[path] = None
        else:
            is_secret = bool(detail["loc"]) and detail["loc"][0] in secrets
            wrong.setdefault(path, []).append(_reason(detail, is_secret=is_secret))
    return refusal(missing, wrong, schema, data)


def _without_null_branches(details: list["ErrorDetails"]) -> list["ErrorDetails"]:
    """Omit "must be null" if other branches of the same union say what the value should be."""
    return [
        detail
        for detail in details
        if detail["type"] != "none_required"
        or not any(
            other["loc"][: len(detail["loc"]) - 1] == detail["loc"][:-1] for other in details if other is not detail
        )
    ]


def _likeliest_branches(details: list["ErrorDetails"], data: Any) -> list["ErrorDetails"]:
    """For each value of a union type, keep only the errors of the branch with the fewest."""
    places = [_walk(detail, data)[1] for detail in details]
    counts = Counter(branch for branch in places if branch)
    fewest: dict[tuple[int | str, ...], int] = {}
    for branch, count in counts.items():
        fewest[branch[:-1]] = min(count, fewest.get(branch[:-1], count))
    return [
        detail
        for detail, branch in zip(details, places, strict=True)
        if not branch or counts[branch] == fewest[branch[:-1]]
    ]


def _is_missing(detail: "ErrorDetails", required: set[str], data: Any) -> bool:
    """Return whether a member is missing; at the top level, null counts as missing where it is not allowed."""
    if detail["type"] == "missing":
        return True
    name = next(iter(detail["loc"]), None)  # further parts are branches of a union
    return name in required and isinstance(data, Mapping) and data.get(name) is None


def _malformed(detail: "ErrorDetails") -> str:
    return f"Invalid JSON: {detail.get('ctx', {}).get('error', detail['msg'])}"


def _no_object(detail: "ErrorDetails") -> str:
    return f"Expected a JSON object but received: {kind_in_words(detail['input'])}"


_WHOLES: dict[str, Callable[["ErrorDetails"], str]] = {
    "json_invalid": _malformed,
    "dict_type": _no_object,
    "model_type": _no_object,
    "model_attributes_type": _no_object,
    "dataclass_type": _no_object,
}


def path_of(detail: "ErrorDetails", data: Any) -> str:
    """Return the path of an error as `orders[0].price`, without the union branches that pydantic includes."""
    return _walk(detail, data)[0]


def _walk(detail: "ErrorDetails", data: Any) -> tuple[str, tuple[int | str, ...]]:
    """Return the path of an error, and pydantic's location up to the first union branch, or `()` if there is none."""
    text, branch = "", 0
    last = len(detail["loc"]) - 1
    for position, part in enumerate(detail["loc"]):
        is_missing = position == last and detail["type"] == "missing"
        if isinstance(part, int) and isinstance(data, list | tuple):
            text, data = f"{text}[{part}]", data[part] if part < len(data) else None
        elif isinstance(data, Mapping) and (part in data or is_missing):
            text, data = f"{text}.{part}" if text else str(part), data.get(part)
        else:
            branch = branch or position + 1
    return text, detail["loc"][:branch]


_ABOUT_CONTENTS = {
    NOT_COPIED,
    "assertion_error",
    "too_long",
    "too_short",
    "union_tag_invalid",
    "union_tag_not_found",
    "value_error",
}


_FORMS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("date_from", "date_parsing", "date_type"), "a date such as 2026-03-15"),
    (("datetime_from", "datetime_parsing", "datetime_type"), "a date and time such as 2026-03-15T10:30:00"),
    (("time_parsing", "time_type"), "a time such as 10:30:00"),
    (("time_delta_parsing", "time_delta_type"), "a duration such as PT1H30M or 01:30:00"),
    (("uuid_parsing", "uuid_type"), "a UUID such as 123e4567-e89b-12d3-a456-426614174000"),
    (("decimal_parsing", "decimal_type"), "a number such as 12.50"),
)
"""The expected form of a value, by the prefixes of pydantic's error types."""


def _reason(detail: "ErrorDetails", *, is_secret: bool) -> str:
    """Return what is wrong with a value, and the value unless it is secret or is a container of the right type."""
    reason = _wanted_form(detail) or _wanted_tag(detail) or _words_of_pydantic(detail["msg"])
    is_container = isinstance(detail["input"], dict | list | tuple | set)
    if is_secret or (is_container and detail["type"] in _ABOUT_CONTENTS):
        return reason
    return f"{reason}, not {value_in_words(detail['input'])}"


def _wanted_form(detail: "ErrorDetails") -> str | None:
    """Return the expected form of a value such as a date, and which part is out of range, if that is known."""
    forms = [form for beginnings, form in _FORMS if detail["type"].startswith(beginnings)]
    if not forms:
        return None
    trouble = str(detail.get("ctx", {}).get("error", ""))
    return f"must be {forms[0]} ({trouble})" if "outside" in trouble else f"must be {forms[0]}"


def _wanted_tag(detail: "ErrorDetails") -> str | None:
    """Return the expected value of a union's discriminator if it is wrong or missing."""
    context = detail.get("ctx", {})
    match detail["type"]:
        case "union_tag_not_found":
            return f"{context['discriminator']} is missing"
        case "union_tag_invalid":
            tags = context["expected_tags"].replace(", ", " or ")
            return f"{context['discriminator']} must be {tags}, not '{context['tag']}'"
    return None


def _words_of_pydantic(message: str) -> str:
    message = message.removeprefix("Input ").removeprefix("Value error, ").removeprefix("Assertion failed, ")
    message = message.replace(" after validation", "")
    return f"{message[:1].lower()}{message[1:]}"
