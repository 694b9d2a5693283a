"""Written numbers: the arguments of a step with the digits that the file has, for a `Decimal`."""

import re
from typing import Any

from toolkit import documents
from toolkit.documents import Node, Scalar
from toolkit.pipelines.templated_data import ConstantValue, ListValue, MappingValue, Value
from toolkit.tools.exact_numbers import WrittenNumber, digits_to_lose

_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)\.\d+(?:[eE][+-]?\d+)?")


def with_written_numbers(mapping: MappingValue) -> MappingValue:
    """Return arguments whose numbers keep all digits; an expression reckons with floats as before."""
    return mapping._replace(entries={name: _exact(value) for name, value in mapping.entries.items()})


def _exact(value: Value) -> Value:
    match value:
        case ConstantValue(node=node):
            return ConstantValue(_data(node), node)
        case ListValue(items=items):
            return value._replace(items=tuple(_exact(item) for item in items))
        case MappingValue():
            return with_written_numbers(value)
    return value


def _data(node: Node) -> Any:
    match node:
        case Scalar(value=float()) if _JSON_NUMBER.fullmatch(node.text) and digits_to_lose(node.text):
            return WrittenNumber(node.text)
        case Scalar():
            return node.value
        case documents.Sequence(items=items):
            return [_data(item) for item in items]
        case documents.Mapping(entries=entries):
            return {name: _data(entry.value) for name, entry in entries.items()}
