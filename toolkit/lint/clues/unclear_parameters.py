"""Finds out whether a model can choose the value of a parameter that nobody describes."""

import ast
import re
from collections.abc import Mapping
from typing import Any

from toolkit.lint.clues.mocks import is_called_simulation
from toolkit.lint.clues.parameter_uses import Uses, uses_of
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of

_CHOICES = frozenset(
    {"action", "direction", "format", "interval", "kind", "level", "method", "metric", "mode", "op", "operation",
     "order", "period", "priority", "severity", "sort", "state", "status", "strategy", "type", "unit", "visibility"}
)  # fmt: skip
"""Words for one of several fixed values."""

_FORMS = frozenset(
    {"bbox", "color", "colour", "condition", "coordinate", "date", "datetime", "deadline", "filter", "range",
     "schedule", "time", "timestamp", "where"}
)  # fmt: skip
"""Words for texts in a format or a notation that the word leaves open."""

_MEASURES = frozenset(
    {"angle", "delay", "distance", "duration", "height", "interval", "level", "percent", "percentage", "period",
     "priority", "rate", "ratio", "score", "speed", "temperature", "threshold", "time", "timeout", "volume", "weight"}
)  # fmt: skip
"""Words for numbers in a unit or on a scale that the word leaves open."""

_PARTS = frozenset(
    {"arg", "argument", "config", "configuration", "json", "option", "param", "payload", "schema", "setting", "spec"}
)  # fmt: skip
"""Words for values with parts, if they are passed as texts."""

_FREE = frozenset(
    {"annotation", "attribute", "context", "data", "env", "environment", "extra", "header", "input", "label", "meta",
     "metadata", "property", "result", "source", "state", "tag", "value", "variable"}
)  # fmt: skip
"""Words for objects that are passed on as they are, with any keys."""

_OPEN = frozenset(
    {"airport", "city", "content", "country", "currency", "customer", "destination", "email", "file", "filename", "id",
     "language", "location", "message", "name", "origin", "password", "path", "place", "product", "query", "question",
     "symbol", "text", "ticker", "title", "topic", "url", "user", "username", "value"}
)  # fmt: skip
"""Words for values of which code that compares them knows only a few."""

_ORDERS = {"group", "order", "rank", "sort"}
_INVENTED = {"idempotency", "nonce"}
_LIMITS_OF_PERIODS = {"after", "before", "begin", "end", "from", "since", "start", "to", "until"}
_LISTS = frozenset({"Iterable", "List", "Sequence", "Set", "Tuple", "frozenset", "list", "set", "tuple"})
_STRUCTURED = {"Dict", "Mapping", "MutableMapping", "dict"}
_ANYTHING = _LISTS | {"Any", "object"}
_UNIONS = {"Optional", "Required", "Union"}
_MISSING = object()
_LONG_ENOUGH = 20
_TEXTS_AND_NUMBERS = {"Decimal", "float", "int", "str"}
_VALUES = re.compile(r"[\"'`:=(|/]|\d")
_KEYS = re.compile(r"[\"'`{:]")
_NEAR = 60
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_FEWEST_CHOICES = 2


def is_unclear(tool: ToolDefinition, parameter: ParameterDefinition) -> bool:
    """Return whether a model can only guess what to pass for a parameter without a description.

    It can only guess what the code expects but nobody tells: texts with which the code compares a value, keys that it
    reads, and formats that it parses. Where the code passes the value on, the name has to decide: a required `mode`,
    `date` or `duration` leaves open what is meant, whereas names such as `city`, `owner` or `n` say enough. If a
    docstring describes the parameter but is not sent, somebody found that a description is needed.

    Args:
        tool: The tool.
        parameter: A parameter without a description.
    """
    function, kinds = tool.function, kinds_of(parameter, tool.function)
    if function is not None and parameter.name in function.docstring.parameters:
        return True
    if not kinds & {"scalar", "structure", "unknown"}:
        return False
    if function is None or all(one.name != parameter.name for one in function.all_parameters):
        return not is_told(tool, parameter, kinds) and _needs_words(tool, parameter, kinds, Uses(is_passed_on=True))
    uses = uses_of(function, parameter.name)
    if not uses.has_effect or is_called_simulation(function):
        return False
    if kinds & {"text", "unknown"} and has_untold_choices(tool, parameter, uses):
        return True
    if is_told(tool, parameter, kinds):
        return False
    return _expects_form(uses, kinds) or _needs_words(tool, parameter, kinds, uses)


def _expects_form(uses: Uses, kinds: set[str]) -> bool:
    """Return whether code reads keys that nobody tells, or parses a text."""
    if uses.keys and kinds & {"structure", "unknown"}:
        return True
    return uses.is_parsed and "text" in kinds


