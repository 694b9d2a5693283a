"""Converts specifications to JSON and back without loss."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, ClassVar, Protocol

from toolkit.codes import BAD_OPTION, INVALID_TOOL_NAME, ROOT_NOT_OBJECT
from toolkit.errors import InvalidTools
from toolkit.problems import Location, Problem
from toolkit.tools.foreign_values import short_repr
from toolkit.tools.options import OPTIONS, option_problems

_ALWAYS = ("name", "description", "parameters")
_OBJECTS = ("parameters", "output_schema")


class Specification(Protocol):
    """The part of `ToolSpec` that is needed to serialize it."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def location(self) -> Location | None:
        """The location of the definition."""


def record_of(spec: Specification) -> dict[str, Any]:
    """Return a whole specification as plain data; defaults are omitted."""
    pairs = [(field, getattr(spec, field.name)) for field in fields(spec)]
    record = {field.name: value for field, value in pairs if field.name in _ALWAYS or value != _usual(field)}
    if spec.location:
        record["location"] = {key: value for key, value in spec.location._asdict().items() if value is not None}
    return record


def _usual(field: Field[Any]) -> Any:
    return field.default if field.default_factory is MISSING else field.default_factory()


def json_of(spec: Specification) -> str:
    return json.dumps(record_of(spec), ensure_ascii=False, allow_nan=False, default=_as_object)


def fields_from(data: str | bytes | Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Parse the fields of a specification.

    A member that is null counts as missing. Unknown members are ignored, since they may come from a later version.

    Args:
        data: JSON text or plain data.
        known: The names of the fields.

    Raises:
        InvalidTools: If a member is not valid; `problems` lists everything that is wrong.
    """
    record = _load(data) if isinstance(data, str | bytes) else data
    if not isinstance(record, Mapping):
        raise InvalidTools(
            problems=[Problem(BAD_OPTION, f"a specification must be a JSON object, not {short_repr(record)}")]
        )
    given = {key: value for key, value in record.items() if value is not None}
    problems = [
        *([] if "name" in given else [Problem(INVALID_TOOL_NAME, "the specification has no 'name'")]),
        *option_problems({key: value for key, value in given.items() if key in OPTIONS}, None),
        *(_not_object(key, given[key]) for key in _OBJECTS if not isinstance(given.get(key, {}), Mapping)),
    ]
    if not isinstance(given.get("source", ""), str):
        problems.append(Problem(BAD_OPTION, f"source must be text, not {short_repr(given['source'])}"))
    location = _location(given.get("location"), problems)
    if problems:
        raise InvalidTools(problems=problems)
    return {name: given[name] for name in known if name in given} | {"location": location}


def _location(value: Any, problems: list[Problem]) -> Location | None:
    if value is None:
        return None
    numbers = [value.get(key) for key in Location._fields[1:]] if isinstance(value, Mapping) else [""]
    good = all(number is None or (isinstance(number, int) and not isinstance(number, bool)) for number in numbers)
    if good and isinstance(value.get("file"), str):
        return Location(value["file"], *numbers)
    problems.append(Problem(BAD_OPTION, f"location must be an object with 'file' and 'line', not {short_repr(value)}"))
    return None


def _load(text: str | bytes) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidTools(problems=[Problem(BAD_OPTION, f"the specification is not JSON: {error}")]) from error


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number in JSON")


def _not_object(key: str, value: Any) -> Problem:
    return Problem(ROOT_NOT_OBJECT, f"{key} must be a JSON object, not {short_repr(value)}")


def _as_object(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not serializable")
