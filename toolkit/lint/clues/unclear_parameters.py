"""Finds out whether a model can choose the value of a parameter that nobody describes."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of

_CHOICES = frozenset(
    {"action", "algorithm", "direction", "engine", "field", "format", "interval", "kind", "level", "method",
     "metric", "mode", "model", "op", "operation", "period", "platform", "priority", "quality", "region",
     "resolution", "role", "scope", "severity", "sort", "state", "status", "strategy", "style", "type", "unit",
     "variant", "visibility"}
)  # fmt: skip
"""Words for one of several fixed values, of which a default shows no more than one."""

_FORMS = frozenset(
    {"angle", "bbox", "color", "colour", "condition", "coordinate", "country", "cron", "date", "datetime",
     "deadline", "delay", "distance", "duration", "end", "expression", "factor", "filter", "formula", "intensity",
     "key", "lang", "language", "locale", "pattern", "percent", "percentage", "province", "range",
     "rate", "ratio", "ref", "reference", "regex", "schedule", "score", "selector", "since", "speed", "start",
     "strength", "temperature", "threshold", "time", "timeout", "timestamp", "timezone", "tolerance", "tz", "until",
     "volume", "weight", "where", "xpath"}
)  # fmt: skip
"""Words for values in a unit, a format or a notation that the word leaves open; a default shows it."""

_PARTS = frozenset(
    {"arg", "argument", "config", "configuration", "data", "json", "metadata", "option", "param", "payload",
     "schema", "setting", "spec"}
)  # fmt: skip
"""Words for values with parts, if they are passed as texts."""

_CREDENTIALS = re.compile(
    r".*(?:access|api|auth|encryption|private|public|secret|signing)_?(?:key|code)", re.IGNORECASE
)
_ORDERS = {"group", "order", "rank", "sort"}
_LIMITS_OF_PERIODS = {"after", "before", "begin", "end", "from", "since", "start", "to", "until"}
_LISTS = frozenset({"Iterable", "List", "Sequence", "Set", "Tuple", "frozenset", "list", "set", "tuple"})
_STRUCTURED = _LISTS | {"Any", "Dict", "Mapping", "MutableMapping", "dict", "object"}
_UNIONS = {"Optional", "Required", "Union"}
_TEXTS_AND_NUMBERS = {"Decimal", "float", "int", "str"}
_VALUES = re.compile(r"[\"'`:=(|/]|\d")
_KEYS = re.compile(r"[\"'`{:]")
_NEAR = 60
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CROWD = 12
"""From so many parameters on, the description of a tool cannot say what each of them does."""


def is_unclear(tool: ToolDefinition, parameter: ParameterDefinition, *, bare: int) -> bool:
    """Return whether a model can only guess what to pass for a parameter without a description.

    It can only guess the keys of an object, and a unit, a format or one of several fixed values that neither the type,
    the default nor the description of the tool states. If a docstring describes the parameter but is not sent, somebody
    found that a description is needed. For anything else, such as `city`, `owner` or `n`, names say enough.

    Args:
        tool: The tool.
        parameter: A parameter without a description.
        bare: How many parameters of the tool have none.
    """
    if tool.function is not None and parameter.name in tool.function.docstring.parameters:
        return True
    words = [word if word.endswith("ss") else word.removesuffix("s") for word in words_of(parameter.name)] or [""]
    kinds, has_default = _kinds_of(parameter), _has_default(parameter)
    if _is_stated(tool.description or "", words[-1], _KEYS if "structure" in kinds else _VALUES):
        return False
    if "structure" in kinds:
        return not (has_default and kinds == {"structure", "unknown"})
    if "scalar" not in kinds and "unknown" not in kinds:
        return False
    if len(parameter.name) == 1 and kinds == {"scalar", "text"}:
        return True  # a variable of a formula is a number
    return _has_unclear_word(parameter.name, words, kinds, has_default=has_default) or bare >= _CROWD


def _has_unclear_word(name: str, words: list[str], kinds: set[str], *, has_default: bool) -> bool:
    """Return whether the last word of a name, which says what it is, leaves the form of the value open."""
    last = words[-1]
    if last in _CHOICES or (len(words) > 1 and last in {"by", "order"} and not _ORDERS.isdisjoint(words)):
        return True
    if last == "date" and not _LIMITS_OF_PERIODS.isdisjoint(words):
        return False  # models write both dates as ISO 8601 does
    if has_default or name == "key" or _CREDENTIALS.fullmatch(name):
        return False
    return last in _FORMS or (last in _PARTS and "text" in kinds)


def _is_stated(description: str, word: str, values: re.Pattern[str]) -> bool:
    """Return whether a description has a word and, soon after it in the same sentence, what values look like."""
    pattern = re.compile(rf"(?<![a-z]){re.escape(word)}(?:s|es)?(?![a-z])", re.IGNORECASE)
    found = (match for one in _SENTENCE.split(description) for match in [pattern.search(one)] if match)
    return any(values.search(one.string, one.end(), one.end() + _NEAR) for one in found)


def _has_default(parameter: ParameterDefinition) -> bool:
    """Return whether a default shows what a value looks like; `None` and `""` do not."""
    default = parameter.python.default if parameter.python is not None else None
    if default is not None:
        return not (isinstance(default, ast.Constant) and default.value in (None, "", ...))
    return (parameter.schema or {}).get("default") not in (None, "")


def _kinds_of(parameter: ParameterDefinition) -> set[str]:
    """Return what the values of a parameter can be: `scalar`, `text`, `structure`, `clear`, or `unknown`."""
    if parameter.schema is not None:
        return _kinds_in_schema(parameter.schema)
    if parameter.python is None:
        return {"unknown", "text"}
    annotation = parameter.python.node.annotation
    return {"structure", "unknown"} if annotation is None else _kinds_in(annotation)


def _kinds_in_schema(schema: Mapping[str, Any]) -> set[str]:
    if any(key in schema for key in ("$ref", "enum", "const", "pattern", "format")):
        return {"clear"}
    for key in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            return {kind for one in branches if isinstance(one, Mapping) for kind in _kinds_in_schema(one)}
    types = schema.get("type")
    found: set[str] = set()
    for one in types if isinstance(types, list) else [types]:
        found |= _kinds_of_type(str(one), schema)
    return found


def _kinds_of_type(name: str, schema: Mapping[str, Any]) -> set[str]:
    match name:
        case "string":
            return {"scalar", "text"}
        case "integer" | "number":
            return {"scalar"}
        case "array":
            items = schema.get("items")
            return _kinds_in_schema(items) if isinstance(items, Mapping) else {"structure"}
        case "object":
            return {"clear"} if schema.get("properties") else {"structure"}
        case "None":
            return {"structure", "unknown"}
    return {"clear"}


def _kinds_in(annotation: ast.expr) -> set[str]:
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _kinds_in(left) | _kinds_in(right)
        case ast.Subscript(value=outer, slice=inner):
            return _kinds_in_parts(last_name(outer), inner)
    name = last_name(annotation)
    if name in _STRUCTURED:
        return {"structure"}
    return {"scalar", *(["text"] if name == "str" else [])} if name in _TEXTS_AND_NUMBERS else {"clear"}


def _kinds_in_parts(outer: str, inner: ast.expr) -> set[str]:
    """Return what the values of a type with parameters can be, such as `list[str]` and `Optional[int]`."""
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if outer == "Annotated":
        return _kinds_in(parts[0])
    if outer in _LISTS | _UNIONS:
        return {kind for part in parts for kind in _kinds_in(part)} - {"clear"} or {"clear"}
    return {"structure"} if outer in _STRUCTURED else {"clear"}
