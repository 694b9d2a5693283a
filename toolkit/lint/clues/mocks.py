"""Finds out whether a function only pretends to do something, as in a demonstration or a simulation."""

import ast
import re
from functools import cache

from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name

_TELLING = {
    "print", "debug", "info", "warning", "error", "exception", "log", "sleep",
}  # fmt: skip
_MAKING = {
    "str", "int", "float", "bool", "len", "round", "min", "max", "dict", "list", "tuple", "sorted", "range",
    "dumps", "get", "items", "keys", "values", "join", "format", "lower", "upper", "strip", "title", "replace",
    "now", "today", "utcnow", "time", "isoformat", "strftime", "timedelta", "uuid4", "hex",
    "random", "randint", "uniform", "choice", "choices", "sample",
}  # fmt: skip
_MODULES = {"asyncio", "datetime", "json", "logging", "random", "time", "typing", "uuid"}
_READING = {
    "any", "all", "sum", "abs", "next", "iter", "filter", "map", "zip", "enumerate", "reversed", "isinstance", "set",
    "isdigit", "startswith", "endswith", "split", "rsplit", "model_dump", "fromisoformat",
}  # fmt: skip
_CHANGING = {
    "append", "add", "clear", "discard", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update",
}  # fmt: skip
_ELSEWHERE = (
    "模拟|模擬|虚构|假数据|シミュレー|ダミー|모의|시뮬레이션|더미|실제 구현|имитаци|заглушк|симуляци"
    "|simulier|simulaci|simulaç|ficticio|fictício|fictif"
)
"""That something is a simulation, in other languages."""
_SAYS_SO = re.compile(rf"\b(?:simulat|mock|fake|pretend|dummy)|{_ELSEWHERE}", re.IGNORECASE)
_REMARK = re.compile(
    r"#.*\b(?:simulat|mock|fake|pretend|dummy|stub|placeholder|hard-?coded"
    r"|in (?:a )?(?:real|production)\b|would (?:call|query)\b)",
    re.IGNORECASE,
)
_SAYS_STUB = re.compile(
    rf"{_ELSEWHERE}|(?<![a-z])(?:mock|stub(?:s|bed)?(?![a-z])|dummy|fake|simulat|placeholder)"
    r"|(?:not|not yet|to be|being) implemented|not supported yet|not yet supported|coming soon"
    r"|implement (?:later|me|this|real|actual)|to-?do:? (?:replace|implement|integrate|connect|call|hook)\b"
    r"|\bin an? (?:real|actual) (?!time)|\bin production,? (?:this|it|we|you)\b"
    r"|\b(?:this|it|we|you) would (?:actually |really )?(?:call|query|ask|fetch|connect)\b",
    re.IGNORECASE,
)
"""What names, comments and texts in a function say if it is not finished, or for show."""
_ONLY_STUBS = re.compile(
    r"\b(?:stub|mock|dummy|fake|simulated|placeholder) (?:implementation|data|function|tool|response|service)s?\b"
    r"|\b(?:are|only|all) (?:stubs|mocks|simulated)\b",
    re.IGNORECASE,
)
"""What the docstring of a module says if its functions are for show."""
_CONSTANT = (
    ast.Constant,
    ast.Dict,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.UnaryOp,
    ast.unaryop,
    ast.keyword,
    ast.expr_context,
)
_DEEPEST = 4
_COMPUTING = (ast.BinOp, ast.AugAssign, ast.While, ast.Await, ast.Yield, ast.YieldFrom)


@cache
def is_pretended(function: PythonFunction) -> bool:
    """Return whether a function only pretends to do something: nothing it does reaches beyond the objects in memory.

    That a body computes something with its arguments does not show that. So it counts only if the body returns values
    that are written in it, or if a comment or the docstring says that it is a simulation.
    """
    return (
        (is_mock(function) and not _looks_into_arguments(function))
        or is_called_simulation(function)
        or (_has_remark(function) and _only_works_in_memory(function))
    )


@cache
def is_mock(function: PythonFunction) -> bool:
    """Return whether a function changes nothing and asks nobody: it returns values that are written in it.

    It may report what it pretends to do, wait for a moment, format texts, and make up numbers.
    """
    nodes = function.own_nodes
    returned = [node.value for node in nodes if isinstance(node, ast.Return) and node.value is not None]
    returned += [
        value for one in returned if isinstance(one, ast.Name) for value in _given_to(function, one.id)
    ]  # what it returns by a name
    if not any(isinstance(part, ast.Constant | ast.Dict) for value in returned for part in ast.walk(value)):
        return False
    return not any(_reaches_out(function, node) for node in nodes)


