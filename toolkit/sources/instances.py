"""Create an instance of a class, for its tools, if the class needs no arguments."""

import ast
import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any, NamedTuple

from toolkit.codes import NOT_A_TOOL
from toolkit.problems import Location, Problem, Severity
from toolkit.regular_files import bounded_bytes
from toolkit.tools.definition_places import place_of
from toolkit.tools.foreign_values import call_safely, describe_error, is_text, name_of_class


class Instance(NamedTuple):
    """An instance of a class."""

    made: Any


def make_instance(cls: type, *, severity: Severity = "error") -> Instance | Problem:
    """Return an instance of a class, or the problem (`TK003`) that it cannot be created without arguments."""
    name = name_of_class(cls)
    if inspect.isabstract(cls):
        missing = ", ".join(f"'{method}'" for method in sorted(getattr(cls, "__abstractmethods__", ())))
        abstract = f"class '{name}' is abstract: it does not define {missing}"
        return Problem(
            NOT_A_TOOL, abstract, place_of(cls), severity, hint="use a class that defines all abstract methods"
        )
    if needed := needed_arguments(cls):
        names = ", ".join(f"'{argument}'" for argument in needed)
        return Problem(
            NOT_A_TOOL,
            f"class '{name}' has tools, but cannot be created without {names}",
            place_of(cls),
            severity,
            hint=f"create an instance in the module: {name.lower()} = {name}({needed[0]}=…)",
        )
    try:
        return Instance(cls())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - users' constructors may raise anything, SystemExit too
        return Problem(
            NOT_A_TOOL,
            f"class '{name}' cannot be created: {describe_error(error)}",
            place_of(cls),
            hint="create an instance in the module, with the arguments that it needs",
        )


def needed_arguments(cls: type) -> list[str]:
    """Return the names of the arguments without which a class cannot be created."""
    # Classes in C have no signature, and reading one may raise; then creating the instance shows what is missing.
    nothing: list[inspect.Parameter] = []
    parameters = call_safely(lambda: list(inspect.signature(cls).parameters.values()), nothing)
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [one.name for one in parameters if one.default is one.empty and one.kind not in variadic]


def place_of_name(module: ModuleType, name: str) -> Location | None:
    """Return the location where a module last binds a name at its top level, or its file if that is not known."""
    file = vars(module).get("__file__")
    if not is_text(file) or file is None:
        return None
    try:
        tree = ast.parse(bounded_bytes(file))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return Location(file)
    bound = [node for statement in tree.body for node, known in _bindings_of(statement) if known == name]
    if not bound:
        return Location(file)
    node = bound[-1]
    return Location(file, node.lineno, node.col_offset + 1)


def _bindings_of(statement: ast.stmt) -> Iterator[tuple[ast.stmt | ast.Name, str]]:
    """Yield what a statement defines or assigns to, each with its name."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement, statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node, node.id