def _needs_words(tool: ToolDefinition, parameter: ParameterDefinition, kinds: set[str], uses: Uses) -> bool:
    """Return whether the name of a parameter that is passed on leaves open which values are meant."""
    words = _words_of(parameter)
    last, default = words[-1], default_of(parameter)
    if "structure" in kinds:
        return not uses.is_free and _FREE.isdisjoint(words) and not _shows(default)
    if not _INVENTED.isdisjoint(words):
        return not _shows(default)
    if not uses.is_passed_on and "text" in kinds:
        return False  # the code shows whatever it expects, which is nothing
    if default is not _MISSING or not parameter.is_required or _is_only_one(tool):
        return False
    if "text" in kinds:
        if last == "date" and not _LIMITS_OF_PERIODS.isdisjoint(words):
            return False  # models write both dates as ISO 8601 does
        is_order = last == "by" and not _ORDERS.isdisjoint(words)
        return is_order or last in _CHOICES | _FORMS | _PARTS or parameter.name == "keys"
    return "scalar" in kinds and last in _MEASURES


def has_untold_choices(tool: ToolDefinition, parameter: ParameterDefinition, uses: Uses) -> bool:
    """Return whether code knows several values of a parameter, of which the texts for the model name less than half."""
    words, default = _words_of(parameter), default_of(parameter)
    choices = {one.strip().lower() for one in uses.choices}
    given = default.strip().lower() if isinstance(default, str) else ""
    if words[-1] in _OPEN or len(choices | ({given} - {""})) < _FEWEST_CHOICES:
        return False
    texts = "\n".join(texts_about(tool, parameter)).lower()
    told = {one for one in choices if re.search(rf"(?<![a-z0-9]){re.escape(one)}(?![a-z0-9])", texts)}
    return 2 * len(told) < len(choices - {given})


def is_told(tool: ToolDefinition, parameter: ParameterDefinition, kinds: set[str]) -> bool:
    """Return whether a text that the model receives says what a value looks like."""
    values = _KEYS if "structure" in kinds else _VALUES
    return any(_is_stated(text, _words_of(parameter)[-1], values) for text in texts_about(tool, parameter)[:1]) or any(
        re.search(rf"\b{re.escape(parameter.name)}\b", text) for text in texts_about(tool, parameter)[1:]
    )


def texts_about(tool: ToolDefinition, parameter: ParameterDefinition) -> list[str]:
    """Return the description of a tool, and the prompts in its file that speak of the tool or the parameter."""
    found = [tool.description or ""]
    if tool.function is not None:
        names = [tool.name, *([parameter.name] if "_" in parameter.name else [])]
        pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names if name))
        found += [text for text in tool.function.file.prompts if pattern.search(text)]
    return found


def _is_only_one(tool: ToolDefinition) -> bool:
    """Return whether the description of a tool is about its only parameter."""
    return len(tool.parameters) == 1 and len(tool.description or "") >= _LONG_ENOUGH


def _words_of(parameter: ParameterDefinition) -> list[str]:
    return [word if word.endswith("ss") else word.removesuffix("s") for word in words_of(parameter.name)] or [""]


def _is_stated(description: str, word: str, values: re.Pattern[str]) -> bool:
    """Return whether a description has a word and, soon after it in the same sentence, what values look like."""
    pattern = re.compile(rf"(?<![a-z]){re.escape(word)}(?:s|es)?(?![a-z])", re.IGNORECASE)
    found = (match for one in _SENTENCE.split(description) for match in [pattern.search(one)] if match)
    return any(values.search(one.string, one.end(), one.end() + _NEAR) for one in found)


def default_of(parameter: ParameterDefinition) -> object:
    """Return the default of a parameter: `_MISSING` if it has none, None if it is unknown."""
    default = parameter.python.default if parameter.python is not None else None
    if default is not None:
        value = default.value if isinstance(default, ast.Constant) else None
        return _MISSING if value is ... else value
    return (parameter.schema or {}).get("default", _MISSING)


def _shows(default: object) -> bool:
    """Return whether a default shows what a value looks like; `None` and `""` do not."""
    return default not in (_MISSING, None, "")


def kinds_of(parameter: ParameterDefinition, function: PythonFunction | None) -> set[str]:
    """Return what the values of a parameter can be: `scalar`, `text`, `structure`, `clear`, or `unknown`."""
    if parameter.schema is not None:
        return _kinds_in_schema(parameter.schema)
    python = parameter.python or _of_function(function, parameter.name)
    if python is None:
        return {"unknown", "text"}
    return {"unknown"} if python.node.annotation is None else _kinds_in(python.node.annotation)


def _of_function(function: PythonFunction | None, name: str) -> PythonParameter | None:
    """Return the parameter of a function whose schema, in a class, is not known."""
    return next((one for one in function.parameters if one.name == name), None) if function is not None else None


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
            return _kinds_in_schema(items) if isinstance(items, Mapping) else {"unknown"}
        case "object":
            return {"clear"} if schema.get("properties") else {"structure"}
        case "None":
            return {"unknown"}
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
    if name in _ANYTHING:
        return {"unknown"}
    return {"scalar", *(["text"] if name == "str" else [])} if name in _TEXTS_AND_NUMBERS else {"clear"}


def _kinds_in_parts(outer: str, inner: ast.expr) -> set[str]:
    """Return what the values of a type with parameters can be, such as `list[str]` and `Optional[int]`."""
    parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
    if outer == "Annotated":
        return _kinds_in(parts[0])
    if outer in _LISTS | _UNIONS:
        return {kind for part in parts for kind in _kinds_in(part)} - {"clear"} or {"clear"}
    return {"structure"} if outer in _STRUCTURED else {"clear"}
