"""Which texts a model gives reach a dangerous call, and what checks them on the way."""

import ast
from collections.abc import Callable, Container, Iterator

from toolkit.source_code.meanings import Defined
from toolkit.source_code.python_functions import PythonFunction, PythonParameter
from toolkit.source_code.python_sources import PythonSource
from toolkit.source_code.source_files import SourceFile, last_name
from toolkit.source_code.syntax_nodes import FunctionNode, is_none
from toolkit.tools.definition.names import words_of

Holds = Callable[[ast.expr, "set[str] | frozenset[str]"], bool]
_TEXT_FUNCTIONS = {
    "str",
    "Path",
    "PurePath",
    "join",
    "joinpath",
    "format",
    "expanduser",
    "strip",
    "lstrip",
    "rstrip",
    "lower",
    "upper",
}


def carriers_of(function: PythonFunction, name: str, holds: "Holds | None" = None) -> frozenset[str]:
    """Return a parameter and the variables that contain its text, such as `path = f"/data/{city}.txt"`.

    Args:
        function: The function.
        name: The parameter.
        holds: Returns whether an expression contains the text of a variable; `carries` by default.
    """
    names, holds = {name}, holds or carries
    for node in function.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if holds(value, names):
                names.add(target)
    return frozenset(names)


def carries(node: ast.expr, names: set[str] | frozenset[str]) -> bool:
    """Return whether the text of an expression contains that of one of the variables."""
    match node:
        case ast.Name(id=name):
            return name in names
        case ast.JoinedStr(values=values):
            return any(carries(value, names) for value in values)
        case ast.FormattedValue(value=value):
            return carries(value, names)
        case ast.BinOp(left=left, right=right):
            return carries(left, names) or carries(right, names)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(carries(part, names) for part in parts)
        case ast.Call(func=func, args=args) if last_name(func) in _TEXT_FUNCTIONS:
            receiver = [func.value] if isinstance(func, ast.Attribute) else []
            return any(carries(part, names) for part in [*args, *receiver])
    return False


def only_value(function: PythonFunction, part: ast.expr) -> ast.expr:
    """Return what a variable is set to, if the function sets it only once; other expressions as they are."""
    if not isinstance(part, ast.Name):
        return part
    values = [
        node.value
        for node in function.nodes
        if isinstance(node, ast.Assign) and any(getattr(one, "id", "") == part.id for one in node.targets)
    ]
    return values[0] if len(values) == 1 else part


def begins_with(node: ast.expr, names: set[str] | frozenset[str]) -> bool:
    """Return whether the text of an expression begins with that of a variable, perhaps after `https://`."""
    match node:
        case ast.JoinedStr(values=[ast.Constant(value=str() as scheme), first, *_]) if scheme.endswith("://"):
            return begins_with(first, names)
        case ast.BinOp(left=ast.Constant(value=str() as scheme), right=right) if scheme.endswith("://"):
            return begins_with(right, names)
        case ast.JoinedStr(values=[first, *_]):
            return begins_with(first, names)
        case ast.BinOp(left=left):
            return begins_with(left, names)
        case ast.Call(func=ast.Attribute(value=receiver)) if last_name(node.func) in _TEXT_FUNCTIONS:
            return begins_with(receiver, names)
        case ast.Call(func=ast.Name(), args=[first, *_]) if last_name(node.func) in _TEXT_FUNCTIONS:
            return begins_with(first, names)
    return isinstance(node, ast.Name | ast.FormattedValue) and carries(node, names)


_TEXTS = {"str", "Path", "AnyUrl", "HttpUrl"}
_CHECKING = frozenset(
    {"allow", "allowed", "assert", "authorize", "check", "confine", "ensure", "guard", "inside", "jail", "permitted",
     "resolve", "restrict", "restricted", "safe", "safely", "sandbox", "sanitise", "sanitize", "secure", "validate",
     "validated", "verify", "within"}
)  # fmt: skip
_MOST_STEPS = 2
_CHECKS = {"isalnum", "isalpha", "isdigit", "isidentifier", "isdecimal", "match", "fullmatch", "UUID"}

Follows = Callable[[ast.Call, str, PythonParameter, frozenset[str]], bool]
"""Returns whether the target of a call, given with its full name, is controlled by a parameter or its carriers."""


