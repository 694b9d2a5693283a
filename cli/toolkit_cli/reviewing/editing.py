"""Lets the user edit the arguments of a call before it runs.

Strings that a terminal can show are edited as plain text; if they have several lines and `VISUAL` or `EDITOR` is set,
in that editor. Other values are edited as JSON. If the tool rejects a value, its message is shown, and the user can try
again.
"""

import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolkit.approvals.requests import ReviewRequest
from toolkit.leftovers import temporary
from toolkit.problems import did_you_mean
from toolkit.tools.edited_arguments import is_same
from toolkit.tools.exact_numbers import loads
from toolkit.visibility import visible_json
from toolkit_cli.prompting import Prompter
from toolkit_cli.rendering.escaping import is_plain, lines_of, one_line

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
    import asyncio
    from pathlib import Path  # noqa: PLC0415
    from tempfile import TemporaryDirectory  # noqa: PLC0415

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