@cache
def does_work(function: PythonFunction) -> bool:
    """Return whether a function works with what it is given, so that it is not waiting for its implementation.

    It does if it reads a parameter, or calls something that may have an effect, and neither a text in it nor the
    docstring of its module says that it is a mock.
    """
    file, node = function.file, function.node
    source = "\n".join(file.text.splitlines()[node.lineno - 1 : node.end_lineno])
    if _SAYS_STUB.search(source) or _ONLY_STUBS.search(ast.get_docstring(file.tree) or ""):
        return False
    given = {one.name for one in function.all_parameters} - {"self", "cls"}
    if any(isinstance(one, ast.Name) and one.id in given for one in function.nodes):
        return True
    calls = [one for one in function.nodes if isinstance(one, ast.Call)]
    return any(not _is_harmless(function, one.func) and not _gives_constant(function, one) for one in calls)


def _gives_constant(function: PythonFunction, call: ast.Call) -> bool:
    """Whether a call without arguments only asks a function of the project for fixed values."""
    is_plain = isinstance(call.func, ast.Name) and not call.args and not call.keywords
    helpers = [
        PythonFunction(function.file, one)
        for one in function.file.top_definitions()
        if is_plain and isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == last_name(call.func)
    ]
    return any(map(is_mock, helpers))


def _looks_into_arguments(function: PythonFunction) -> bool:
    """Whether a function decides on the values of its parameters, or takes them apart, rather than repeating them."""
    given = _given_and_items(function)
    for node in function.own_nodes:
        match node:
            case ast.If(test=part) | ast.IfExp(test=part) | ast.Match(subject=part):
                pass
            case ast.Subscript(value=part) | ast.Attribute(value=part):
                pass
            case ast.Compare():
                part = node
            case _:
                continue
        if any(isinstance(one, ast.Name) and one.id in given for one in ast.walk(part)):
            return True
    return False


def _given_and_items(function: PythonFunction) -> set[str]:
    """Return the names of the parameters, and of the variables in loops over them."""
    found = {one.name for one in function.all_parameters}
    for node in function.own_nodes:
        match node:
            case (
                ast.For(target=ast.Name(id=item), iter=ast.Name(id=whole))
                | ast.comprehension(target=ast.Name(id=item), iter=ast.Name(id=whole))
            ) if whole in found:
                found.add(item)
    return found


def _has_remark(function: PythonFunction) -> bool:
    """Whether a comment in a function says that something real is still missing there."""
    lines = function.file.text.splitlines()[function.node.lineno - 1 : function.node.end_lineno]
    return any(_REMARK.search(line) for line in lines if "#" in line)


@cache
def is_exercise(function: PythonFunction) -> bool:
    """Return whether a function only returns one expression of its parameters, fixed values and random numbers.

    So is one that nobody has written yet.
    """
    done = [one for one in function.body if not (isinstance(one, ast.Expr) and _only_tells(function, one.value))]
    match done:
        case [] | [ast.Pass()] | [ast.Raise(exc=ast.Call(func=ast.Name(id="NotImplementedError")))]:
            return True
        case [ast.Raise(exc=ast.Name(id="NotImplementedError"))]:
            return True
        case [ast.Return(value=ast.expr() as value)]:
            if is_fixed(value):
                return True
            names = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
            return names <= _known_names(function) and not any(
                isinstance(one, ast.Await) or (isinstance(one, ast.Call) and not _is_harmless(function, one.func))
                for one in ast.walk(value)
            )
    return False


def _only_tells(function: PythonFunction, value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and _is_harmless(function, value.func))


def _known_names(function: PythonFunction) -> set[str]:
    """Return the names of the parameters, of built-in functions, and of modules that ask nobody."""
    imported = function.file.imported_names.items()
    harmless = {name for name, target in imported if target.partition(".")[0] in _MODULES}
    return {one.name for one in function.all_parameters} | _MAKING | harmless


def is_fixed(value: ast.expr) -> bool:
    """Return whether an expression always has the same value: constants, and objects that are made of constants."""
    return all(map(_is_constant, ast.walk(value)))


