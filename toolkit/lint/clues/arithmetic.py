"""Finds out whether a function lets only formulas of numbers through to `eval`, so that no other code is run."""

import ast
import re

from toolkit.lint.clues.guards import names_in, only_value
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name

_ESCAPES = re.compile(r"\\[dDsSwbBAZn]")
_LETTER = re.compile(r"[a-df-zA-DF-Z_]")  # `e` is part of `1e6`, and no name by itself that runs something
_WHOLE = {"fullmatch", "sub", "findall"}
_DIGITS = {"digits", "whitespace", "octdigits"}


def is_arithmetic(function: PythonFunction, given: ast.expr) -> bool:
    """Return whether a text passes a check of its characters, or its syntax tree one of its nodes, before it is run."""
    names = _names_behind(function, given)
    called = {last_name(node.func) for node in function.nodes if isinstance(node, ast.Call)}
    if {"parse", "walk", "isinstance"} <= called:
        return True
    return any(_is_check(function, node, names) for node in function.nodes)


def _names_behind(function: PythonFunction, given: ast.expr) -> set[str]:
    """Return the names in an expression, and those in what they are set to."""
    names, left = set(), names_in(given)
    while left:
        names |= left
        found = {
            name
            for node in function.nodes
            if isinstance(node, ast.Assign) and left & {one.id for one in node.targets if isinstance(one, ast.Name)}
            for name in names_in(node.value)
        }
        left = found - names
    return names


def _is_check(function: PythonFunction, node: ast.AST, names: set[str]) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call() as call) if target in names:
            return _is_match(function, call, names, has_result=True)
        case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr="issubset"), args=[allowed]):
            return _is_set_of(made, names) and _is_plain(_characters(function, allowed))
        case ast.Call():
            return _is_match(function, node, names, has_result=False)
        case ast.GeneratorExp(
            elt=ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[allowed]),
            generators=[ast.comprehension(iter=ast.Name(id=name))],
        ):
            return name in names and _is_plain(_characters(function, allowed))
        case (
            ast.Compare(left=ast.Call() as made, ops=[ast.LtE()], comparators=[allowed])
            | ast.BinOp(left=ast.Call() as made, op=ast.Sub(), right=allowed)
        ):
            return _is_set_of(made, names) and _is_plain(_characters(function, allowed))
    return False


def _is_match(function: PythonFunction, call: ast.Call, names: set[str], *, has_result: bool) -> bool:
    """Whether a call compares a text with a regular expression that no letter fits; its result may be what is run."""
    meaning = function.file.meaning(call.func) or ""
    given = [*call.args]
    if not meaning.startswith("re.") and isinstance(call.func, ast.Attribute):
        compiled = function.file.resolved(only_value(function, call.func.value))
        if not (isinstance(compiled, ast.Call) and function.file.meaning(compiled.func) == "re.compile"):
            return False
        given = [*compiled.args[:1], *given]
    elif not meaning.startswith("re."):
        return False
    pattern = _characters(function, given[0]) if given else None
    if pattern is None or not any(names & names_in(one) for one in given[1:]):
        return False
    is_whole = last_name(call.func) in _WHOLE or pattern.startswith("[^") or pattern.endswith(("$", r"\Z"))
    return (is_whole or has_result) and _is_plain(_ESCAPES.sub("", pattern)) and r"\w" not in pattern


def _is_set_of(call: ast.Call, names: set[str]) -> bool:
    return last_name(call.func) in {"set", "frozenset"} and any(names & names_in(one) for one in call.args)


def _is_plain(characters: str | None) -> bool:
    return characters is not None and _LETTER.search(characters) is None


def _characters(function: PythonFunction, node: ast.expr) -> str | None:
    """Return the characters of a constant text or set; None if the source does not show them."""
    match function.file.resolved(only_value(function, node)):
        case ast.Constant(value=str() as text):
            return text
        case ast.Call(args=[inner]) as call if last_name(call.func) in {"set", "frozenset", "list"}:
            return _characters(function, inner)
        case ast.Set(elts=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            texts = [_characters(function, one) for one in parts]
            return None if None in texts else "".join(filter(None, texts))
        case ast.BinOp(left=left, op=ast.Add() | ast.BitOr(), right=right):
            texts = [_characters(function, left), _characters(function, right)]
            return None if None in texts else "".join(filter(None, texts))
        case ast.Attribute(attr=name) if name in _DIGITS:
            return "0"
    return None
