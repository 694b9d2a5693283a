"""Prompts for missing arguments on a terminal, and validates each as it is typed."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolkit.problems import Problem
from toolkit.schemas.schema import Schema
from toolkit.tools.base import Tool
from toolkit.visibility import visible_json
from toolkit_cli.arguments.assignments import Schemas
from toolkit_cli.arguments.call_arguments import objections
from toolkit_cli.rendering.schemas import type_of
from toolkit_cli.rendering.styles import one_line

if TYPE_CHECKING:
    from toolkit_cli.prompting import Prompter


def ask_for(tool: Tool, missing: Sequence[str], known: Mapping[str, Any]) -> dict[str, Any]:
    """Prompt for each missing argument, and return all values.

    Raises:
        KeyboardInterrupt: If the user presses Ctrl-C.
        EOFError: If the input ends.
    """
    from toolkit_cli.prompting import Prompter  # few calls lack arguments

    prompter = Prompter.open(sys.stderr)
    form = _Form(tool, prompter, dict(known))
    for name in missing:
        form.fill(name)
    return form.values


def missing_problems(tool: Tool, missing: Sequence[str], command: str) -> list[Problem]:
    """Return a Problem for each missing argument; the last one has a hint with the command to run."""
    properties = tool.spec.properties
    problems = [
        Problem(
            "",
            f"missing argument '{name}' ({type_of(properties.get(name, {}))}){_description(properties, name)}",
        )
        for name in missing
    ]
    if problems:
        first = problems[-1]
        assignments = " ".join(f"{name}=…" for name in missing)
        problems[-1] = Problem("", first.message, hint=f"write: {command} {assignments}")
    return problems


def _description(properties: Mapping[str, Any], name: str) -> str:
    text = properties.get(name, {}).get("description")
    return f": {text}" if text else ""


class _Form:
    def __init__(self, tool: Tool, prompter: "Prompter", values: dict[str, Any]) -> None:
        self._tool = tool
        self._prompter = prompter
        self._schemas = Schemas(tool.spec.parameters)
        self.values = values

    def fill(self, name: str) -> None:
        """Prompt for one argument, with the prompt that fits its type."""
        schema = self._schemas.of(name)
        message = self._message(name, schema)
        kinds = schema.kinds()
        if choices := self._schemas.choices(schema):
            options = [
                (one_line(choice) if isinstance(choice, str) else visible_json(choice), choice) for choice in choices
            ]
            self.values[name] = self._prompter.choice_now(message, options, default=schema.keywords.get("default"))
        elif kinds == {"boolean"}:
            self.values[name] = self._prompter.confirmation_now(message, default=bool(schema.keywords.get("default")))
        else:
            is_secret = name in self._tool.hidden_parameters or schema.keywords.get("format") == "password"
            ask = self._prompter.secret_now if is_secret else self._prompter.text_now
            typed = ask(message, objection=lambda text: self._objection(name, text))
            self.values[name] = self._schemas.value(typed, schema)

    def _objection(self, name: str, text: str) -> str | None:
        """Return why a value is invalid for this argument; problems with other arguments are ignored."""
        value = self._schemas.value(text, self._schemas.of(name))
        found = objections(self._tool, {**self.values, name: value})
        mine = next((one.problem for one in found if one.argument == name), None)
        return one_line(mine.message) if mine else None

    def _message(self, name: str, schema: Schema) -> str:
        type_ = "" if self._schemas.choices(schema) else f" ({type_of(schema.node)})"
        description = schema.keywords.get("description")
        return one_line(f"{name}{type_}" + (f" - {description}" if description else "") + ":")
