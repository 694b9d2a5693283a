"""TK405: a coroutine that is never awaited, or an event loop inside the running one."""

import ast
from collections.abc import Iterator
from functools import lru_cache

from toolkit.codes import UNAWAITED
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_files import PythonFile
from toolkit.source_code.python_functions import PythonFunction

_COROUTINES = {
    "asyncio.sleep",
    "asyncio.wait_for",
    "asyncio.to_thread",
    "asyncio.wait",
    "asyncio.open_connection",
    "anyio.sleep",
}
_RUNNING = {"asyncio.run", "anyio.run", "trio.run"}


class Unawaited(Rule):
    '''A tool calls a coroutine function without awaiting it, or starts an event loop inside the running one.

    ## Why

    A coroutine that is not awaited does nothing: the mail is never sent, although the tool says that it was.
    `asyncio.run` in an `async` tool raises an error each time, because a loop is already running.

    ## Example

    ```python
    from toolkit import tool


    async def deliver(text: str) -> None:
        print(text)


    @tool(destructive=True)
    async def send(text: str) -> str:
        """Send a message to the office."""
        deliver(text)
        return "sent"
    ```

    ## Instead

    ```python
    from toolkit import tool


    async def deliver(text: str) -> None:
        print(text)


    @tool(destructive=True)
    async def send(text: str) -> str:
        """Send a message to the office."""
        await deliver(text)
        return "sent"
    ```

    ## Source

    - Python, [Detect never-awaited coroutines](https://docs.python.org/3/library/asyncio-dev.html#detect-never-awaited-coroutines)
      (checked 2026-11-22)
    '''

    code = UNAWAITED
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        own, without_loop = _coroutine_functions(function), set(_without_loop(function))
        for node in function.own_nodes:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                meaning = function.file.meaning(node.value.func)
                if meaning in _COROUTINES | own:
                    message = f"tool {function.tool_name!r} calls the coroutine function '{meaning}' without awaiting it, so nothing happens"
                    hint = (
                        f"write 'await {meaning}(…)'"
                        if function.is_async
                        else "make the tool 'async def', and await it"
                    )
                    yield self.problem(message, function.file.location(node.value), hint=hint)
            is_reached = function.is_async and node not in without_loop
            if isinstance(node, ast.Call) and is_reached and function.file.meaning(node.func) in _RUNNING:
                message = f"the async tool {function.tool_name!r} starts an event loop inside the running one"
                yield self.problem(message, function.file.location(node), hint="await the coroutine instead")


def _without_loop(function: PythonFunction) -> Iterator[ast.AST]:
    """Yield the nodes that only run where no event loop does: those after a failed `asyncio.get_running_loop()`."""
    for node in function.own_nodes:
        if isinstance(node, ast.Try) and any(_asks_for_loop(function, one) for one in node.body):
            for handler in node.handlers:
                yield from (inner for statement in handler.body for inner in ast.walk(statement))


def _asks_for_loop(function: PythonFunction, statement: ast.stmt) -> bool:
    calls = (one.func for one in ast.walk(statement) if isinstance(one, ast.Call))
    return any(function.file.meaning(one) == "asyncio.get_running_loop" for one in calls)


def _coroutine_functions(function: PythonFunction) -> frozenset[str]:
    """Return the names of the file's own coroutine functions, as the body would call them."""
    found = _coroutine_functions_of(function.file)
    methods = function.owner.body if function.owner is not None else []
    of_self = {f"self.{node.name}" for node in methods if isinstance(node, ast.AsyncFunctionDef)}
    if not found:
        return frozenset(of_self)
    given = {node.id for node in function.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    given |= {node.name for node in function.nodes if isinstance(node, ast.FunctionDef)}
    return (found - given - {parameter.name for parameter in function.all_parameters}) | of_self


@lru_cache(maxsize=4)
def _coroutine_functions_of(file: PythonFile) -> frozenset[str]:
    nodes = file.tree.body
    plain = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return frozenset({node.name for node in nodes if isinstance(node, ast.AsyncFunctionDef)} - plain)
