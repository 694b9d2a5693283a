"""The keys at the beginning of every file that defines a tool: format version, name, description and inputs."""

from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from toolkit.documents.keys import Kind, Schema, is_text
from toolkit.documents.node_keys import WORD, NodeSpot, node
from toolkit.documents.nodes import Word
from toolkit.tools.definition.names import legal_name, name_problem

NAME_PATTERN: Final = "^[A-Za-z0-9_][A-Za-z0-9_-]*$"


def _name(written: Any, spot: NodeSpot) -> Word | None:
    if not is_text(written):
        return None
    if problem := name_problem(spot.text, spot.location):
        spot.origin.problems.append(problem)
    return spot.word


TOOL_NAME: Final = replace(WORD, read=_name, schema={"type": "string", "pattern": NAME_PATTERN})


def name_in(spot: NodeSpot, values: dict[str, Any], otherwise: str) -> Word:
    """Return the name of the tool; if the file has none, the file's name, and `otherwise` if it has an invalid one."""
    if spot.lacks("name"):
        return Word(legal_name(Path(spot.location.file).stem), spot.location)
    name: Word | None = values.get("name")
    return Word(otherwise, spot.below("name").location) if name is None else name


def inputs(schema: Schema, each: str = "input") -> Kind:
    """Return the kind of a mapping that declares data.

    Args:
        schema: The schema of the mapping.
        each: What messages call an entry of it.
    """

    def read(_: Any, spot: NodeSpot) -> Any:
        from toolkit.tools.inputs import read_inputs  # many tools declare no inputs

        return read_inputs(spot, each)

    return node("a mapping", read, schema, "{name: {type: string}}")
