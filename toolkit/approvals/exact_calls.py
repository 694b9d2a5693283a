"""Determines whether a rule can describe one call exactly, so that it matches no call with any other argument."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, Final, NamedTuple

from toolkit.approvals.policies import DescribedCall
from toolkit.json_texts import json_text
from toolkit.redactors.redactor import MASK

_STAND_IN = re.compile(r"<.+>", re.DOTALL)
"""Matches what is shown for a value without a text, such as `<Client>` or `<created for each call>`."""

_CLOSED: Final = frozenset({
    "$comment", "$defs", "$id", "$schema", "additionalProperties", "definitions", "description", "examples",
    "properties", "required", "title", "type",
})  # fmt: skip
"""The keywords of a schema of arguments that declares all arguments under `properties`."""


class ExactArguments(NamedTuple):
    """The arguments of a call, as far as a rule can match exactly their values.

    Attributes:
        values: The arguments, including those that were filled in.
        missing: The names of all other arguments that the call has, or that another call could have.
        may_be_more: Whether calls can also have arguments whose names are not known.
    """

    values: dict[str, Any]
    missing: tuple[str, ...]
    may_be_more: bool

    @property
    def are_all(self) -> bool:
        """Whether a call with these values is the same call."""
        return not self.missing and not self.may_be_more


def exact_arguments(call: DescribedCall) -> ExactArguments:
    """Return the arguments of a call that a rule can match exactly, and the names of those that it cannot."""
    definition = call.risk.definition or {}
    parameters: Mapping[str, Any] = definition.get("parameters") or {}
    properties: Mapping[str, Any] = parameters.get("properties") or {}
    later = call.unknown or ()
    whole = {**(call.arguments or {}), **call.whole_arguments}  # the given ones come first
    values = {name: value for name, value in whole.items() if name not in later and _can_be_matched(name, value)}
    missing = tuple(name for name in dict.fromkeys([*whole, *properties, *later]) if name not in values)
    is_known = call.arguments is not None and call.unknown is not None and "parameters" in definition
    return ExactArguments(values, missing, not is_known or not _is_closed(parameters))


def declared_type(name: str, call: DescribedCall) -> Any:
    """Return the type of an argument in the schema, or `None` if it does not say so directly."""
    parameters: Mapping[str, Any] = (call.risk.definition or {}).get("parameters", {})
    schema = parameters.get("properties", {}).get(name)
    return schema.get("type") if isinstance(schema, Mapping) else None


def _is_closed(parameters: Mapping[str, Any]) -> bool:
    return parameters.keys() <= _CLOSED and parameters.get("additionalProperties", False) is False


def _can_be_matched(name: str, value: Any) -> bool:
    return "." not in name and MASK not in json_text({name: value}, default=str) and _is_plain(value)


def _is_plain(value: Any) -> bool:
    """Return whether a value is the argument itself, rather than a text that several values share."""
    if isinstance(value, Mapping):
        return all(isinstance(name, str) and _is_plain(member) for name, member in value.items())
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, float):
        return isfinite(value)
    return _STAND_IN.fullmatch(value) is None if isinstance(value, str) else isinstance(value, int | None)
