"""TK402: a tool returns something that cannot be sent to a model."""

import ast
from collections.abc import Iterator

from toolkit.codes import UNSERIALISABLE_RETURN
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction

_UNFIT = {
    "Callable": "a function", "TextIO": "an open file", "BinaryIO": "an open file", "IO": "an open file",
    "TextIOWrapper": "an open file", "Thread": "a thread", "Popen": "a running process", "Lock": "a lock",
    "Connection": "a connection", "Cursor": "a cursor", "socket": "a socket", "Response": "a response",
    "ModuleType": "a module", "Task": "a task", "Future": "a future", "Awaitable": "a coroutine",
    "Coroutine": "a coroutine", "AsyncGenerator": "an async generator", "AsyncIterator": "an async iterator",
}  # fmt: skip


class UnserialisableReturn(Rule):
    '''A tool returns something that cannot be written as JSON.

    ## Why

    What a tool returns is sent to the model as text: plain data, dataclasses, pydantic models, dates and paths can be
    written as JSON. An open file, a connection, a coroutine or a function cannot. The tool does its work, and then
    always fails, after the effect.

    ## Example

    ```python
    from typing import TextIO

    from toolkit import tool


    @tool(read_only=True)
    def report(month: str) -> TextIO:
        """Return the report of a month."""
        return open(f"{month}.txt")
    ```

    ## Instead

    ```python
    from pathlib import Path

    from toolkit import tool


    @tool(read_only=True)
    def report(month: str) -> str:
        """Return the report of a month."""
        return Path(f"{month}.txt").read_text()
    ```

    ## Source

    - MCP 2025-11-25, [Tools](https://modelcontextprotocol.io/specification/2025-11-25/server/tools): a result is text, images,
      resources and structured JSON (checked 2026-11-22)
    '''

    code = UNSERIALISABLE_RETURN
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if function.written is not None:
            return  # other frameworks accept other results, such as images, their own models and generators
        hint = "return plain data: text, numbers, lists, dicts, a dataclass or a model"
        returns = function.node.returns
        if what := None if returns is None else _unfit(function, returns):
            assert returns is not None  # only an annotation can be unfit
            message = f"tool {function.tool_name!r} returns {what}, which cannot be written as JSON"
            yield self.problem(message, function.file.location(returns), hint=hint)
            return
        for node in function.own_nodes:
            if isinstance(node, ast.Yield | ast.YieldFrom) and function.is_async:
                message = f"tool {function.tool_name!r} is an async generator, which cannot be written as JSON"
                yield self.problem(message, function.location, hint="collect what it yields in a list, and return that")
                return
            if isinstance(node, ast.Return) and (what := _unfit_value(function, node.value)):
                message = f"tool {function.tool_name!r} returns {what}, which cannot be written as JSON"
                yield self.problem(message, function.file.location(node), hint=hint)


def _unfit(function: PythonFunction, annotation: ast.expr) -> str | None:
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    meaning = function.file.meaning(annotation) or ""
    module, _, name = meaning.rpartition(".")
    return _UNFIT.get(name) if module and module.partition(".")[0] in _MODULES else None


_MODULES = {
    "typing", "collections", "io", "threading", "subprocess", "sqlite3", "socket", "requests", "httpx", "types",
    "asyncio", "multiprocessing", "concurrent",
}  # fmt: skip


def _unfit_value(function: PythonFunction, value: ast.expr | None) -> str | None:
    match value:
        case ast.Lambda():
            return "a function"
        case ast.Call(func=ast.Name(id="open")) if "open" not in function.file.imported_names:
            return "an open file"
    return None
