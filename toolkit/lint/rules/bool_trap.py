"""TK311: boolean parameters that stand for one choice."""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from toolkit.codes import BOOL_TRAP
from toolkit.lint.definitions.tool_definitions import ParameterDefinition, ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction

_ALTERNATIVE = re.compile(r"(?:(?:sort|order)_)?(?:by|as)_")
_NEGATION = re.compile(r"(?:no|not|dont|disable|without|exclude)_")
_POSITIVE = re.compile(r"(?:enable|with|include|use)_")
_EXCLUDING = re.compile(
    r"\b(?:cannot|can't|can not|not both|only one of|exclusive|instead of|incompatible|conflicts?)\b", re.IGNORECASE
)


class BoolTrap(Rule):
    '''Boolean parameters exclude one another, or there are more than `max-booleans` of them.

    ## Why

    Each boolean doubles the number of possible calls. If booleans exclude one another, most combinations make no sense,
    and a model that has to set three of them guesses. Use one parameter with named values instead.

    Parameters count as exclusive if their names show it (`by_size` and `by_date`, `color` and `no_color`), if the
    description of one mentions the other (`cannot be used with deep`), or if the function rejects both together.

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
    - the threshold is this project's choice
    '''

    code = BOOL_TRAP
    default = False
    severity = "info"
    limits = {"max-booleans": 5}

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        booleans = {parameter.name: parameter for parameter in tool.parameters if _is_boolean(parameter)}
        chosen = list(dict.fromkeys(name for pair in _excluding(tool, booleans) for name in pair))
        if chosen:
            message = f"{_quoted(chosen)} of tool {tool.name!r} are booleans that exclude one another"
            hint = "use one parameter with named values: Literal['size', 'date']"
            yield self.problem(message, booleans[chosen[0]].location, hint=hint)
        elif len(booleans) > self.limit("max-booleans"):
            message = f"tool {tool.name!r} has {len(booleans)} boolean parameters: {_quoted(booleans)}"
            hint = "replace related ones with a list of named values: list[Literal['images', 'links']]"
            yield self.problem(message, next(iter(booleans.values())).location, hint=hint)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _excluding(tool: ToolDefinition, booleans: Mapping[str, ParameterDefinition]) -> Iterator[tuple[str, str]]:
    """Yield each pair of parameters that exclude one another."""
    refused = set(_refused_pairs(tool.function, set(booleans))) if tool.function is not None else set()
    for one, other in combinations(booleans, 2):
        is_excluded = _rules_out(booleans[one], other) or _rules_out(booleans[other], one)
        if (
            is_excluded
            or _are_alternatives(one, other)
            or _are_opposite(one, other)
            or frozenset((one, other)) in refused
        ):
            yield one, other


def _are_alternatives(one: str, other: str) -> bool:
    """Whether two names are alternatives of one choice: `by_size` and `by_date`."""
    first, second = _ALTERNATIVE.match(one), _ALTERNATIVE.match(other)
    return first is not None and second is not None and first[0] == second[0]


def _are_opposite(one: str, other: str) -> bool:
    """Whether one name is the opposite of the other: `color` and `no_color`, `enable_cache` and `disable_cache`."""
    return any(
        _NEGATION.match(first) is not None
        and _NEGATION.sub("", first, count=1) in {second, _POSITIVE.sub("", second, count=1)}
        for first, second in ((one, other), (other, one))
    )


def _rules_out(parameter: ParameterDefinition, other: str) -> bool:
    """Whether the description of a parameter says that it cannot be combined with the other one."""
    text = parameter.description or ""
    return bool(re.search(rf"\b{re.escape(other)}\b", text)) and _EXCLUDING.search(text) is not None


def _refused_pairs(function: PythonFunction, names: set[str]) -> Iterator[frozenset[str]]:
    """Yield the pairs of parameters that a function rejects together: `if a and b: raise …`."""
    for node in function.own_nodes:
        match node:
            case ast.If(
                test=ast.BoolOp(op=ast.And(), values=[ast.Name(id=first), ast.Name(id=second)]), body=[only]
            ) if {first, second} <= names and _refuses(only):
                yield frozenset((first, second))


def _refuses(statement: ast.stmt) -> bool:
    """Whether a statement ends the call, or calls a function that may, such as `fail("…")`."""
    return isinstance(statement, ast.Raise | ast.Return) or (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    )


def _is_boolean(parameter: ParameterDefinition) -> bool:
    if parameter.schema is not None:
        return parameter.schema.get("type") == "boolean"
    annotation = parameter.python.node.annotation if parameter.python is not None else None
    return getattr(annotation, "id", None) == "bool"
