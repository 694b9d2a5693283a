"""TK311: parameters that are true or false, and stand for one choice."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from toolkit.codes import BOOL_TRAP
from toolkit.lint.definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.effects import own_nodes
from toolkit.lint.python_functions import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_WAYS = re.compile(r"(?:(?:sort|order)_)?(?:by|as)_")
_NEGATION = re.compile(r"(?:no|not|non|dont|disable|without|exclude)_")
_POSITIVE = re.compile(r"(?:enable|with|include|use)_")
_EXCLUDING = re.compile(
    r"\b(?:cannot|can't|can not|not both|only one of|exclusive|instead of|incompatible|conflicts?)\b", re.IGNORECASE
)


class BoolTrap(Rule):
    '''Parameters that are true or false exclude one another, or there are more than `max-booleans` of them.

    ## Why

    Each of them doubles the number of possible calls. Where they exclude one another, most of these combinations make no
    sense, and a model that must choose true or false three times guesses. Use one parameter whose values have names.

    Parameters exclude one another if their names show it (`by_size` and `by_date`, `color` and `no_color`), if the
    description of one names the other (`cannot be used with deep`), or if the function refuses both.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def list_files(folder: str, by_size: bool = False, by_date: bool = False, by_name: bool = True) -> str:
        """List the files of a folder in some order."""
        return f"{folder} {by_size} {by_date} {by_name}"
    ```

    ## Instead

    ```python
    from typing import Literal

    from toolkit import tool


    @tool
    def list_files(folder: str, order: Literal["size", "date", "name"] = "name") -> str:
        """List the files of a folder in some order."""
        return f"{folder} {order}"
    ```

    ## Source

    - Ruff, [boolean-type-hint-positional-argument](https://docs.astral.sh/ruff/rules/boolean-type-hint-positional-argument/)
      (checked 2026-11-22)
    - the figure is this project's own
    '''

    code = BOOL_TRAP
    severity = "info"
    limits = {"max-booleans": 5}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        booleans = {parameter.name: parameter for parameter in tool.parameters if _is_boolean(parameter)}
        chosen = list(dict.fromkeys(name for pair in _excluding(tool, booleans) for name in pair))
        if chosen:
            message = f"{_listed(chosen)} of tool {tool.name!r} are true or false, and exclude one another"
            hint = "take one parameter with named values: Literal['size', 'date']"
            yield self.problem(message, booleans[chosen[0]].location, hint=hint)
        elif len(booleans) > self.limit("max-booleans"):
            message = (
                f"tool {tool.name!r} has {len(booleans)} parameters that are only true or false: {_listed(booleans)}"
            )
            hint = "offer what belongs together as a list of named values: list[Literal['images', 'links']]"
            yield self.problem(message, next(iter(booleans.values())).location, hint=hint)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _excluding(tool: ToolDefinition, booleans: Mapping[str, ParameterDefinition]) -> Iterator[tuple[str, str]]:
    """Yield each pair of parameters of which something shows that they exclude one another."""
    refused = set(_refused_pairs(tool.function, set(booleans))) if tool.function is not None else set()
    for one, other in combinations(booleans, 2):
        is_said = _says(booleans[one], other) or _says(booleans[other], one)
        if is_said or _are_ways(one, other) or _are_opposite(one, other) or frozenset((one, other)) in refused:
            yield one, other


def _are_ways(one: str, other: str) -> bool:
    """Whether two names are ways to do the same: `by_size` and `by_date`."""
    first, second = _WAYS.match(one), _WAYS.match(other)
    return first is not None and second is not None and first[0] == second[0]


def _are_opposite(one: str, other: str) -> bool:
    """Whether one name is the opposite of the other: `color` and `no_color`, `enable_cache` and `disable_cache`."""
    return any(
        _NEGATION.match(first) is not None
        and _NEGATION.sub("", first, count=1) in {second, _POSITIVE.sub("", second, count=1)}
        for first, second in ((one, other), (other, one))
    )


def _says(parameter: ParameterDefinition, other: str) -> bool:
    """Whether the description of a parameter says that the other one excludes it."""
    text = parameter.description or ""
    return bool(re.search(rf"\b{re.escape(other)}\b", text)) and _EXCLUDING.search(text) is not None


def _refused_pairs(function: PythonFunction, names: set[str]) -> Iterator[frozenset[str]]:
    """Yield the pairs that a function tests together before anything else: `if a and b: raise …`."""
    for node in own_nodes(function):
        match node:
            case ast.If(
                test=ast.BoolOp(op=ast.And(), values=[ast.Name(id=first), ast.Name(id=second)]), body=[only]
            ) if {first, second} <= names and _refuses(only):
                yield frozenset((first, second))


def _refuses(statement: ast.stmt) -> bool:
    """Whether a statement ends the call, or calls what may end it, such as `fail("…")`."""
    return isinstance(statement, ast.Raise | ast.Return) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    )


def _is_boolean(parameter: ParameterDefinition) -> bool:
    if parameter.schema is not None:
        return parameter.schema.get("type") == "boolean"
    annotation = parameter.python.node.annotation if parameter.python is not None else None
    return getattr(annotation, "id", None) == "bool"
