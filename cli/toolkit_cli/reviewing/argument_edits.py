"""Lets the user edit the arguments of a call before it runs, and fill in a form field by field."""

import asyncio
import json
import os
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from toolkit.approvals.decisions import ReviewRequest
from toolkit.leftovers import temporary
from toolkit.problems import did_you_mean
from toolkit.tools.calls.json_data import loads
from toolkit.tools.secret_arguments import is_same
from toolkit.visibility import visible_json
from toolkit_cli.prompting import Prompter
from toolkit_cli.rendering.schemas import type_of
from toolkit_cli.rendering.styles import is_plain, lines_of, one_line

_ALL = "{}"
_INDENT = "       "


class _Form(NamedTuple):
    """How a value is edited: the initial text, a function that parses the edited text, and a note for the prompt."""

    text: str
    read: Callable[[str], Any]
    note: str


async def edited_arguments(prompter: Prompter, request: ReviewRequest) -> Mapping[str, Any] | None:
    """Return edited arguments that the tool accepts, or `None` if the user did not change them."""
    name = await _chosen_name(prompter, request.arguments)
    if name is None:
        return None
    present = request.arguments if name == _ALL else request.arguments[name]
    form = _form_of(present)
    while True:
        typed = await _typed(prompter, "all arguments" if name == _ALL else one_line(name), form)
        fault, arguments = _read(typed, form, name, request)
        if fault is None:
            return None if is_same(arguments, request.arguments) else arguments
        prompter.say(_INDENT + "\n".join(lines_of(fault)).replace("\n", f"\n{_INDENT}"))
        prompter.say(f"{_INDENT}(leave empty to keep the value)")
        if not typed.strip():
            return None
        form = form._replace(text=typed)


async def _chosen_name(prompter: Prompter, arguments: Mapping[str, Any]) -> str | None:
    if len(arguments) == 1:
        return next(iter(arguments))
    while arguments:
        names = " · ".join(one_line(name) for name in arguments)
        typed = (await prompter.text(f"edit which? {names} · {_ALL} for all as JSON:")).strip()
        if not typed:
            return None
        if typed == _ALL or typed in arguments:
            return typed
        hint = did_you_mean(typed, arguments, otherwise="press Enter to go back")
        prompter.say(f"{_INDENT}there is no argument '{one_line(typed)}'; {one_line(hint or '')}")
    return _ALL


def _form_of(value: Any) -> _Form:
    if not isinstance(value, str):
        return _Form(visible_json(value), loads, " (JSON)")
    if all(is_plain(line) for line in value.split("\n")):
        return _Form(value, str, "")
    # It contains control or invisible characters, so it is edited in escaped form.
    return _Form(visible_json(value), loads, ' (as JSON text, "…")')


async def _typed(prompter: Prompter, name: str, form: _Form) -> str:
    if "\n" not in form.text:
        return await prompter.text(f"{name}{form.note} =", default=form.text)
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if editor:
        try:
            return await _typed_in_editor(shlex.split(editor), form.text)
        except (OSError, ValueError) as error:
            prompter.say(f"{_INDENT}cannot use the editor: {one_line(str(error))}")
    return await prompter.text(
        f"{name}{form.note}; press Esc, then Enter to finish\n", default=form.text, multiline=True
    )


async def _typed_in_editor(command: list[str], text: str) -> str:
    """Return the text from the user's editor, without the newline that editors add at the end."""
    with TemporaryDirectory(prefix="toolkit-") as folder, temporary(Path(folder)):
        file = Path(folder) / "argument.txt"
        file.write_bytes(text.encode())
        editor = await asyncio.create_subprocess_exec(*command, str(file))
        try:
            await editor.wait()
        except asyncio.CancelledError:
            editor.kill()
            await editor.wait()
            raise
        edited = file.read_bytes().decode()
    return edited if text.endswith("\n") else edited.removesuffix("\n")


def _read(typed: str, form: _Form, name: str, request: ReviewRequest) -> tuple[str | None, Mapping[str, Any]]:
    """Return an error message for an edited value, or `None`, and all arguments with the value."""
    try:
        value = form.read(typed)
    except ValueError as error:
        return f"this is not JSON: {error}", request.arguments
    if name == _ALL and not isinstance(value, dict):
        return "this is not a JSON object", request.arguments
    arguments = value if name == _ALL else {**request.arguments, name: value}
    return request.objection(arguments), arguments


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
