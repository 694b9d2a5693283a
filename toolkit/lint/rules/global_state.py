"""TK409: a tool that assigns to a global variable."""

import ast
from collections.abc import Iterator

from toolkit.codes import GLOBAL_STATE
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction


class GlobalState(Rule):
    '''A tool assigns to a global variable.

    ## Why

    Models call tools in parallel, and a server serves many models, so one call reads what another one has written. Of
    two simultaneous changes, one can be lost, and one conversation sees data of another. Keep the state of a run in the
    context, and shared state in an object with methods. A `global` statement alone is fine. Only assignments are
    reported, except those that set a variable only once (`if client is None: client = connect()`).

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

    code = GLOBAL_STATE
    default = False
    severity = "info"

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        once = {inner for node in function.own_nodes for inner in _filled_once(node)}
        bound = {name for node in function.own_nodes if node not in once for name in _names_bound_by(node)}
        for node in function.own_nodes:
            if isinstance(node, ast.Global) and (written := [name for name in node.names if name in bound]):
                what = f"the global{'s' if len(written) > 1 else ''} {' and '.join(map(repr, written))}"
                message = f"tool {function.tool_name!r} assigns to {what}, which all calls share"
                yield self.problem(message, function.file.location(node), hint="keep it in an object or in the context")


def _filled_once(node: ast.AST) -> Iterator[ast.Name]:
    """Yield each name that a statement assigns only if it has no value yet: `if client is None: client = …`."""
    match node:
        case ast.If(
            test=ast.Compare(left=ast.Name(id=name), ops=[ast.Is()], comparators=[ast.Constant(value=None)])
            | ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name))
        ):
            for statement in node.body:
                yield from (inner for inner in ast.walk(statement) if isinstance(inner, ast.Name) and inner.id == name)


def _names_bound_by(node: ast.AST) -> list[str]:
    """Return the names that a statement or an expression assigns, deletes, defines or imports."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case (
            ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name)
        ):
            return [name]
        case ast.MatchMapping(rest=str() as name):
            return [name]
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return [one.asname or one.name.partition(".")[0] for one in names]
    return []
