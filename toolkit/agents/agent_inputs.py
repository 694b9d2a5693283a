"""Checks the input that one agent sends to another against the declared type, and converts it for the receiver."""

import json
from typing import Any

from toolkit.errors import ToolArgumentsError
from toolkit.json_texts import json_text
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.spec import ToolSpec
from toolkit.tools.typed import TypedTool


def input_reader(name: str, input_type: type) -> TypedTool[Any]:
    """Return the schema and parser of an agent's input.

    Raises:
        InvalidTools: If the type cannot be represented as JSON.
    """
    return TypedTool(name=name, description="The input.", input_type=input_type, function=lambda input: input)  # noqa: A006


def converted_input(agent: Tool, arguments: Arguments, spec: ToolSpec) -> dict[str, Any]:
    """Return an input as the arguments of an agent: one by one, or as JSON if the agent takes a single string.

    Raises:
        ToolArgumentsError: If the arguments are not a JSON object.
    """
    try:
        sent = json.loads(arguments) if isinstance(arguments, str) else dict(arguments)
    except ValueError as error:
        raise ToolArgumentsError("the input must be a JSON object") from error
    given = {name: value for name, value in sent.items() if name in spec.properties}
    taken = agent.spec.properties
    if len(taken) == 1 and given.keys() != taken.keys():
        [(name, schema)] = taken.items()
        if schema.get("type") == "string":
            return {name: json_text(given)}
    return given
