"""TK411: a result of any size, which a client may cut."""

import ast
from collections.abc import Iterator

from toolkit.codes import UNBOUNDED_RESULT
from toolkit.lint.clues.guards import begins_with, carriers_of, names_in
from toolkit.lint.rule import Rule
from toolkit.problems import Problem
from toolkit.source_code.python_functions import PythonFunction
from toolkit.source_code.source_files import last_name
from toolkit.tools.definition.names import words_of

_SIZES = frozenset(
    {"chars", "count", "cursor", "end", "first", "head", "k", "last", "length", "limit", "line", "lines", "max", "maximum", "n",
     "num", "number", "offset", "page", "pages", "range", "rows", "size", "start", "tail", "tokens", "top"}
)  # fmt: skip
"""Words in the name of a parameter with which a model asks for less."""
_CUTS = frozenset(
    {"cap", "chunk", "clip", "cut", "fetchmany", "head", "islice", "limit", "paginate", "shorten", "summarise", "summarize",
     "trim", "truncate", "truncated", "wrap"}
)  # fmt: skip
"""Words in the name of a function that makes a text or a list shorter."""
_MEASURES = {"len", "st_size", "getsize"}
"""What a comparison with a limit reads."""
_KEEP = {"str", "join", "dumps", "decode", "strip", "lstrip", "rstrip", "replace", "list", "dict", "format"}
"""Functions and methods whose result is about as large as what they are given."""


class UnboundedResult(Rule):
    '''A tool returns a whole file, page or query result that the model chooses, however large it is.

    ## Why

    A model asks for a log file or for all rows of a table, and receives hundreds of thousands of tokens. Most clients cut such a
    result or save it to a file: [Clients](../clients.md#what-the-model-receives-of-a-result) lists from which size. Let the model ask
    for a part (`limit`, `offset`, lines), or cut the result and say so in it. In your own tools, `result_tokens` refuses what is too
    large.

    The rule only reads the source. A slice, a comparison of the length, and a parameter such as `limit` count as bounds.

    ## Example

    ```python
    from pathlib import Path

    from toolkit import tool


    @tool(read_only=True)
    def read_log(path: str) -> str:
        """Read a log file."""
        return Path(path).read_text("utf-8")
    ```

    ## Instead

    ```python
    from pathlib import Path

    from toolkit import tool


    @tool(read_only=True)
    def read_log(path: str, last_lines: int = 200) -> str:
        """Read the end of a log file."""
        return "\\n".join(Path(path).read_text("utf-8").splitlines()[-last_lines:])
    ```

    ## Source

    - [What each client does with a large result](../clients.md#what-the-model-receives-of-a-result) (checked 2026-11-27)
    '''

    code = UNBOUNDED_RESULT
    severity = "info"
    default = False

    def check_function(self, function: PythonFunction) -> Iterator[Problem]:
        if _is_bounded(function):
            return
        whole = _Whole(function)
        returned = (one.value for one in function.own_nodes if isinstance(one, ast.Return) and one.value is not None)
        for node in filter(None, map(whole.read_in, returned)):
            message = f"tool {function.tool_name!r} returns all of '{function.file.segment(node)}', however much it is"
            hint = "let the model ask for a part, such as limit or offset, or cut the result and say so"
            yield self.problem(message, function.file.location(node), hint=hint)
            return


def _is_bounded(function: PythonFunction) -> bool:
    """Return whether anything limits the size of the result, or lets the model limit it."""
    if function.option("result_tokens") is not None:
        return True
    return any(_SIZES.intersection(words_of(one.name)) for one in function.parameters) or any(
        map(_bounds, function.nodes)
    )


def _bounds(node: ast.AST) -> bool:
    match node:
        case ast.Slice():
            return True
        case ast.Call(func=func):
            return not _CUTS.isdisjoint(words_of(last_name(func)))
        case ast.Compare():
            measured = {last_name(one) for one in ast.walk(node) if isinstance(one, ast.Name | ast.Attribute)}
            return not measured.isdisjoint(_MEASURES)
    return False


class _Whole:
    """What a function reads as a whole from where a parameter says: a file, a page, or the rows of a query."""

    def __init__(self, function: PythonFunction) -> None:
        carriers = [carriers_of(function, one.name, _reads_any) for one in function.parameters]
        self._chosen = frozenset[str]().union(*carriers)
        self._opened: set[str] = set()
        self._names: dict[str, ast.expr] = {}
        for node in function.own_nodes:
            self._follow(node)

    def _follow(self, node: ast.AST) -> None:
        """Remember the variables with what is open, and with what was read."""
        match node:
            case ast.withitem(context_expr=value, optional_vars=ast.Name(id=name)) if self._opens(value):
                self._opened.add(name)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="execute")) if self._opens(node):
                self._opened.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._opens(value):
                self._opened.add(name)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (found := self.read_in(value)) is not None:
                self._names[name] = found

    def read_in(self, node: ast.expr) -> ast.expr | None:
        """Return what an expression contains of what was read as a whole, if it does."""
        if self._reads(node):
            return node
        if isinstance(node, ast.Name):
            return self._names.get(node.id)
        return next(filter(None, map(self.read_in, _kept_in(node))), None)

    def _reads(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=opened, attr="text" | "content"):
                return self._is_open(opened)
            case ast.Call(func=ast.Attribute(value=opened, attr="read" | "readlines" | "fetchall"), args=[]):
                return self._is_open(opened)
            case ast.Call(func=ast.Attribute(value=path, attr="read_text")):
                return _reads_any(path, self._chosen)
        return False

    def _is_open(self, node: ast.expr) -> bool:
        return node.id in self._opened if isinstance(node, ast.Name) else self._opens(node)

    def _opens(self, node: ast.expr) -> bool:
        """Return whether an expression opens what a parameter says: a file, a page at a URL, or a query."""
        match node:
            case ast.Await(value=inner):
                return self._opens(inner)
            case ast.Call(func=ast.Attribute(attr="get"), args=[url, *_]):
                return begins_with(url, self._chosen)
            case ast.Call(func=ast.Attribute(attr="execute"), args=[ast.Name() as query, *_]):
                return _reads_any(query, self._chosen)
            case ast.Call(func=func, args=[path, *_]) if last_name(func) == "open":
                return _reads_any(path, self._chosen)
        return False


def _reads_any(node: ast.expr, names: set[str] | frozenset[str]) -> bool:
    return not names_in(node).isdisjoint(names)


def _kept_in(node: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression that its value contains as a whole."""
    match node:
        case ast.Await(value=inner) | ast.FormattedValue(value=inner):
            return [inner]
        case ast.Call(func=ast.Attribute(value=owner) as func, args=args) if last_name(func) in _KEEP:
            return [owner, *args]
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords) if name in _KEEP or name[:1].isupper():
            return [*args, *(one.value for one in keywords)]
        case ast.Dict(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.JoinedStr(values=parts):
            return parts
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.ListComp(generators=[ast.comprehension(iter=inner, ifs=[])]):
            return [inner]
    return []
