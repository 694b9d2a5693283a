"""The type that an agent's answer must fit: its description for models, and its parser."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from toolkit.agents.loop import AgentError, LoopEnd
from toolkit.errors import ToolArgumentsError
from toolkit.tools.repairing import repaired
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
            name="answer", description="The answer.", input_type=wanted, function=lambda input: input  # noqa: A006
        )  # fmt: skip
        self._name, self._schema, self._parse = wanted.__name__, reader.spec.parameters, reader.parse

    @property
    def request(self) -> str:
        """The description of the type that the model receives."""
        import json  # noqa: PLC0415 - few agents have an output type

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
