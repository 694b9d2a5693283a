"""TK325: values that the code rejects although the schema allows them."""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from toolkit.codes import UNSTATED_CONSTRAINT
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.lint.rules.magic_string import choices_in
from toolkit.problems import Problem
from toolkit.schemas.keywords import is_number
from toolkit.source_code.constants import UnknownValueError
from toolkit.source_code.known_marks import marks_of
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource

_MOST_SHOWN = 60
_MOST_LISTED = 30
_REJECTION = re.compile(r"error|invalid|must|fail|unknown|unsupported|not supported|allowed", re.IGNORECASE)
_ACCEPTED: Mapping[type[ast.cmpop], str] = {ast.Lt: "ge", ast.LtE: "gt", ast.Gt: "le", ast.GtE: "lt"}
"""Which bound a comparison implies if values for which it is true are rejected."""
_NEGATED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.In: ast.NotIn,
}  # fmt: skip
_MIRRORED: Mapping[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip
_NUMBER = re.compile(r"(?<![\w.])(?P<number>-?\d[\d,]*(?:\.\d+)?) ?(?P<thousand>k(?![a-gi-z]))?", re.IGNORECASE)
_BOUNDS = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_LISTS = {"enum", "const", "pattern"}


class _Demand(NamedTuple):
    """What the code demands of a parameter: `ge`, `gt`, `le`, `lt` or `in`, and the bound or the list of values."""

    parameter: str
    kind: str
    value: Any


class _Check(NamedTuple):
    """A test that rejects values of a parameter, and what it demands."""

    test: ast.expr
    demands: tuple[_Demand, ...]


class UnstatedConstraint(Rule):
    '''The code rejects values that the schema allows.

    ## Why

    A model only sees the schema. If the code alone knows that `limit` must be between 1 and 100, or that `unit` must be
    `C` or `F`, the model finds out by failing. With `Literal` or `Field(ge=1, le=100)`, it sees which values are valid,
    strict modes enforce them, and others are rejected before the tool runs.

    The rule reports an `if` statement that raises an exception or returns an error because of a number that a parameter
    must not exceed, or strings of which it must be one. That a limit must be positive goes without saying. It is an
    `info` if a description that the model receives has the bounds, such as `from 1 to 10`.

    ## Example

    ```python
    from toolkit import tool


    @tool(read_only=True)
    def forecast(city: str, days: int) -> str:
        """Forecast the weather in a city for the next days."""
        if days < 1 or days > 10:
            raise ValueError("days must be between 1 and 10")
        return f"sun in {city} for {days} days"
    ```

    ## Instead

    ```python
    from typing import Annotated

    from pydantic import Field

    from toolkit import tool


    @tool(read_only=True)
    def forecast(city: str, days: Annotated[int, Field(ge=1, le=10)]) -> str:
        """Forecast the weather in a city for the next days."""
        return f"sun in {city} for {days} days"
    ```

    ## Source

    - OpenAI, [function calling](https://developers.openai.com/api/docs/guides/function-calling): "use enums and object
      structure to make invalid states unrepresentable" (checked 2026-11-22)
    '''

    code = UNSTATED_CONSTRAINT

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        if tool.function is None:
            return
        checks = _checks_in(tool.function)
        for parameter in tool.parameters:
            own = checks.get(parameter.python.name, []) if parameter.python else []
            demands = [demand for check in own for demand in check.demands]
            if any(map(_is_telling, demands)) and _allows_more(tool, parameter, demands):
                yield self._problem(tool, tool.function, parameter, own)

    def _problem(
        self, tool: ToolDefinition, function: PythonFunction, parameter: ParameterDefinition, checks: list[_Check]
    ) -> Problem:
        text = " ".join(function.file.segment(checks[0].test).split())
        shown = text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 1]}…"
        return self.problem(
            f"{tool.name!r} rejects values of {parameter.name!r} that its schema allows: '{shown}'",
            parameter.location or tool.location,
            hint=_hint(tool, [demand for check in checks for demand in check.demands]),
            severity="info" if _is_described(tool, parameter, checks) else self.severity,
            related=[(function.file.location(check.test), "rejected here") for check in checks],
        )


def _is_described(tool: ToolDefinition, parameter: ParameterDefinition, checks: list[_Check]) -> bool:
    """Whether a description that the model receives has all the bounds, such as 20 and 20000 as `20 Hz to 20 kHz`."""
    text = f"{tool.description or ''}\n{parameter.description or ''}"
    said = {
        float(found["number"].replace(",", "")) * (1000 if found["thousand"] else 1) for found in _NUMBER.finditer(text)
    }
    bounds = {demand.value for check in checks for demand in check.demands if demand.kind != "in"}
    return bool(bounds) and bounds <= said


