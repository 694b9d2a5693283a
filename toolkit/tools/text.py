"""Tools with one text as input and one as output, which suits expressions, queries and commands."""

import json
from collections.abc import Mapping
from typing import Any

from toolkit.errors import ToolArgumentsError
from toolkit.tools.callees import Arguments
from toolkit.tools.class_tools import ExecutingTool
from toolkit.tools.docstrings import read_docstring
from toolkit.tools.foreign_values import call_safely
from toolkit.tools.results import ToolResult

_INPUT = "input"
TEXT_PARAMETERS = {
    "type": "object",
    "properties": {_INPUT: {"type": "string", "description": "The input to pass to the tool"}},
    "required": [_INPUT],
}


class TextTool(ExecutingTool):
    """Base class of tools with one text as input: define a name, a description and `execute(text)`.

    Example:
        >>> class Shout(TextTool):
        ...     name = "shout"
        ...     description = "Says the input loudly."
        ...
        ...     def execute(self, text: str) -> str:
        ...         return text.upper()
        >>> Shout().run({"input": "ready"}).output
        'READY'

    Its arguments are always valid: if there is no usable `input`, the whole text as received is the input.
    """

    pipe = "text"
    result_of_nothing = ToolResult()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """A schema with one required string, `input`."""
        return TEXT_PARAMETERS

    def parse(self, arguments: Arguments) -> str:
        """Return the input: a string unchanged, any other value as JSON."""
        return text_given(arguments)

    def describe(self, parsed: Any) -> dict[str, Any]:
        """Return the input under its name, `input`."""
        return {_INPUT: parsed}


def text_given(arguments: Any) -> str:
    """Return the input of a call; if there is no usable `input`, return all arguments as received."""
    if isinstance(arguments, str):
        return _input_of_text(arguments)
    given = arguments.get(_INPUT) if isinstance(arguments, Mapping) else arguments
    if isinstance(given, str):
        return given
    if arguments is None:
        return ""
    return _as_text(arguments if given is None else given)


def _input_of_text(arguments: str) -> str:
    from pydantic_core import from_json

    try:
        data = from_json(arguments, allow_inf_nan=False)
    except ValueError:
        return arguments
    given = data.get(_INPUT) if isinstance(data, dict) else None
    if isinstance(given, str):
        return given
    return arguments if given is None else _as_text(given)


def _as_text(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ToolArgumentsError(f"The input cannot be written as JSON: {error}") from error


class AdaptedTextTool(TextTool):
    """Makes a tool of an object with a name, a description and `execute(text)`."""

    def __init__(self, adapted: Any) -> None:
        """Adapt an object whose name and description are attributes or methods."""
        self.adapted = adapted
        self.name = _describe(adapted, "name")
        self.description = (
            _describe(adapted, "description") or read_docstring(vars(type(adapted)).get("__doc__")).description
        )
        for option in ("requires_approval", "read_only", "destructive", "idempotent", "open_world", "flow", "category"):
            if hasattr(adapted, option):
                setattr(self, option, getattr(adapted, option))
        self.execute = adapted.execute

    @property
    def written_as(self) -> type:
        """The class of the adapted object."""
        return type(self.adapted)


def _describe(adapted: Any, what: str) -> Any:
    value = getattr(adapted, what, "")
    return value() if callable(value) else value


def looks_like_text_tool(candidate: object) -> bool:
    """Return whether an object can be adapted, that is, whether it has `execute` and a name."""
    return call_safely(lambda: callable(getattr(candidate, "execute", None)) and hasattr(candidate, "name"), False)
