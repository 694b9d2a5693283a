"""TK711: a coroutine function is passed where a plain function is expected."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolkit.codes import COROUTINE_AS_PLAIN_FUNCTION
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction

if TYPE_CHECKING:
    from toolkit.source_code.written_tools import WrittenTool


class CoroutineAsPlainFunction(Rule):
    '''A coroutine function is passed where a plain function is expected.

    ## Why

    The framework calls the function without awaiting it, so the model receives the text of a coroutine object, and the
    body of the function never runs.

    ## Example

    ```python
    from langchain_core.tools import StructuredTool


    async def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"


    weather = StructuredTool.from_function(forecast)
    ```

    ## Instead

    ```python
    from langchain_core.tools import StructuredTool


    async def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city."""
        return f"sun in {city}"


    weather = StructuredTool.from_function(coroutine=forecast)
    ```

    ## Source

    - langchain-core 1.7.2, run: `invoke` returns "<coroutine object forecast …>" (checked 2026-11-22), and `Tool` without `func` is
      refused, while `tool(forecast)` awaits it (checked 2026-11-28)
    '''

    code = COROUTINE_AS_PLAIN_FUNCTION
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool, mark = function.written, function.mark
        if tool is None or mark is None or not function.is_async or _is_mark(tool):
            return
        given = tool.argument(tool.demands.plain) if tool.demands.plain else None
        if (
            given is not None
            and tool.argument(("coroutine",)) is None
            and function.file.meaning(given) == function.name
        ):
            message = f"{function.name!r} is a coroutine function, and {tool.marks.title} does not await it here"
            hint = f"write {_required(function, mark)}coroutine={function.name}"
            yield self.problem(message, function.file.location(given), hint=hint)


def _is_mark(tool: "WrittenTool") -> bool:
    """Return whether a decorator makes a tool, also one that is called: LangChain's `tool(find)` finds coroutines."""
    return tool.kind == "decorator" or (tool.registration is not None and tool.registration.way == "mark")


def _required(function: PythonFunction, mark: ast.expr) -> str:
    """Return the other argument that a call needs: LangChain's `Tool` requires `func`, which may be `None`."""
    called = function.file.meaning(mark.func) if isinstance(mark, ast.Call) else None
    return "func=None, " if called is not None and "Tool" in called.split(".") else ""
