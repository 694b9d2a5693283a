"""TK403: a tool without a return type."""

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from toolkit.codes import MISSING_RETURN_TYPE
from toolkit.dialects.deferring import called_by_code
from toolkit.lint.clues.returned_types import annotation_hint
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class MissingReturnType(Rule):
    '''A tool does not say what it returns.

    ## Why

    The return type becomes the output schema. MCP clients check results against it, and a pipeline knows what the
    next step receives before anything runs. If code calls the tool, as the key `allowed_callers` in its `metadata` allows,
    whoever writes this code needs to know its members too: a bare `dict` or `list` is then reported as well.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str):
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"
    ```

    ## Source

    - MCP 2025-11-25, [Output schema](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema)
      (checked 2026-11-22)
    '''

    code = MISSING_RETURN_TYPE

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        spec = tool.spec
        if spec is None or not called_by_code(spec) or _says_members(spec.output_schema):
            return
        if tool.function is None or tool.function.node.returns is not None:  # otherwise reported for any tool
            message = f"code can call {tool.name!r}, but nothing says what the result contains"
            yield self.problem(
                message, tool.location, hint="return a TypedDict, a dataclass or a model, or list[…] of one"
            )

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        has_envelope = function.written is not None and function.written.marks.demands.envelope
        is_foreign = has_envelope or function.takes_call or _is_wrapper(function)
        if function.node.returns is None and not is_foreign:
            message = f"tool {function.tool_name!r} does not say what it returns"
            yield self.problem(message, function.location, hint=annotation_hint(function))


def _says_members(output: Mapping[str, Any] | None) -> bool:
    """Return whether a schema says more about an object, or about the items of an array, than its type."""
    if not output:
        return False
    if output.get("type") == "array":
        items = output.get("items")
        return isinstance(items, Mapping) and _says_members(items)
    others = output.get("additionalProperties")
    says_others = isinstance(others, Mapping) and bool(others)
    return output.get("type") != "object" or bool(output.get("properties")) or says_others


def _is_wrapper(function: PythonFunction) -> bool:
    """Whether a function is a wrapper made with `functools.wraps`, whose types are those of the wrapped function."""
    decorators = (one for one in function.node.decorator_list if isinstance(one, ast.Call))
    return any(function.file.meaning(one.func) == "functools.wraps" for one in decorators)