def _checks_in(function: PythonFunction) -> dict[str, list[_Check]]:
    """Return the checks of each parameter that reject values."""
    names = {one.name for one in function.parameters}
    found: dict[str, list[_Check]] = {}
    for node in _always_reached(function.body):
        if _rejects(node, function.file):
            demands = _demands_in(node.test, function.file, names)
            for name in dict.fromkeys(one.parameter for one in demands):
                own = tuple(one for one in demands if one.parameter == name)
                found.setdefault(name, []).append(_Check(node.test, own))
    return found


def _always_reached(statements: list[ast.stmt]) -> Iterator[ast.If]:
    """Yield the `if` statements that do not depend on other parameters, only on whether their own one is given."""
    for statement in statements:
        match statement:
            case ast.If(test=ast.Name() | ast.Compare(ops=[ast.IsNot()])):
                yield from _always_reached(statement.body)
            case ast.If():
                yield statement
            case ast.Try() | ast.TryStar() | ast.With() | ast.AsyncWith():
                yield from _always_reached(statement.body)


def _is_telling(demand: _Demand) -> bool:
    """Whether a model may well choose another value; hardly any chooses a negative limit."""
    return demand.kind in ("in", "le", "lt") or demand.value > 1


def _rejects(node: ast.If, file: PythonSource) -> bool:
    """Whether the block raises an exception, or returns a text or a dict that says what is wrong."""
    if node.orelse:
        return False
    first = next((one for one in node.body if not isinstance(one, ast.Expr)), None)
    if isinstance(first, ast.Return):
        return first.value is not None and _REJECTION.search(file.segment(first.value)) is not None
    return isinstance(first, ast.Raise)


def _demands_in(test: ast.expr, file: PythonSource, names: set[str]) -> list[_Demand]:
    """Return what a value must satisfy so that a test is false; empty if the test is about something else as well."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return [demand for value in values for demand in _demands_in(value, file, names)]
        case ast.UnaryOp(op=ast.Not(), operand=ast.Compare() as inner):
            pairs = zip([inner.left, *inner.comparators], inner.ops, inner.comparators, strict=False)
            negated = [(left, _NEGATED.get(type(op)), right) for left, op, right in pairs]
            return [demand for left, op, right in negated if op for demand in _demand(left, op, right, file, names)]
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _demand(left, type(op), right, file, names)
    return []


def _demand(left: ast.expr, op: type[ast.cmpop], right: ast.expr, file: PythonSource, names: set[str]) -> list[_Demand]:
    if isinstance(right, ast.Name) and right.id in names and op in _MIRRORED:
        left, op, right = right, _MIRRORED[op], left
    if not (isinstance(left, ast.Name) and left.id in names):
        return []
    try:
        value = file.value(right)
    except UnknownValueError:
        return []
    if op is ast.NotIn and isinstance(value, list | tuple | set | frozenset) and value:
        if not all(isinstance(one, str) for one in value):
            return []
        return [_Demand(left.id, "in", sorted(value) if isinstance(value, set | frozenset) else [*value])]
    return [_Demand(left.id, _ACCEPTED[op], value)] if op in _ACCEPTED and is_number(value) else []


def _allows_more(tool: ToolDefinition, parameter: ParameterDefinition, demands: list[_Demand]) -> bool:
    """Whether the schema, as far as it is known, says nothing of what the code demands."""
    schema = parameter.schema if parameter.schema is not None else _shown_schema(tool, parameter)
    if schema is None:
        return False
    kinds, listed = _kinds_of(schema), [one for one in demands if one.kind == "in"]
    if listed:
        is_plain = kinds <= {"string", "null"} and "string" in kinds and not _mentions(schema, _LISTS)
        return is_plain and len(listed[0].value) <= _MOST_LISTED and not choices_in(parameter.description or "")
    return bool(kinds & {"integer", "number"}) and not _mentions(schema, _BOUNDS)


def _shown_schema(tool: ToolDefinition, parameter: ParameterDefinition) -> Mapping[str, Any] | None:
    if tool.function is None or parameter.python is None:
        return None
    return tool.function.file.shape(parameter.python.node.annotation, parameter.python.default).if_exact


def _branches(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    branches = schema.get("anyOf")
    return [schema, *(one for one in branches if isinstance(one, Mapping))] if isinstance(branches, list) else [schema]


def _kinds_of(schema: Mapping[str, Any]) -> set[str]:
    return {str(one["type"]) for one in _branches(schema) if "type" in one}


def _mentions(schema: Mapping[str, Any], keywords: set[str]) -> bool:
    return any(not keywords.isdisjoint(one) for one in _branches(schema))


def _hint(tool: ToolDefinition, demands: list[_Demand]) -> str:
    for demand in demands:
        if demand.kind == "in":
            return f"write the type as Literal[{', '.join(map(repr, demand.value))}]"
    marks = None if tool.framework is None else marks_of(tool.framework)
    if marks is not None and marks.demands.fields:  # the framework refuses them
        return "say in the docstring which values are valid"
    bounds = {demand.kind: demand.value for demand in demands}
    return f"write Annotated[…, Field({', '.join(f'{kind}={value}' for kind, value in bounds.items())})]"
