"""Unguarded: parameters that reach a call as they are, with nothing in between that could stop one."""

import ast
from collections.abc import Callable, Container, Iterator

from toolkit.lint.python_files import PythonFunction, PythonParameter
from toolkit.tools.names import words_of

_TEXTS = {"str", "Path", "AnyUrl", "HttpUrl"}


def unguarded(
    function: PythonFunction,
    words: frozenset[str],
    guards: Container[str],
    is_risky: Callable[[ast.Call, str], bool],
) -> Iterator[tuple[PythonParameter, ast.Call, str]]:
    """Yield the parameters that a model may fill with anything, and the first risky call that each of them reaches.

    Args:
        function: The tool.
        words: Words that tell in a name what a parameter is, such as `path`.
        guards: Names of functions and methods that make sure of it; one of them in the body is taken for a guard.
        is_risky: Whether a call, known by its name through the imports, does something with it.
    """
    suspects = {
        one.name: one for one in function.parameters if _is_text(one) and words.intersection(words_of(one.name))
    }
    if not suspects or any(_name_of(call) in guards for call in function.walk() if isinstance(call, ast.Call)):
        return
    compared = {name for node in function.walk() if isinstance(node, ast.Compare) for name in _names_in(node)}
    for name, parameter in suspects.items():
        if name not in compared:
            for call in function.walk():
                if (
                    isinstance(call, ast.Call)
                    and is_risky(call, function.file.meaning(call.func) or "")
                    and _reaches(name, call)
                ):
                    yield parameter, call, function.file.segment(call.func)
                    break


def _is_text(parameter: PythonParameter) -> bool:
    annotation = parameter.node.annotation
    return annotation is None or (isinstance(annotation, ast.Name) and annotation.id in _TEXTS)


def _reaches(name: str, call: ast.Call) -> bool:
    receiver = [call.func.value] if isinstance(call.func, ast.Attribute) else []
    given = [*call.args[:2], *(one.value for one in call.keywords), *receiver]
    return any(name in _names_in(node) for node in given)


def _names_in(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
