"""TK408: a failure that looks like a success."""

import ast
import re
from collections.abc import Iterator

from toolkit.lint.effects import leading_text, own_nodes
from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

_BROAD = {"Exception", "BaseException"}
_FAILURE = re.compile(
    r"\b(?:error|errors|failed|failure|fail|could not|couldn't|cannot|can't|unable|exception|invalid)\b", re.IGNORECASE
)


class SwallowedError(Rule):
    '''A tool catches everything, and returns the failure as if it were a result.

    ## Why

    A result is a success: it is counted as one, `retry` does not try again, a pipeline goes on with `Error: …` as its data,
    and an MCP client is not told. An exception becomes a failed result by itself, with its message for the model.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def divide(a: float, b: float) -> str:
        """Divide a number by another one."""
        try:
            return str(a / b)
        except Exception as error:
            return f"Error: {error}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def divide(a: float, b: float) -> float:
        """Divide a number by another one."""
        return a / b
    ```

    ## Source

    - MCP 2025-11-25, [Error handling](https://modelcontextprotocol.io/specification/2025-11-25/server/tools#error-handling):
      failures of tools are reported with `isError` (checked 2026-11-22)
    '''

    code = "TK408"
    name = "swallowed-error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for handler in own_nodes(function):
            if not isinstance(handler, ast.ExceptHandler) or not _is_broad(handler.type):
                continue
            for statement in handler.body:
                if isinstance(statement, ast.Return) and _tells_failure(statement.value):
                    message = f"tool {function.tool_name!r} returns a failure as if it were a result"
                    hint = "let it be raised, raise ToolExecutionError, or return ToolResult.failure(…)"
                    yield self.problem(message, function.file.location(statement), hint=hint)


def _is_broad(kind: ast.expr | None) -> bool:
    return kind is None or (isinstance(kind, ast.Name) and kind.id in _BROAD)


def _tells_failure(value: ast.expr | None) -> bool:
    return value is not None and bool(_FAILURE.search(leading_text(value)))
