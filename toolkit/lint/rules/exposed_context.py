"""TK703: a context parameter is sent to the model, because its type does not identify it."""

import ast
from collections.abc import Iterator

from toolkit.codes import EXPOSED_CONTEXT
from toolkit.lint.rule import Rule
from toolkit.problems import Problem, Severity
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.python_sources import PythonSource
from toolkit.tools.foreign.source_marks import SourceMarks


class ExposedContext(Rule):
    '''A context parameter is sent to the model, because its type does not identify it.

    ## Why

    Frameworks recognise the context by the type of the parameter, not by its name. Without that type, the model has to
    fill in the parameter, and the function receives text where it expects an object.

    The same applies to a parameter with a default such as `Header(None)`: outside of FastAPI, the model chooses its
    value, such as the id of a session.

    In a function without a body, the finding is an `info`. Under a decorator of the project, which may fill in the
    parameter, it is not essential.

    ## Example

    ```python
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("weather")


    @server.tool()
    async def forecast(city: str, ctx) -> str:
        """Forecast tomorrow's weather in a city."""
        await ctx.info("looking")
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from mcp.server.mcpserver import Context, MCPServer

    server = MCPServer("weather")


    @server.tool()
    async def forecast(city: str, ctx: Context) -> str:
        """Forecast tomorrow's weather in a city."""
        await ctx.info("looking")
        return f"sun in {city}"
    ```

    ## Source

    - mcp 2.3.0 and fastmcp 4.1.2, run: the schema of such a function has the property `ctx`, and requires it (checked 2026-11-22)
    '''

    code = EXPOSED_CONTEXT
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for parameter in function.parameters:
            if function.written is not None and is_exposed_context(function, parameter):
                message = f"parameter {parameter.name!r} of {function.tool_name!r} is sent to the model"
                hint = f"annotate it with the type of the context in {function.written.marks.title}"
                severity: Severity = "info" if function.is_stub else self.severity
                place, is_minor = function.file.location(parameter.node), function.written.is_wrapped
                yield self.problem(message, place, hint=hint, severity=severity, is_minor=is_minor)
            elif function.written is not None and (kind := _filled_by_fastapi(function, parameter)):
                message = f"a model can set {parameter.name!r} of {function.tool_name!r}: only FastAPI reads {kind!r}"
                hint = "read it from the request in the function"
                yield self.problem(message, function.file.location(parameter.node), hint=hint)


def _filled_by_fastapi(function: PythonFunction, parameter: PythonParameter) -> str | None:
    """Return what FastAPI would fill a parameter with, such as `Header`; a framework of tools does not."""
    call = parameter.default
    if not isinstance(call, ast.Call):
        return None
    module, _, name = (function.file.meaning(call.func) or "").rpartition(".")
    is_fastapi = module.partition(".")[0] in {"fastapi", "starlette"}
    return name if is_fastapi and name in {"Cookie", "Depends", "Header", "Security"} else None


def is_exposed_context(function: PythonFunction, parameter: PythonParameter) -> bool:
    """Whether a parameter is meant to be a framework's context, but the framework does not recognise it."""
    marks = function.written.marks if function.written is not None else None
    if marks is None or not marks.injected.types or parameter.name not in marks.injected.usual:
        return False
    registration = function.written.registration if function.written is not None else None
    if registration is not None and registration.way == "definition":
        return False  # the framework calls it with its own arguments, and the definition lists the parameters
    return _is_mistaken(parameter, function.file, marks)


def _is_mistaken(parameter: PythonParameter, file: PythonSource, marks: SourceMarks) -> bool:
    """Whether a parameter has no type, or another type of the framework, which no model can provide."""
    annotation = parameter.node.annotation
    if annotation is None:
        return True
    meaning = file.meaning(annotation) or ""
    return any(meaning.startswith(f"{package}.") for package in marks.packages)
