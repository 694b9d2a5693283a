"""TK408: a failure that is returned as a result."""

import ast
import re
from collections.abc import Collection, Iterator
from itertools import takewhile

from toolkit.codes import SWALLOWED_ERROR
from toolkit.lint.clues.effects import leading_text
from toolkit.lint.clues.guards import helpers_called
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity
from toolkit.source_code.meanings import Defined
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of
from toolkit.tools.foreign.source_marks import Terms

_BROAD = {"Exception", "BaseException"}
_FAILURE = re.compile(
    r"\b(?:error|errors|failed|failure|fail|could not|couldn't|cannot|can't|unable|exception|invalid)\b", re.IGNORECASE
)
_SUCCESS = re.compile(
    r"^\W*(?:ok|okay|success|successful|done)\W*$"
    r"|\b(?:successfully|success|(?:was|were|has been|have been) (?:sent|saved|stored|created|deleted|updated|written))\b",
    re.IGNORECASE,
)

_OUTCOMES = {"ok", "success", "_success"}
_OF_ERRORS = {"error", "errors", "exception", "failure"}
_RESULT_OR_ERROR = re.compile(r"\breturns?\b:?[^.]{0,200}?\b(?:error|failure)\b", re.IGNORECASE)


class SwallowedError(Rule):
    '''A tool catches all exceptions, and returns the failure as if it were a result.

    ## Why

    A result counts as a success: `retry` does not try again, a pipeline continues with `Error: …` as its data, and an
    MCP client does not see the failure. It is worse if the text says `Success`: then nobody notices the failure at all.
    An exception becomes a failed result automatically, with its message for the model.

    The rule reports `except Exception` and bare `except` blocks that return a string or a dict about a failure or a
    success, or assign it to a name that is returned. It also reports a success that is returned after a block that does
    nothing (`except Exception: pass`) or after `with suppress(Exception)`. In tools of other frameworks, such a block
    inside another one that reports all failures is not reported: only a step that may fail is in it. One that follows
    another call is not essential, since that call may have done the work.

    A tool of another framework whose docstring says that it returns errors, such as `Returns: The page, or an error
    message.`, is not reported, unless the framework serves it over MCP, where clients tell results and errors apart.
    Any other result of a tool of another framework that names the failure is an `info`, since the model reads it:
    `Error: …`, `"error": …`, `"success": False`. A success is a warning there, too, as is a dict with both
    `"success": True` and an error. The latter is not essential, since the model reads the error. The same applies to a
    class that is a tool by its attributes alone, in a file that imports nothing of this package.

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

    code = SWALLOWED_ERROR

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for statements in _blocks(function):
            for position, statement in enumerate(statements):
                behind = statements[position + 1 :]
                if isinstance(statement, ast.Try | ast.TryStar):
                    is_step = function.is_foreign and any(map(_does_more, statements[:position]))
                    yield from self._of_try(function, statement, behind, is_step=is_step)
                elif _suppresses(function, statement):
                    yield from self._behind(function, behind)

    def _of_try(
        self, function: PythonFunction, node: ast.Try | ast.TryStar, behind: list[ast.stmt], *, is_step: bool
    ) -> Iterator[Problem]:
        broad = [handler for handler in node.handlers if _is_broad(handler.type)]
        for handler in broad:
            for statement, value in _results_of(handler, behind):
                yield from self._report(function, statement, value, handler.name)
        if any(map(_does_nothing, broad)) and not (function.is_foreign and _is_inside_another(function, node)):
            yield from self._behind(function, behind, is_step=is_step)

    def _behind(
        self, function: PythonFunction, statements: list[ast.stmt], *, is_step: bool = False
    ) -> Iterator[Problem]:
        for statement in takewhile(lambda one: not _does_more(one), statements):
            if isinstance(statement, ast.Return) and _matches(_SUCCESS, statement.value):
                yield self._as_success(function, statement, is_minor=is_step)

    def _report(
        self,
        function: PythonFunction,
        statement: ast.Return | ast.Assign,
        value: ast.expr | None,
        error: str | None,
    ) -> Iterator[Problem]:
        if _is_failed_result(function, value) or _promises_errors(function):
            return
        says_why = isinstance(value, ast.JoinedStr) and _mentions(value, error)
        is_failure = (
            says_why
            or _matches(_FAILURE, value)
            or _describes_failure(value)
            or _calls_helper_for_errors(function, value)
        )
        if _claims_success(value) if is_failure else _matches(_SUCCESS, value):
            yield self._as_success(function, statement, is_minor=is_failure)
        elif is_failure:
            message = f"tool {function.tool_name!r} returns a failure as if it were a result"
            severity: Severity = "info" if function.is_foreign else self.severity
            yield self.problem(message, function.file.location(statement), hint=_hint(function), severity=severity)

    def _as_success(
        self, function: PythonFunction, statement: ast.Return | ast.Assign, *, is_minor: bool = False
    ) -> Problem:
        message = f"tool {function.tool_name!r} reports success after any exception"
        place = function.file.location(statement)
        return self.problem(message, place, hint=_hint(function), is_minor=is_minor)


def _mentions(value: ast.expr, error: str | None) -> bool:
    """Whether a text contains the exception, as in `f"Saved. (not sent: {error})"`, which a model can read."""
    return any(isinstance(one, ast.Name) and one.id == error for one in ast.walk(value))


_TIDYING = {
    "close", "aclose", "disconnect", "quit", "cleanup", "unlink", "remove", "print", "log", "debug", "info", "warning",
    "error", "exception",
}  # fmt: skip
"""The names of calls that log, or tidy up after the work."""


def _results_of(
    handler: ast.ExceptHandler, behind: list[ast.stmt]
) -> Iterator[tuple[ast.Return | ast.Assign, ast.expr | None]]:
    """Yield what a handler returns, or assigns to a name that is returned, with the statement that says so."""
    stored = [(one, one.targets[0]) for one in handler.body if isinstance(one, ast.Assign)]
    assigned = {target.id: one for one, target in stored if isinstance(target, ast.Name)}
    returned = [one for one in handler.body if isinstance(one, ast.Return)]
    if not any(isinstance(one, ast.Return | ast.Raise | ast.Continue | ast.Break) for one in handler.body):
        returned += _first_return(behind, assigned.keys())
    for statement in returned:
        if isinstance(statement.value, ast.Name) and (source := assigned.get(statement.value.id)):
            yield source, source.value
        elif statement in handler.body:
            yield statement, statement.value


def _first_return(statements: list[ast.stmt], names: Collection[str]) -> list[ast.Return]:
    """Return the first return statement, unless something before it raises an exception or assigns to a name."""
    for statement in statements:
        if isinstance(statement, ast.Return):
            return [statement]
        if any(isinstance(one, ast.Raise) or _stores(one, names) for one in ast.walk(statement)):
            return []
    return []


def _stores(node: ast.AST, names: Collection[str]) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names


def _is_failed_result(function: PythonFunction, value: ast.expr | None) -> bool:
    """Whether a value is the result of a failed call in the form that the tool's framework recognises."""
    if function.written is None or function.written.marks.terms.failed is None or not isinstance(value, ast.Dict):
        return False
    entries = {
        key.value: inner.value if isinstance(inner, ast.Constant) else None
        for key, inner in zip(value.keys, value.values, strict=True)
        if isinstance(key, ast.Constant)
    }
    return "content" in entries and function.written.marks.terms.failed in entries.items()


def _calls_helper_for_errors(function: PythonFunction, value: ast.expr | None) -> bool:
    """Whether a value is what a helper makes of an error, such as `return log_and_format_error(error)`.

    A helper that raises an exception, or that returns a result which the framework recognises as failed, is fine.
    """
    if isinstance(value, ast.Await):
        value = value.value
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id[:1].islower()):
        return False
    if not _OF_ERRORS.intersection(words_of(value.func.id)):
        return False
    helpers = helpers_called(function, function.file, value)
    return bool(helpers) and not any(map(_reports_failure, helpers))


def _reports_failure(helper: Defined) -> bool:
    for node in ast.walk(helper.node):
        match node:
            case ast.Raise() | ast.keyword(arg="isError" | "is_error"):
                return True
            case ast.Constant(value="isError" | "is_error" | "status"):
                return True
            case ast.Call(func=func) if "failure" in words_of(last_name(func)):
                return True
    return False


def _promises_errors(function: PythonFunction) -> bool:
    """Whether the docstring says that errors are results, for a framework in which a model reads both alike."""
    if function.written is None or function.written.marks.serves:
        return False
    text = ast.get_docstring(function.node) or ""
    return _RESULT_OR_ERROR.search(text) is not None


def _hint(function: PythonFunction) -> str:
    if function.written is not None:
        return function.written.marks.terms.failure
    if function.is_foreign:
        return Terms().failure
    return "let the exception propagate, raise ToolExecutionError, or return ToolResult.failure(…)"


def _blocks(function: PythonFunction) -> Iterator[list[ast.stmt]]:
    """Yield every list of statements in a body, without those of nested functions."""
    yield function.body
    for node in function.own_nodes:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield block


def _is_broad(kind: ast.expr | None) -> bool:
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(one is None or (isinstance(one, ast.Name) and one.id in _BROAD) for one in kinds)


def _suppresses(function: PythonFunction, statement: ast.stmt) -> bool:
    """Whether this is a `with contextlib.suppress(Exception):` block."""
    calls = [item.context_expr for item in statement.items] if isinstance(statement, ast.With) else []
    return any(
        isinstance(call, ast.Call)
        and function.file.meaning(call.func) == "contextlib.suppress"
        and any(map(_is_broad, call.args))
        for call in calls
    )


def _does_nothing(handler: ast.ExceptHandler) -> bool:
    """Whether a handler goes on as if nothing had happened; logging and printing do not count."""
    return all(
        isinstance(one, ast.Pass) or (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant | ast.Call))
        for one in handler.body
    )


def _does_more(statement: ast.stmt) -> bool:
    """Whether a statement does other work, so that only a step failed before it. Logging and tidying up do not count."""
    if isinstance(statement, ast.With | ast.AsyncWith | ast.For | ast.AsyncFor | ast.While | ast.Try | ast.TryStar):
        return True
    value = statement.value if isinstance(statement, ast.Expr) else None
    call = value.value if isinstance(value, ast.Await) else value
    return isinstance(call, ast.Call) and last_name(call.func) not in _TIDYING


def _is_inside_another(function: PythonFunction, node: ast.Try | ast.TryStar) -> bool:
    """Whether another block around a block handles all exceptions: then only a step that may fail is in the inner one."""
    return any(
        any(_is_broad(handler.type) and not _does_nothing(handler) for handler in one.handlers)
        and any(inner is node for statement in one.body for inner in ast.walk(statement))
        for one in function.own_nodes
        if isinstance(one, ast.Try | ast.TryStar)
    )


def _matches(pattern: re.Pattern[str], value: ast.expr | None) -> bool:
    return any(pattern.search(text) for text in _leading_texts(value))


def _leading_texts(value: ast.expr | None) -> Iterator[str]:
    """Yield the text at the start of a value, or of each value of a dict, even if it is dumped as JSON."""
    match value:
        case None:
            return
        case ast.Dict(values=values):
            yield from map(leading_text, values)
        case ast.Call(func=ast.Attribute(attr="dumps") | ast.Name(id="dumps"), args=[ast.Dict(values=values), *_]):
            yield from map(leading_text, values)
        case _:
            yield leading_text(value)


def _describes_failure(value: ast.expr | None) -> bool:
    """Whether a dict says in a field that the call failed: `{"error": str(error)}`, `{"ok": False, …}`."""
    if isinstance(value, ast.Call) and value.args:
        return last_name(value.func) == "dumps" and _describes_failure(value.args[0])
    fields = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
    return any(isinstance(key, ast.Constant) and _is_failure(key.value, field) for key, field in fields)


def _claims_success(value: ast.expr | None) -> bool:
    """Whether a dict says in a field that the call succeeded: `{"success": True, "error": str(error)}`."""
    fields = zip(value.keys, value.values, strict=True) if isinstance(value, ast.Dict) else ()
    return any(
        isinstance(key, ast.Constant)
        and key.value in _OUTCOMES
        and isinstance(field, ast.Constant)
        and field.value is True
        for key, field in fields
    )


def _is_failure(key: object, field: ast.expr) -> bool:
    if key in _OUTCOMES:
        return isinstance(field, ast.Constant) and field.value is False
    is_status = key == "status" and isinstance(field, ast.Constant) and field.value in {"error", "failed", "failure"}
    return is_status or key in {"error", "errors", "exception"}
