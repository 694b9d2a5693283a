"""TK321: a parameter has a type that cannot be written as JSON: a callable, a stream, a future, `*args` or `**kwargs`."""

import ast
from collections.abc import Iterator

from toolkit.codes import UNFIT_PARAMETER
from toolkit.lint.definitions.tool_definitions import ToolDefinition
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.tools.definition.signatures import unfit_objection, variadic_objection

_CALLABLE, _FUTURE, _STREAM = "a callable", "a future", "a stream"
_CALLABLES = dict.fromkeys(("Callable",), _CALLABLE)
_FUTURES = dict.fromkeys(("Awaitable", "Coroutine"), _FUTURE)
_STREAMS = dict.fromkeys(
    ("Iterable", "Iterator", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator"), _STREAM
)
_UNFIT = {
    f"{module}.{name}": what
    for module in ("collections.abc", "typing")
    for name, what in {**_CALLABLES, **_FUTURES, **_STREAMS}.items()
} | dict.fromkeys(("typing.IO", "typing.TextIO", "typing.BinaryIO"), _STREAM)


class UnfitParameter(Rule):
    '''A parameter has a type that cannot be written as JSON: a callable, a stream, a future, `*args` or `**kwargs`.

    ## Why

    A model sends JSON, so it can only provide what JSON can express: text, numbers, lists, objects. Use plain data, a
    dataclass, a TypedDict or a pydantic model instead. `*args` and `**kwargs` of one function are one finding.

    ## Example

    ```python
    from collections.abc import Callable

    from toolkit import tool


    @tool
    def apply(function: Callable[[int], int], number: int) -> int:
        """Apply a function to a number.

        Args:
            function: What to apply.
            number: What to apply it to.
        """
        return function(number)
    ```

    ## Instead

    ```python
    from typing import Literal

    from toolkit import tool


    @tool
    def apply(function: Literal["double", "square"], number: int) -> int:
        """Apply a function to a number.

        Args:
            function: What to apply.
            number: What to apply it to.
        """
        return number * 2 if function == "double" else number * number
    ```

    ## Source

    - this project (checked 2026-11-21)
    '''

    code = UNFIT_PARAMETER
    severity = "error"

    def check_tool(self, tool: ToolDefinition) -> Iterator[Problem]:
        """Check tools that were not built, and report what building them would have reported."""
        if (
            tool.spec is None
            and tool.function is not None
            and tool.framework is None
            and not tool.function.takes_call
            and not tool.function.has_other_signature
        ):
            yield from self._written(tool.function)

    def _written(self, function: PythonFunction) -> Iterator[Problem]:
        variadic = [one for one in function.all_parameters if one.is_variadic]
        if variadic:
            message, hint = variadic_objection([f"{one.kind}{one.name}" for one in variadic])
            yield self.problem(message, function.file.location(variadic[0].node), hint=hint)
        for parameter in function.parameters:
            if what := _unfit_kind(parameter.node.annotation, function.file):
                message, hint = unfit_objection(parameter.name, what)
                yield self.problem(message, function.file.location(parameter.node), hint=hint)


def _unfit_kind(annotation: ast.expr | None, file: PythonSource) -> str | None:
    """Return what in an annotation cannot be written as JSON, according to the names of its types."""
    match annotation:
        case ast.Name() | ast.Attribute():
            return _UNFIT.get(file.meaning(annotation) or "")
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=[inner, *_])) if file.short_name(outer) == "Annotated":
            return _unfit_kind(inner, file)
        case ast.Subscript(value=outer, slice=inner):
            return _unfit_kind(outer, file) or _unfit_kind(inner, file)
        case ast.BinOp(left=left, right=right):
            return _unfit_kind(left, file) or _unfit_kind(right, file)
        case ast.Tuple(elts=parts):
            return next((what for part in parts if (what := _unfit_kind(part, file))), None)
    return None
