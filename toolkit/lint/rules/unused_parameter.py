"""TK401: a parameter that the function never reads."""

import ast
from collections.abc import Iterator

from toolkit.codes import UNUSED_PARAMETER
from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.problems import Problem

# They see every name of the function, whatever it is called.
_SEE_ALL = {"locals", "vars", "eval", "exec", "dir"}


class UnusedParameter(Rule):
    '''A parameter of a tool is never read in its body.

    ## Why

    A model spends tokens to fill it and believes that it has an effect. Use the parameter in the function, or
    remove it. If it is unused on purpose, begin its name with an underscore, or write `del name`.

    ## Example

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, days: int) -> str:
        """Forecast the weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
            days: For how many days, from 1 to 10.
        """
        return f"sun in {city}"
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def forecast(city: str, days: int) -> str:
        """Forecast the weather in a city.

        Args:
            city: The name of the city, such as `Oslo`.
            days: For how many days, from 1 to 10.
        """
        return f"{days} days of sun in {city}"
    ```

    ## Source

    - Ruff, [unused-function-argument](https://docs.astral.sh/ruff/rules/unused-function-argument/), which leaves public
      signatures alone that others may call by name; those of tools are called by models only (checked 2026-11-21)
    '''

    code = UNUSED_PARAMETER

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if function.is_stub or function.is_decorated:
            return  # what else decorates it sees the arguments too
        read = {
            node.id for node in function.walk() if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)
        }
        if read & _SEE_ALL:
            return
        is_given = function.written is not None and function.written.as_class is not None
        for parameter in function.parameters:
            if is_given and parameter.default is not None:
                continue  # the class that it overrides passes it
            if parameter.name not in read and not parameter.name.startswith("_"):
                yield self.problem(
                    f"{function.tool_name!r} never reads its parameter {parameter.name!r}",
                    function.file.location(parameter.node),
                    hint=_hint(function, parameter.name),
                )


def _hint(function: PythonFunction, name: str) -> str:
    """Return what to do; frameworks refuse names that begin with an underscore, or send them to the model."""
    return f"use it, remove it, or call it '_{name}'" if function.written is None else "use it, or remove it"
