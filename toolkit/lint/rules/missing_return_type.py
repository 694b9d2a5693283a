"""TK403: a tool without a return type."""

import ast
from collections.abc import Iterator

from toolkit.codes import MISSING_RETURN_TYPE
from toolkit.lint.clues.returned_types import annotation_hint
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class MissingReturnType(Rule):
    '''A tool does not say what it returns.

    ## Why

    The return type becomes the output schema. MCP clients check results against it, and a pipeline knows what the
    next step receives before anything runs.

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

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        has_envelope = function.written is not None and function.written.marks.demands.envelope
        is_foreign = has_envelope or function.takes_call or _is_wrapper(function)
        if function.node.returns is None and not is_foreign:
            message = f"tool {function.tool_name!r} does not say what it returns"
            yield self.problem(message, function.location, hint=annotation_hint(function))


def _is_wrapper(function: PythonFunction) -> bool:
    """Whether a function is a wrapper made with `functools.wraps`, whose types are those of the wrapped function."""
    decorators = (one for one in function.node.decorator_list if isinstance(one, ast.Call))
    return any(function.file.meaning(one.func) == "functools.wraps" for one in decorators)
