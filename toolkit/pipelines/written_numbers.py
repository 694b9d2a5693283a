"""Keeps the exact digits of numbers in a pipeline's file, for tools that take a `Decimal`."""

import re
from typing import Any

from toolkit import documents
from toolkit.documents import Node, Scalar
from toolkit.json_texts import WrittenNumber
from toolkit.tools.calls.json_data import digits_to_lose

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)\.\d+(?:[eE][+-]?\d+)?")


def written_number(text: str, number: float) -> float:
    """Return a number that keeps the digits of its source text, if a float would lose some of them."""
    return WrittenNumber(text) if _JSON_NUMBER.fullmatch(text) and digits_to_lose(text) else number


def written_data(node: Node) -> Any:
    """Return the plain data of a node, with numbers that keep the digits of the file."""
    match node:
        case Scalar(value=float() as number):
            return written_number(node.text, number)
        case Scalar():
            return node.value
        case documents.Sequence(items=items):
            return [written_data(item) for item in items]
        case documents.Mapping(entries=entries):
            return {name: written_data(entry.value) for name, entry in entries.items()}
