"""TK409: a tool that writes what all calls share."""

import ast
from collections.abc import Iterator

from toolkit.lint.effects import own_nodes
from toolkit.lint.python_files import PythonFunction
from toolkit.lint.rule import Rule
from toolkit.problems import Problem


class GlobalState(Rule):
    '''A tool assigns to a global variable.

    ## Why

    Models call tools side by side, and a server serves many of them: what one call writes another one reads. Two calls at
    once lose one of two changes, and one conversation sees what another did. What belongs to a run belongs into the
    context; what belongs together into an object with methods.

    ## Example

    ```python
    from toolkit import tool

    total = 0


    @tool
    def add(number: int) -> int:
        """Add a number to the sum so far."""
        global total
        total += number
        return total
    ```

    ## Instead

    ```python
    from toolkit import tool


    @tool
    def add(numbers: list[int]) -> int:
        """Add numbers up."""
        return sum(numbers)
    ```

    ## Source

    - Ruff, [global-statement](https://docs.astral.sh/ruff/rules/global-statement/) (checked 2026-11-22)
    '''

    code = "TK409"
    name = "global-state"
    severity = "info"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        for node in own_nodes(function):
            if isinstance(node, ast.Global):
                names = ", ".join(map(repr, node.names))
                message = f"tool {function.tool_name!r} writes the global {names}, which all calls share"
                yield self.problem(
                    message, function.file.location(node), hint="keep it in an object, or in the context"
                )