def unguarded(
    function: PythonFunction, guards: Container[str], follows: Follows, holds: Holds = carries
) -> Iterator[tuple[PythonParameter, ast.Call, str]]:
    """Yield the parameters that accept any text, each with the first risky call that it reaches.

    Args:
        function: The tool.
        guards: Names of functions and methods that check a parameter; one call of them in the body is enough.
        follows: Returns whether a parameter controls the target of a call.
        holds: Returns whether an expression contains the text of a variable.
    """
    suspects = [one for one in function.parameters if _is_text(one.node.annotation, function.file)]
    calls = [node for node in function.nodes if isinstance(node, ast.Call)]
    if not suspects or any(last_name(call.func) in guards or last_name(call.func) in _CHECKS for call in calls):
        return
    compared = {name for node in function.nodes if isinstance(node, ast.Compare) for name in names_in(node)}
    for parameter in suspects:
        carriers = carriers_of(function, parameter.name, holds)
        if compared & carriers or is_checked(function, parameter.name, carriers, guards):
            continue
        for call in calls:
            if follows(call, function.file.meaning(call.func) or "", parameter, carriers):
                yield parameter, call, function.file.segment(call.func)
                break


def is_checked(function: PythonFunction, name: str, carriers: Container[str], guards: Container[str]) -> bool:
    """Return whether a helper checks a parameter, or the parameter only selects one of the project's own values."""
    for node in function.nodes:
        match node:
            case ast.Call() if _is_given(node, carriers) and _is_check(function, function.file, node, guards):
                return True
            case ast.Assign(targets=[ast.Name(id=target)], value=ast.Subscript(slice=ast.Name(id=key))) if (
                key in carriers and target in carriers
            ):
                return True
            case ast.Assign(
                targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute(attr="get"), args=[ast.Name(id=key)])
            ) if key in carriers and target == name:
                return True
    return False


def _is_given(call: ast.Call, carriers: Container[str]) -> bool:
    given = [*call.args, *(one.value for one in call.keywords)]
    return any(name in carriers for node in given for name in names_in(node))


def _is_check(
    function: PythonFunction, source: SourceFile, call: ast.Call, guards: Container[str], steps: int = 0
) -> bool:
    """Return whether the name of a function says that it checks its argument, or its source shows it."""
    if _CHECKING.intersection(words_of(last_name(call.func))):
        return True
    if steps == _MOST_STEPS:
        return False
    for helper in helpers_called(function, source, call):
        inner = [node for node in ast.walk(helper.node) if isinstance(node, ast.Call)]
        if any(
            last_name(one.func) in guards or _is_check(function, helper.source, one, guards, steps + 1) for one in inner
        ):
            return True
    return False


def helpers_called(function: PythonFunction, source: SourceFile, call: ast.Call) -> list[Defined]:
    """Return the functions of the project that a call in a file may refer to."""
    if not isinstance(call.func, ast.Name | ast.Attribute):
        return []
    found = function.file.reader.meanings.of(source, call.func)
    return [one for one in found if isinstance(one, Defined) and isinstance(one.node, FunctionNode)]


def names_in(node: ast.AST) -> set[str]:
    """Return the names that an expression reads."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def _is_text(annotation: ast.expr | None, file: PythonSource) -> bool:
    """Return whether an annotation accepts any text: `str`, `str | None`, `Annotated[str, "…"]`, but no pattern."""
    match annotation:
        case None:
            return True
        case ast.Name() | ast.Attribute():
            return file.short_name(annotation) in _TEXTS
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return any(not is_none(one) and _is_text(one, file) for one in (left, right))
        case ast.Subscript(value=outer, slice=ast.Tuple(elts=[inner, *extras])) if (
            file.short_name(outer) == "Annotated"
        ):
            return _is_text(inner, file) and not any(isinstance(one, ast.Call) and _may_check(one) for one in extras)
        case ast.Subscript(value=outer, slice=inner) if file.short_name(outer) == "Optional":
            return _is_text(inner, file)
    return False


def _may_check(extra: ast.Call) -> bool:
    """Return whether an item of an `Annotated` may reject a value: a pattern, or anything but a `Field`."""
    return last_name(extra.func) != "Field" or any(keyword.arg in {"pattern", None} for keyword in extra.keywords)
