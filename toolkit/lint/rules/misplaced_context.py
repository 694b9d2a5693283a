"""TK708: the context parameter is not where the framework expects it."""

import ast
import sys
from collections.abc import Iterator

from toolkit.codes import MISPLACED_CONTEXT
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.requirements import is_locked_below
from toolkit.source_code.written_tools import WrittenTool


class MisplacedContext(Rule):
    '''The context parameter is not where the framework expects it.

    ## Why

    Some decorators require the context as the first parameter, and others refuse it. The decorator raises an error, so
    importing the module fails. The `tool` of a `FunctionToolset` requires it since pydantic-ai 2, so it is not reported if a
    lock file has an older version.

    ## Example

    ```python
    from pydantic_ai import Agent

    agent = Agent("test")


    @agent.tool
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from pydantic_ai import Agent

    agent = Agent("test")


    @agent.tool_plain
    def forecast(city: str) -> str:
        """Forecast tomorrow's weather in a city.

        Args:
            city: The name of the city.
        """
        return f"sun in {city}"
    ```

    ## Source

    - `pydantic_ai/toolsets/function.py` of pydantic-ai 1.8.0, 1.77.0 and 2.0.0 (checked 2026-11-29)
    - pydantic-ai 2.68.0, run: "First parameter of tools that take context must be annotated with RunContext[...]";
      openai-agents 0.24.0, run: "RunContextWrapper/ToolContext param found at non-first position" (checked 2026-11-22)
    '''

    code = MISPLACED_CONTEXT
    severity = "error"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        tool, mark = function.written, function.mark
        if tool is None or mark is None or not tool.is_marked_directly or not tool.demands.only_first:
            return
        called = function.file.segment(mark.func if isinstance(mark, ast.Call) else mark)
        wants = any(end.rpartition(".")[2] == called.rpartition(".")[2] for end in tool.demands.first)
        if wants and self._decides_itself(function.file, tool, mark):
            return
        contexts = [one for one in function.all_parameters if function.is_context(one)]
        given = function.all_parameters[:1]
        if wants and given and _is_certain(function, given[0].node.annotation) and given[0] not in contexts:
            message = f"the first parameter of {function.tool_name!r} must be the context, but is {given[0].name!r}"
            hint = "add the context as the first parameter, or use the decorator for functions without it"
            if given[0].name in tool.marks.injected.usual:
                message = (
                    f"{tool.marks.title} does not recognise the context {given[0].name!r} of {function.tool_name!r}"
                )
                hint = "annotate it with the type of the context"
            yield self.problem(message, function.file.location(given[0].node), hint=hint)
        for one in contexts:
            if one is not given[0] or (tool.demands.first and not wants):
                message = f"{tool.marks.title} refuses the context {one.name!r} in this position"
                hint = (
                    f"make it the first parameter{', under a decorator that passes it' if tool.demands.first else ''}"
                )
                yield self.problem(message, function.file.location(one.node), hint=hint)

    @staticmethod
    def _decides_itself(file: PythonSource, tool: WrittenTool, mark: ast.expr) -> bool:
        """Whether the locked version of the framework looks at the function to know whether it gets a context."""
        found = file.reader.registrations.of_decorator(file, mark, tool.scope)
        name = "" if found is None else found.name
        return any(
            name.endswith(end) and any(is_locked_below(file, one, version) for one in packages)
            for end, packages, version in tool.demands.first_since
        )


def _is_certain(function: PythonFunction, annotation: ast.expr | None) -> bool:
    """Return whether a type is known. One that is imported is not if nothing shows where it comes from."""
    root = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    file = function.file
    if not isinstance(root, ast.Name) or root.id not in file.imported_names:
        return root is not None
    module = file.imported_names[root.id].partition(".")[0]
    return module in sys.stdlib_module_names or any(True for _ in file.reader.meanings.of(file, root))
