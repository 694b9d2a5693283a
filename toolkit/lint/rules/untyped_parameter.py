"""TK301: a parameter without a meaningful type."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.codes import UNTYPED_PARAMETER
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.schemas.keywords import holders_about
from toolkit.schemas.places import REFERENCES, types_of
from toolkit.source_code.python_sources import PythonSource

_ANYTHING = {"Any", "typing.Any", "typing_extensions.Any", "object"}
_BARE = {"dict": "dict[str, str]", "list": "list[str]", "typing.Dict": "dict[str, str]", "typing.List": "list[str]"}
_ELSEWHERE = holders_about("itself").union(REFERENCES, ("enum", "const"))
"""Keywords that describe a value without a type: branches, references and allowed values."""
_ITEMS, _MEMBERS = holders_about("item"), holders_about("member")


class UntypedParameter(Rule):
    '''A parameter has no type, or one that allows anything: `Any`, `object`, a bare `dict` or `list`.

    ## Why

    The type tells a model the form of a value, and its answer is checked against it. Without a type, `"5"`, `5` and
    `{"value": 5}` all reach the function. Strict modes refuse such a parameter.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def remind(when, tags: list) -> str:
        """Remind somebody of something.

        Args:
            when: The day, as `2026-05-17`.
            tags: What it is about.
        """
        return f"{when}: {tags}"
    ```

    ## Instead

    ```python
    from datetime import date

    from toolkit import tool


    @tool
    def remind(when: date, tags: list[str]) -> str:
        """Remind somebody of something.

        Args:
            when: The day, as `2026-05-17`.
            tags: What it is about.
        """
        return f"{when}: {tags}"
    ```

    ## Source

    - OpenAI, [Structured outputs](https://platform.openai.com/docs/guides/structured-outputs): every schema must have a
      type, and arrays typed items (checked 2026-11-21)
    '''

    code = UNTYPED_PARAMETER

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        for parameter in tool.parameters:
            if parameter.python is not None and tool.function is not None:
                found = _in_python(parameter, tool.function.file)
            elif tool.origin == "json" and parameter.schema is not None:
                found = _in_schema(parameter.schema, parameter.name)
            else:
                found = None
            if found is not None:
                what, hint = found
                message = f"parameter {parameter.name!r} of {tool.name!r} {what}"
                yield self.problem(message, parameter.location or tool.location, hint=hint)


_Found = tuple[str, str] | None


def _in_python(parameter: ParameterDefinition, file: PythonSource) -> _Found:
    """Check the annotation, as far as the parameter itself shows it."""
    annotation = parameter.python and parameter.python.node.annotation
    if annotation is None:
        return "has no type", f"annotate it: {parameter.name}: str"
    bare = _unwrapped(annotation, file)
    meaning = file.meaning(bare)
    if meaning in _ANYTHING:
        return f"accepts anything: its type is {file.segment(bare)!r}", "write the types that it accepts"
    if meaning in _BARE:
        return (
            f"is a bare {file.segment(bare)!r}, without the type of its items",
            f"write {_BARE[meaning]}, or what it is",
        )
    return None


def _unwrapped(annotation: ast.expr, file: PythonSource) -> ast.expr:
    """Return the type inside `Annotated`, `Optional` and `… | None`."""
    match annotation:
        case ast.Subscript(value=outer, slice=inner):
            name = file.short_name(outer)
            if name == "Annotated" and isinstance(inner, ast.Tuple) and inner.elts:
                return _unwrapped(inner.elts[0], file)
            if name == "Optional":
                return _unwrapped(inner, file)
        case ast.BinOp(left=left, op=ast.BitOr(), right=ast.Constant(value=None)):
            return _unwrapped(left, file)
        case ast.BinOp(left=ast.Constant(value=None), op=ast.BitOr(), right=right):
            return _unwrapped(right, file)
    return annotation


def _in_schema(schema: Mapping[str, Any], name: str) -> _Found:
    keywords, types = schema.keys(), types_of(schema)
    is_described = not _ELSEWHERE.isdisjoint(keywords)
    if not types:
        return (
            None
            if is_described or "type" in keywords
            else ("has no type", f'write "{name}": {{"type": "string"}}, or what it is')
        )
    if types == ("array",) and _ITEMS.isdisjoint(keywords):
        return "is an array without the type of its items", 'add "items": {"type": …}'
    if types == ("object",) and _MEMBERS.isdisjoint(keywords) and not is_described:
        return "is an object without properties", 'add "properties", or "additionalProperties"'
    return None
