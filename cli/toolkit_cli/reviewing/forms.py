"""Lets the user fill in a form, field by field, without preselected values."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from toolkit.approvals.requests import ReviewRequest
from toolkit.problems import did_you_mean
from toolkit_cli.prompting import Prompter
from toolkit_cli.rendering.escaping import lines_of, one_line
from toolkit_cli.rendering.schemas import type_of

_INDENT = "       "
_YES, _NO = ("true", "yes"), ("false", "no")


class _Member(NamedTuple):
    """A field of a form: its name and schema, and whether it is required."""

    name: str
    schema: Mapping[str, Any]
    is_required: bool

    @property
    def label(self) -> str:
        """The prompt: the name, and the type or the choices, on one line."""
        choices = [str(choice) for choice in _choices(self.schema)]
        kind = " or ".join(choices) if choices else type_of(self.schema)
        empty = f"; default: {json.dumps(self.schema['default'])}" if "default" in self.schema else "; optional"
        return one_line(f"{self.name} ({kind}{'' if self.is_required else empty}) =")


async def filled_form(prompter: Prompter, request: ReviewRequest, form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Let the user fill in a form, and return the valid values by field.

    Args:
        prompter: The prompter to ask with.
        request: The question, which validates the values.
        form: The JSON Schema of an object.
    """
    answers: dict[str, Any] = {}
    required = form.get("required", ())
    for name, schema in form.get("properties", {}).items():
        if isinstance(schema, Mapping):
            await _fill(prompter, request, _Member(name, schema, name in required), answers)
    return answers


async def _fill(prompter: Prompter, request: ReviewRequest, member: _Member, answers: dict[str, Any]) -> None:
    """Ask for one field until its value is valid; an optional field that is left empty is omitted."""
    while True:
        typed = await prompter.text(member.label, qmark=f"{_INDENT}>")
        if not typed.strip() and not member.is_required:
            if "default" in member.schema:
                answers[member.name] = member.schema["default"]
            return
        fault = _take(typed, request, member, answers)
        if fault is None:
            return
        prompter.say(_INDENT + "\n".join(lines_of(fault)).replace("\n", f"\n{_INDENT}"))


def _take(typed: str, request: ReviewRequest, member: _Member, answers: dict[str, Any]) -> str | None:
    """Add a typed value to the answers, or return an error message."""
    try:
        value = _value(typed, member.schema)
    except ValueError as error:
        return str(error)
    fault = _objection(request, member.name, {**answers, member.name: value})
    if fault is None:
        answers[member.name] = value
    return fault


def _objection(request: ReviewRequest, name: str, answers: Mapping[str, Any]) -> str | None:
    """Return an error message for one field; problems with other fields are ignored."""
    fault = request.objection(answers)
    return fault if fault is not None and f"'{name}" in fault else None


def _value(typed: str, schema: Mapping[str, Any]) -> Any:
    """Parse a typed text.

    Raises:
        ValueError: If it is not valid for the field.
    """
    if choices := {str(choice): choice for choice in _choices(schema)}:
        if typed.strip() in choices:
            return choices[typed.strip()]
        raise ValueError(did_you_mean(typed.strip(), choices, otherwise=f"it must be one of {', '.join(choices)}"))
    match schema.get("type"):
        case "string":
            return typed
        case "boolean":
            return _truth(typed.strip().casefold())
        case "array" if not typed.lstrip().startswith("["):
            return [part for part in map(str.strip, typed.split(",")) if part]
    try:
        return json.loads(typed)
    except ValueError:
        raise ValueError(f"it must be of type {type_of(schema)}") from None


def _truth(typed: str) -> bool:
    if typed not in (*_YES, *_NO):
        raise ValueError("it must be yes or no")
    return typed in _YES


def _choices(schema: Mapping[str, Any]) -> list[Any]:
    listed = schema.get("enum")
    if isinstance(listed, list):
        return listed
    return [one["const"] for one in schema.get("oneOf", ()) if isinstance(one, Mapping) and "const" in one]
