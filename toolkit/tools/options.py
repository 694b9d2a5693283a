"""The options of a tool, set by a decorator or as class attributes, and their validation."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from toolkit.approvals.risks import Flow
from toolkit.codes import BAD_OPTION
from toolkit.problems import Location, Problem, did_you_mean
from toolkit.tools.spec_fields import ReturnBehavior, plain_fields


class ToolOptions(TypedDict, total=False):
    """The options of any tool, as documented in `ToolSpec`."""

    category: str | None
    return_behavior: ReturnBehavior
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
