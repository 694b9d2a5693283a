"""Validates the fields of a specification and the options of a tool, and copies them as plain data."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict, get_args

from toolkit.approvals.policies import FLOWS, Flow
from toolkit.codes import BAD_OPTION, INVALID_TOOL_NAME, ROOT_NOT_OBJECT
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.tools.calls.foreign_values import is_text, plain_text, short_repr
from toolkit.tools.calls.json_data import NotJsonError, is_encodable, plain_json

ReturnBehavior = Literal["to_model", "immediate", "immediate_if_last"]
"""Where a result goes: to the model, or to the caller if all calls of a turn, or only the last one, say so."""


class UnfitFieldError(Exception):
    """The value of a field is invalid; the message says why."""

    def __init__(self, message: str, hint: str | None = None, *, code: str = BAD_OPTION) -> None:
        """Create the error; `code` is the code of the problem."""
        super().__init__(message)
        self.hint = hint
        self.code = code


def plain_fields(fields: Mapping[str, object], location: Location | None) -> tuple[dict[str, Any], list[Problem]]:
    """Return the valid fields as plain data, and a problem for each invalid one."""
    plain, problems = {}, []
    for name, value in fields.items():
        try:
            plain[name] = _READERS[name](name, value)
        except UnfitFieldError as error:
            problems.append(Problem(error.code, str(error), location, hint=error.hint))
    return plain, problems


def _name(_: str, value: object) -> str:
    if not is_text(value):
        raise UnfitFieldError(f"the name of a tool must be text, not {type(value).__name__}", code=INVALID_TOOL_NAME)
    name = _text("name", value)
    if not name.strip():
        raise UnfitFieldError("the name of a tool must not be blank", code=INVALID_TOOL_NAME)
    return name


def _text(name: str, value: object) -> str:
    if not is_text(value):
        raise UnfitFieldError(f"{name} must be text, not {short_repr(value)}")
    text = plain_text(value)  # type: ignore[arg-type]  # as the lines above say
    if not is_encodable(text):
        raise UnfitFieldError(
            f"{name} contains half of a surrogate pair: {short_repr(text)}", "write the character itself"
        )
    return text


def _optional_text(name: str, value: object) -> str | None:
    return None if value is None else _text(name, value)


def _switch(name: str, value: object) -> bool:
    if type(value) is not bool:
        raise UnfitFieldError(f"{name} must be True or False, not {short_repr(value)}")
    return value


def _flag(name: str, value: object) -> bool | None:
    return None if value is None else _switch(name, value)


def _return_behavior(_: str, value: object) -> str:
    known = get_args(ReturnBehavior)
    text = plain_text(value) if is_text(value) else short_repr(value)  # type: ignore[arg-type]
    if is_text(value) and text in known:
        return text
    message, choices = f"unknown return_behavior {short_repr(value)}", f"one of {', '.join(known)}"
    raise UnfitFieldError(message, did_you_mean(text[:_LONGEST_CHOICE], known, otherwise=choices))


def _result_tokens(name: str, value: object) -> int | None:
    if value is None or (type(value) is int and value > 0):
        return value
    raise UnfitFieldError(f"{name} must be a whole number above zero, not {short_repr(value)}")


def _flow(_: str, value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    words: list[Any] = [value] if is_text(value) else list(value) if isinstance(value, list | tuple) else [None]
    for word in words:
        text = plain_text(word) if is_text(word) else short_repr(word)
        if text not in FLOWS:
            message, choices = f"unknown flow {short_repr(word)}", f"one or some of {', '.join(FLOWS)}"
            raise UnfitFieldError(message, did_you_mean(text[:_LONGEST_CHOICE], FLOWS, otherwise=choices))
    return tuple(flow for flow in FLOWS if flow in words)


_LONGEST_CHOICE = 40


def _schema(name: str, value: object) -> dict[str, Any]:
    if not issubclass(type(value), Mapping):
        raise UnfitFieldError(f"{name} must be a mapping, not {short_repr(value)}", code=ROOT_NOT_OBJECT)
    schema: dict[str, Any] = _json(name, value, ROOT_NOT_OBJECT)
    return schema


def _optional_schema(name: str, value: object) -> dict[str, Any] | None:
    return None if value is None else _schema(name, value)


def _metadata(name: str, value: object) -> dict[str, Any]:
    if not issubclass(type(value), Mapping):
        message = f"metadata must be a mapping of text keys, not {short_repr(value)}"
        raise UnfitFieldError(message, "write metadata={'anthropic': {…}}")
    plain: dict[str, Any] = _json(name, value)
    return plain


def _examples(name: str, value: object) -> tuple[dict[str, Any], ...]:
    examples = _json(name, value) if issubclass(type(value), Sequence) and not is_text(value) else [None]
    if not isinstance(examples, list) or not all(isinstance(example, dict) for example in examples):
        message = f"examples must be a list of mappings, not {short_repr(value)}"
        raise UnfitFieldError(message, "write examples=[{'city': 'Oslo'}]")
    return tuple(examples)


def _json(name: str, value: object, code: str = BAD_OPTION) -> Any:
    try:
        return plain_json(value, name)
    except NotJsonError as error:
        message = f"{name} must be JSON data, but {error}"
        raise UnfitFieldError(message, "use text, numbers, true or false, lists and mappings", code=code) from error


def _names(name: str, value: object) -> tuple[str, ...]:
    if type(value) in (list, tuple):
        return tuple(_text(name, one) for one in value)  # type: ignore[attr-defined]  # as the line above says
    raise UnfitFieldError(f"{name} must be a list of strings, not {short_repr(value)}")


def _location(name: str, value: object) -> Location | None:
    if value is None:
        return None
    numbers = tuple.__getitem__(value, slice(1, None)) if type(value) is Location else (None, None)
    if type(value) is Location and type(value.file) is str and all(one is None or type(one) is int for one in numbers):
        return value
    raise UnfitFieldError(f"{name} must be a Location, not {short_repr(value)}")


_READERS: dict[str, Callable[[str, object], Any]] = {
    "name": _name,
    "description": _text,
    "parameters": _schema,
    "output_schema": _optional_schema,
    "return_behavior": _return_behavior,
    "result_tokens": _result_tokens,
    "category": _optional_text,
    "requires_approval": _switch,
    "read_only": _flag,
    "destructive": _flag,
    "idempotent": _flag,
    "open_world": _flag,
    "flow": _flow,
    "strict": _flag,
    "metadata": _metadata,
    "examples": _examples,
    "source": _optional_text,
    "framework": _optional_text,
    "names": _names,
    "origin": _optional_text,
    "location": _location,
}


class ToolOptions(TypedDict, total=False):
    """The options of any tool, as documented in `ToolSpec`."""

    category: str | None
    return_behavior: ReturnBehavior
    result_tokens: int | None
    requires_approval: bool
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    open_world: bool | None
    flow: Flow | Sequence[Flow] | None
    strict: bool | None
    metadata: Mapping[str, Any]
    examples: Sequence[Mapping[str, Any]]


class MarkOptions(ToolOptions, total=False):
    """The options of a tool whose name and description are optional, since a function provides them."""

    name: str | None
    description: str | None


OPTIONS = ("name", "description", *ToolOptions.__annotations__)

_MAY_BE_NONE = ("name", "description")
"""The options that a function can provide; `None` means that they are not set."""


def option_problems(options: Mapping[str, Any], location: Location | None) -> list[Problem]:
    """Return everything that is wrong with the options of a tool."""
    unknown = [_unknown(name, location) for name in options if name not in OPTIONS]
    given = {
        name: value
        for name, value in options.items()
        if name in OPTIONS and name != "name" and not (name in _MAY_BE_NONE and value is None)
    }
    plain, unfit = plain_fields(given, location)
    return [*unknown, *unfit, *_contradictions(plain, location)]


def _unknown(name: str, location: Location | None) -> Problem:
    hint = did_you_mean(name, OPTIONS, otherwise=f"options are {', '.join(OPTIONS)}")
    return Problem(BAD_OPTION, f"unknown option {name!r}", location, hint=hint)


def _contradictions(options: Mapping[str, Any], location: Location | None) -> list[Problem]:
    if options.get("read_only") is True and options.get("destructive") is True:
        message = "a tool cannot be read_only and destructive"
        return [Problem(BAD_OPTION, message, location, hint="remove one of the two")]
    if options.get("read_only") is True and "writes" in (options.get("flow") or ()):
        message = "a tool cannot be read_only and write"
        return [Problem(BAD_OPTION, message, location, hint="remove read_only=True, or 'writes' from its flow")]
    return []
