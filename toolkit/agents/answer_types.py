"""The type that an agent's answer must fit, and the type of what one agent sends to another."""

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolkit.agents.loop import AgentError, LoopEnd
from toolkit.errors import ToolArgumentsError
from toolkit.json_texts import json_text
from toolkit.tools.argument_repairs import repaired
from toolkit.tools.base import Tool
from toolkit.tools.callees import Arguments
from toolkit.tools.spec import ToolSpec
from toolkit.tools.typed import TypedTool

if TYPE_CHECKING:
    from toolkit.tools.inputs import InputShape


class Answer:
    """The type that an answer must fit."""

    _name: str
    _schema: Mapping[str, Any]
    _parse: Callable[[str], Any]

    def __init__(self, wanted: "type | InputShape") -> None:
        """Create the parser.

        Args:
            wanted: A pydantic model, a dataclass, a TypedDict or a JSON shape.
        """
        self._wanted = wanted
        if not isinstance(wanted, type):
            self._name, self._schema, self._parse = "the schema", wanted.schema, wanted.read
            return
        reader: TypedTool[Any] = TypedTool(
            name="answer", description="The answer.", input_type=wanted, function=lambda input: input
        )  # fmt: skip
        self._name, self._schema, self._parse = wanted.__name__, reader.spec.parameters, reader.parse

    @property
    def request(self) -> str:
        """The description of the type that the model receives."""
        schema = json.dumps(self._schema, ensure_ascii=False, separators=(",", ":"))
        return f"Answer with nothing but one JSON object that fits this JSON Schema:\n{schema}"

    def objection(self, text: str) -> str | None:
        """Return what is wrong with an answer, in words for the model, or `None` if it fits."""
        try:
            self._parsed(text)
        except ToolArgumentsError as error:
            return f"Your answer does not fit the JSON Schema: {error}. Answer again, with the JSON object alone."
        return None

    def of(self, end: LoopEnd) -> Any:
        """Return the answer as an object of the type.

        Raises:
            AgentError: If the result of a returning tool does not fit the type.
        """
        if isinstance(end.artifact, _instances_of(self._wanted)):
            return end.artifact
        try:
            return self._parsed(end.text)
        except ToolArgumentsError as error:
            raise AgentError(f"what the tool returned does not fit {self._name}: {error}") from error

    def _parsed(self, text: str) -> Any:
        return self._parse(repaired(text) if text.strip() else "null")


def _instances_of(wanted: "type | InputShape") -> tuple[type, ...]:
    """Return the type if `isinstance` supports it, which it does not for a TypedDict."""
    return (wanted,) if isinstance(wanted, type) and not issubclass(wanted, dict) else ()


def input_reader(name: str, input_type: type) -> TypedTool[Any]:
    """Return the schema and parser of an agent's input.

    Raises:
        InvalidTools: If the type cannot be represented as JSON.
    """
    return TypedTool(name=name, description="The input.", input_type=input_type, function=lambda input: input)


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