def _is_constant(node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return name[:1].isupper()
        case ast.Call(func=ast.Name()):
            return True
    return isinstance(node, _CONSTANT)


@cache
def is_called_simulation(function: PythonFunction) -> bool:
    """Return whether a function is a simulation, and its docstring says so."""
    return _SAYS_SO.search(ast.get_docstring(function.node) or "") is not None and is_simulation(function)


@cache
def is_simulation(function: PythonFunction) -> bool:
    """Return whether a function only changes objects that this file keeps in memory, which are gone after the run.

    Functions of the file that it calls are followed.
    """
    return any(map(_changes, function.own_nodes)) and _only_works_in_memory(function)


def _only_works_in_memory(function: PythonFunction) -> bool:
    return all(_stays_in_memory(function, node) for node in function.own_nodes)


def _changes(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _CHANGING
        case ast.Subscript() | ast.Attribute():
            return not isinstance(node.ctx, ast.Load)
    return False


def _stays_in_memory(function: PythonFunction, node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=changed, attr=name)) if name in _CHANGING:
            return _is_in_memory(function, changed)
        case ast.Call(func=called):
            return last_name(called) in _READING or _is_harmless(function, called) or _is_helper(function, called)
        case ast.Subscript(value=changed, ctx=ast.Store() | ast.Del()):
            return _is_in_memory(function, changed)
        case ast.Attribute(value=changed, ctx=ast.Store() | ast.Del()):
            return _is_in_memory(function, changed)
        case ast.Await(value=ast.Call(func=called)):
            return last_name(called) == "sleep"
    return not isinstance(node, ast.Await | ast.With | ast.AsyncWith | ast.Import | ast.ImportFrom)


def _is_in_memory(function: PythonFunction, changed: ast.expr, depth: int = _DEEPEST) -> bool:
    """Whether an object belongs to a variable of the function, or to one of the file whose value is written there."""
    root = changed
    while isinstance(root, ast.Attribute | ast.Subscript | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    if not isinstance(root, ast.Name) or not depth or any(one.name == root.id for one in function.all_parameters):
        return False
    if values := _given_to(function, root.id):
        return all(_is_made(value) or _is_in_memory(function, value, depth - 1) for value in values)
    match function.file.assigned.get(root.id):
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp():
            return True
        case ast.Call(func=ast.Name(id=name)):
            is_own = any(one.name == name for one in function.file.top_definitions())
            return name in {"dict", "list", "set", "defaultdict"} or (is_own and root is not changed)
    return False


def _is_helper(function: PythonFunction, called: ast.expr) -> bool:
    """Whether a function of the file is called that changes nothing but objects in memory, and calls no others."""
    helpers = [
        PythonFunction(function.file, one)
        for one in function.file.top_definitions()
        if isinstance(called, ast.Name) and isinstance(one, ast.FunctionDef) and one.name == called.id
    ]
    return function.registered is not None and any(map(_only_works_in_memory, helpers))


def _given_to(function: PythonFunction, name: str) -> list[ast.expr]:
    """Return what a function assigns to a variable, and what its loops take a variable from."""
    found = []
    for node in function.nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                found.append(value)
            case ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value) if target == name:
                found.append(value)
            case ast.For(target=ast.Name(id=target), iter=value) if target == name:
                found.append(value)
    return found


def _is_made(value: ast.expr) -> bool:
    """Whether an expression makes an object of its own, by a call that is judged by itself or by an operation."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name)
    return not isinstance(value, ast.Name | ast.Attribute | ast.Subscript)


def _reaches_out(function: PythonFunction, node: ast.AST) -> bool:
    match node:
        case ast.Name(id=name):
            return _is_of_others(function, name)
        case ast.Call(func=called):
            return not _is_harmless(function, called)
        case ast.Await(value=ast.Call(func=called)):
            return last_name(called) != "sleep"
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return True
        case ast.Global() | ast.Nonlocal():
            return True
    return isinstance(node, _COMPUTING) and not _joins_texts(node)


def _joins_texts(node: ast.AST) -> bool:
    """Whether an operation puts texts together: `"Found: " + ", ".join(names)`."""
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return any(isinstance(one, ast.JoinedStr) or _is_text(one) or _joins_texts(one) for one in (left, right))
    return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_of_others(function: PythonFunction, name: str) -> bool:
    """Whether a variable of the file is what another package has made, such as a client or a database."""
    root = function.file.assigned.get(name)
    if not isinstance(root, ast.Call) or any(one.name == name for one in function.all_parameters):
        return False
    while isinstance(root, ast.Attribute | ast.Call):
        root = root.func if isinstance(root, ast.Call) else root.value
    imported = function.file.imported_names.get(root.id) if isinstance(root, ast.Name) else None
    return imported is not None and imported.partition(".")[0] not in _MODULES


def _is_harmless(function: PythonFunction, called: ast.expr) -> bool:
    """Whether a call reports something, or makes a value of others; `get` of an attribute may ask a server."""
    name, root = last_name(called), called
    while isinstance(root, ast.Attribute):
        root = root.value
    imported = function.file.imported_names.get(root.id) if isinstance(root, ast.Name) else None
    if imported is not None and imported.partition(".")[0] not in _MODULES:
        return False
    if name == "get" and isinstance(called, ast.Attribute) and isinstance(called.value, ast.Attribute):
        return False
    return name in _TELLING | _MAKING or name.strip("_").startswith("log") or name[:1].isupper()
