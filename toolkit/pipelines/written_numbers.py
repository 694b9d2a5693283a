"""Written numbers: the data of a pipeline's file with the digits that it has there, for a `Decimal`."""

import re
from typing import Any

from toolkit import documents
from toolkit.documents import Node, Scalar
from toolkit.json_texts import WrittenNumber
from toolkit.tools.exact_numbers import digits_to_lose

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)\.\d+(?:[eE][+-]?\d+)?")


def written_number(text: str, number: float) -> float:
    """Return a number that stands in a file as this text with the digits of it, where a float would lose some."""
    return WrittenNumber(text) if _JSON_NUMBER.fullmatch(text) and digits_to_lose(text) else number


def written_data(node: Node) -> Any:
    """Return the plain data that a node stands for, in which numbers keep the digits of the file."""
    match node:
        case Scalar(value=float() as number):
            return written_number(node.text, number)
        case Scalar():
            return node.value
        case documents.Sequence(items=items):
            return [written_data(item) for item in items]
        case documents.Mapping(entries=entries):
            return {name: written_data(entry.value) for name, entry in entries.items()}
