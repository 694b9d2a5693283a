"""Options: what a mark or a class says of a tool beyond its signature, checked all at once."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, get_args

from toolkit.problems import Location, Problem, did_you_mean

ReturnBehavior = Literal["to_model", "immediate", "immediate_if_last"]
"""Where a result goes: to the model; to the caller, when all calls of a turn say so; or when the last of them does."""


class ToolOptions(TypedDict, total=False):
    """What may be said of any tool; `ToolSpec` tells what each means."""

    category: str | None
    return_behavior: ReturnBehavior
    requires_approval: bool
    read_only: bool | None
    destructive: bool | None
    idempotent: bool | None
    open_world: bool | None
    strict: bool | None
    metadata: Mapping[str, Any]
    examples: Sequence[Mapping[str, Any]]


class MarkOptions(ToolOptions, total=False):
    """What may be said of a tool whose name and description are there without it."""

    name: str | None
    description: str | None


OPTIONS = ("name", "description", *ToolOptions.__annotations__)

_FLAGS = ("read_only", "destructive", "idempotent", "open_world", "strict")
_TEXTS = ("name", "description", "category")


def option_problems(options: Mapping[str, Any], location: Location | None) -> list[Problem]:
    """Return everything that is wrong with the options of a tool."""
    objections = [
        *(_unknown(name) for name in options if name not in OPTIONS),
        *(_not_text(name, options[name]) for name in _TEXTS if name in options),
        *(_not_flag(name, options[name]) for name in _FLAGS if name in options),
        _bad_return_behavior(options),
        _bad_approval(options),
        _bad_metadata(options),
        _bad_examples(options),
        _contradiction(options),
    ]
    return [Problem("TK323", message, location, hint=hint) for message, hint in filter(None, objections)]


_Objection = tuple[str, str | None] | None


def _unknown(name: str) -> _Objection:
    return f"unknown option {name!r}", did_you_mean(name, OPTIONS, otherwise=f"options are {', '.join(OPTIONS)}")


def _not_text(name: str, value: object) -> _Objection:
    return None if value is None or isinstance(value, str) else (f"{name} must be text, not {value!r}", None)


def _not_flag(name: str, value: object) -> _Objection:
    return None if value is None or isinstance(value, bool) else (f"{name} must be True or False, not {value!r}", None)


def _bad_return_behavior(options: Mapping[str, Any]) -> _Objection:
    known = get_args(ReturnBehavior)
    value = options.get("return_behavior", known[0])
    if value in known:
        return None
    return f"unknown return_behavior {value!r}", did_you_mean(str(value), known, otherwise=f"one of {', '.join(known)}")


def _bad_approval(options: Mapping[str, Any]) -> _Objection:
    value = options.get("requires_approval", False)
    return None if isinstance(value, bool) else (f"requires_approval must be True or False, not {value!r}", None)


def _bad_metadata(options: Mapping[str, Any]) -> _Objection:
    value = options.get("metadata", {})
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return None
    return f"metadata must be a mapping of text keys, not {value!r}", "write metadata={'anthropic': {…}}"


def _bad_examples(options: Mapping[str, Any]) -> _Objection:
    value = options.get("examples", ())
    if isinstance(value, Sequence) and all(isinstance(example, Mapping) for example in value):
        return None
    return f"examples must be a list of mappings, not {value!r}", "write examples=[{'city': 'Oslo'}]"


def _contradiction(options: Mapping[str, Any]) -> _Objection:
    if options.get("read_only") is True and options.get("destructive") is True:
        return "a tool cannot be read_only and destructive", "drop one of the two"
    return None
