"""Answers: the type that an agent's answer must fit, and its description for models."""

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
        """Read what is wanted: a pydantic model, a dataclass, a TypedDict, or a shape of JSON."""
        self._wanted = wanted
        if not isinstance(wanted, type):
            self._name, self._schema, self._parse = "the schema", wanted.schema, wanted.read
            return
        reader: TypedTool[Any] = TypedTool(
            name="answer", description="The answer.", input_type=wanted, function=lambda input: input  # noqa: A006
        )  # fmt: skip
        self._name, self._schema, self._parse = wanted.__name__, reader.spec.parameters, reader.parse

    @property
    def wish(self) -> str:
        """The description that the model receives."""
        import json  # noqa: PLC0415 - few agents have such a type

        schema = json.dumps(self._schema, ensure_ascii=False, separators=(",", ":"))
        return f"Answer with nothing but one JSON object that fits this JSON Schema:\n{schema}"

    def objection(self, text: str) -> str | None:
        """Return what is wrong with an answer."""
        try:
            self._parsed(text)
        except ToolArgumentsError as error:
            return f"Your answer does not fit the JSON Schema: {error}. Answer again, with the JSON object alone."
        return None

    def of(self, end: LoopEnd) -> Any:
        """Return the answer in its type.

        Raises:
            AgentError: If a returning tool gave anything else.
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
    """Return the type if objects can be asked whether they are of it; a TypedDict cannot."""
    return (wanted,) if isinstance(wanted, type) and not issubclass(wanted, dict) else ()
