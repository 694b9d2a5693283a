"""Finds the end of an expression, checks that its syntax tree has only what is allowed, and collects its references."""

import ast
import re
from collections.abc import Iterable
from typing import NamedTuple, NoReturn

from toolkit.pipelines.expressions.function_table import (
    FUNCTIONS,
    FUNCTIONS_HINT,
    METHOD_HINTS,
    NODES,
    NOT_ALLOWED,
    REFUSED,
    Function,
)
from toolkit.pipelines.expressions.json_values import ExpressionError, Unfit, checked_number
from toolkit.pipelines.expressions.operators import FORMATTING_HINT, OPERATORS
from toolkit.problems import did_you_mean

QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
TOKEN = f"(?s){QUOTED}" + r"""|['"]|[][(){}]|\#"""
CLOSERS = {")": "(", "]": "[", "}": "{"}


def end_of_expression(text: str, start: int) -> int | None:
    """Return the index of the `}}` that ends an expression: the first one outside quotes and brackets.

    Args:
        text: A string with `${{ }}` in it.
        start: The index after the `${{`.

    Returns:
        The index of the first brace, or `None` if it is missing.
    """
    open_brackets: list[str] = []
    tokens, position = re.compile(TOKEN), start
    while found := tokens.search(text, position):
        mark = found.group()
        if mark in CLOSERS:
            if mark == "}" and "{" not in open_brackets:
                if text.startswith("}}", found.start()):
                    return found.start()
            elif CLOSERS[mark] in open_brackets:
                while open_brackets.pop() != CLOSERS[mark]:
                    pass
        elif mark in CLOSERS.values():
            open_brackets.append(mark)
        position = found.end()
    return None


def comment_in(source: str) -> int | None:
    """Return the index of the first comment, or `None` if there is none."""
    return next((found.start() for found in re.finditer(TOKEN, source) if found.group() == "#"), None)


def without_strings(source: str) -> str:
    """Return the expression with spaces in place of its quoted strings."""
    return re.sub(TOKEN, lambda found: found.group() if len(found.group()) == 1 else " " * len(found.group()), source)


def span_of(node: ast.AST, source: str) -> tuple[int, int]:
    """Return the start and end of a node in characters. The syntax tree counts bytes."""
    start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    if end is None:
        return 0, len(source)
    if source.isascii():
        return start, end
    data = source.encode()
    return len(data[:start].decode()), len(data[:end].decode())


ROOTS = frozenset({"input", "inputs", "prev", "steps", "item", "index", "result", "error", "env"})
"""The names of the data that expressions can read."""

MAX_NESTING = 80
"""Maximum depth of an expression's syntax tree."""


class Reference(NamedTuple):
    """Data that an expression reads: `steps.list.output[0]` is the root `steps` and the path `list`, `output`, 0.

    Attributes:
        root: One of `ROOTS`.
        path: The keys and indexes after the root, up to the first one that is not constant.
        offset: The offset in the expression, in characters.
        length: The length of root and path, in characters.
    """

    root: str
    path: tuple[str | int, ...]
    offset: int
    length: int


class Check:
    """One pass over an expression's syntax tree. It raises an ExpressionError at the first node that is not allowed."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.references: list[Reference] = []

    def visit(self, node: ast.AST, bound: frozenset[str] = frozenset(), level: int = 0) -> None:
        """Check a node and everything inside it. `bound` holds the variables of the comprehensions around it."""
        if level > MAX_NESTING:
            self._refuse(node, "the expression is nested too deeply", "compute a part of it in a step with 'set:'")
        match node:
            case ast.Name() | ast.Attribute() | ast.Subscript():
                self._visit_chain(node, bound, level)
            case ast.Constant():
                self._visit_constant(node)
            case ast.Call():
                self._visit_call(node, bound, level)
            case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
                self._visit_comprehension(node, bound, level)
            case ast.BinOp() | ast.UnaryOp():
                self._visit_operation(node, bound, level)
            case ast.Compare():
                self._visit_identity(node)
                self._visit_all([node.left, *node.comparators], bound, level)
            case ast.List():
                self._visit_all([one.value if isinstance(one, ast.Starred) else one for one in node.elts], bound, level)
            case _:
                self._visit_other(node, bound, level)

    def _visit_other(self, node: ast.AST, bound: frozenset[str], level: int) -> None:
        if not isinstance(node, NODES):
            self._refuse(node, *REFUSED.get(type(node), NOT_ALLOWED))
        self._visit_all(ast.iter_child_nodes(node), bound, level)

    def _visit_all(self, nodes: Iterable[ast.AST], bound: frozenset[str], level: int) -> None:
        for node in nodes:
            self.visit(node, bound, level + 1)

    # ------------------------------------------------------------------------------------------------ names and paths

    def _visit_chain(self, node: ast.expr, bound: frozenset[str], level: int) -> None:
        """Check a name with the keys and indexes after it, such as `steps.list.output[0].title`."""
        base, links = _unrolled(node)
        if isinstance(base, ast.Name):
            self._visit_name(base, links, bound)
        else:
            self.visit(base, bound, level + len(links) + 1)
        for link in links:
            if isinstance(link, ast.Attribute):
                self._refuse_dunder(link, link.attr)
            elif constant_key(link) is None:
                self.visit(link.slice, bound, level + 1)
        if level + len(links) > MAX_NESTING:
            self._refuse(node, "the expression is nested too deeply")

    def _visit_name(self, name: ast.Name, links: "list[ast.Attribute | ast.Subscript]", bound: frozenset[str]) -> None:
        if name.id in bound:
            return
        if name.id not in ROOTS:
            self._refuse_dunder(name, name.id)
            self._refuse_name(name, bound)
        start, end = span_of(name, self.source)
        path: list[str | int] = []
        for link in links:
            key = constant_key(link)
            if key is None:
                break
            path.append(key)
            _, end = span_of(link, self.source)
        self.references.append(Reference(name.id, tuple(path), start, end - start))

    def _refuse_name(self, name: ast.Name, bound: frozenset[str]) -> NoReturn:
        if name.id in FUNCTIONS:
            self._refuse(name, f"'{name.id}' is a function", f"call it: {name.id}(…)")
        words = {"true": "True", "false": "False", "null": "None", "none": "None"}
        if word := words.get(name.id.lower()):
            self._refuse(name, f"there is no '{name.id}'", f"write {word}")
        otherwise = f"the names are {', '.join(sorted(ROOTS))}"
        self._refuse(name, f"there is no '{name.id}'", did_you_mean(name.id, [*ROOTS, *bound], otherwise=otherwise))

    def _refuse_dunder(self, node: ast.AST, name: str) -> None:
        if name.startswith("__"):
            self._refuse(node, f"the name '{name}' is not allowed")

    # ---------------------------------------------------------------------------------------------- values, operators

    def _visit_constant(self, node: ast.Constant) -> None:
        value = node.value
        if value is not None and not isinstance(value, (bool, int, float, str)):
            kind = {bytes: "bytes", complex: "imaginary numbers"}.get(type(value), "'...'")
            self._refuse(node, f"{kind} are not allowed" if kind != "'...'" else f"{kind} is not allowed")
        if isinstance(value, (int, float)):
            try:
                checked_number(value)
            except Unfit:
                self._refuse(node, "the number is too large")

    def _visit_operation(self, node: ast.BinOp | ast.UnaryOp, bound: frozenset[str], level: int) -> None:
        if type(node.op) not in OPERATORS:
            self._refuse(node, *REFUSED.get(type(node.op), NOT_ALLOWED))
        operands = [node.left, node.right] if isinstance(node, ast.BinOp) else [node.operand]
        if (
            isinstance(node.op, ast.Mod)
            and isinstance(operands[0], ast.Constant)
            and isinstance(operands[0].value, str)
        ):
            self._refuse(node, "'%' cannot format text", FORMATTING_HINT)
        self._visit_all(operands, bound, level)

    def _visit_identity(self, node: ast.Compare) -> None:
        for operator, right in zip(node.ops, node.comparators, strict=True):
            is_none = isinstance(right, ast.Constant) and right.value is None
            if isinstance(operator, (ast.Is, ast.IsNot)) and not is_none:
                self._refuse(node, "'is' can only be used with None", "write '==' or '!='")

    # ----------------------------------------------------------------------------------------------------------- calls

    def _visit_call(self, node: ast.Call, bound: frozenset[str], level: int) -> None:
        if isinstance(node.func, ast.Attribute):
            self._refuse_method(node, node.func)
        if not isinstance(node.func, ast.Name):
            self._refuse(node, "only functions can be called, by name")
        name = node.func.id
        if name not in FUNCTIONS:
            self._refuse_dunder(node.func, name)
            self._refuse(
                node.func, f"there is no function '{name}'", did_you_mean(name, FUNCTIONS, otherwise=FUNCTIONS_HINT)
            )
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                self._refuse(argument, "'*' is not allowed in a call")
        self._visit_arguments(node, name, FUNCTIONS[name])
        self._visit_all([*node.args, *(keyword.value for keyword in node.keywords)], bound, level)

    def _visit_arguments(self, node: ast.Call, name: str, function: Function) -> None:
        filled = set(function.parameters[: len(node.args)])
        for keyword in node.keywords:
            if keyword.arg is None:
                self._refuse(keyword, "'**' is not allowed in a call")
            if keyword.arg not in function.parameters:
                hint = did_you_mean(keyword.arg, function.parameters, otherwise=f"write {signature_of(name)}")
                self._refuse(keyword, f"{name} has no argument '{keyword.arg}'", hint)
            if keyword.arg in filled:
                self._refuse(keyword, f"the argument '{keyword.arg}' is given twice")
            filled.add(keyword.arg)
        too_many = len(node.args) > len(function.parameters) and not function.many
        missing = [parameter for parameter in function.parameters[: function.required] if parameter not in filled]
        if too_many or missing:
            given = len(node.args) + len(node.keywords)
            wrong = "too many arguments" if too_many else f"no argument '{missing[0]}'" if given else "no arguments"
            self._refuse(node, f"{name} has {wrong}", f"write {signature_of(name)}")

    def _refuse_method(self, node: ast.Call, method: ast.Attribute) -> NoReturn:
        self._refuse_dunder(method, method.attr)
        name = method.attr
        if name in FUNCTIONS:
            arguments = [self._written(one) for one in [method.value, *node.args]]
            if name == "join":
                arguments.reverse()
            hint: str | None = f"write {name}({', '.join(arguments)})"
        else:
            hint = METHOD_HINTS.get(name) or did_you_mean(name, FUNCTIONS, otherwise=FUNCTIONS_HINT)
        self._refuse(node, f"methods such as '.{name}(…)' cannot be called", hint)

    # -------------------------------------------------------------------------------------------------- comprehensions

    def _visit_comprehension(
        self, node: ast.ListComp | ast.GeneratorExp | ast.DictComp, bound: frozenset[str], level: int
    ) -> None:
        for generator in node.generators:
            if generator.is_async:
                self._refuse(node, "'async' is not allowed")
            self.visit(generator.iter, bound, level + 1)
            bound |= self._targets(generator.target)
            self._visit_all(generator.ifs, bound, level)
        self._visit_all([node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt], bound, level)

    def _targets(self, target: ast.expr) -> frozenset[str]:
        if isinstance(target, ast.Name):
            self._refuse_dunder(target, target.id)
            return frozenset({target.id})
        if not isinstance(target, (ast.List, ast.Tuple)):
            self._refuse(target, "only names are allowed between 'for' and 'in'")
        return frozenset[str]().union(*map(self._targets, target.elts))

    # -------------------------------------------------------------------------------------------------------- messages

    def _written(self, node: ast.AST) -> str:
        start, end = span_of(node, self.source)
        return self.source[start:end]

    def _refuse(self, node: ast.AST, message: str, hint: str | None = None) -> NoReturn:
        start, end = span_of(node, self.source)
        raise ExpressionError(message, start, max(end - start, 1), hint)


def _unrolled(node: ast.expr) -> "tuple[ast.expr, list[ast.Attribute | ast.Subscript]]":
    links: list[ast.Attribute | ast.Subscript] = []
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        links.append(node)
        node = node.value
    return node, links[::-1]


def constant_key(link: ast.Attribute | ast.Subscript) -> str | int | None:
    """Return the key or index of one part of a path, or `None` if it is not constant."""
    if isinstance(link, ast.Attribute):
        return link.attr
    match link.slice:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=str() | int() as key):
            return key
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)) if not isinstance(number, bool):
            return -number
        case _:
            return None


def signature_of(name: str) -> str:
    """Return the signature of a function for messages, such as `get(container, key, [default])`."""
    function = FUNCTIONS[name]
    shown = [
        parameter if position < function.required else f"[{parameter}]"
        for position, parameter in enumerate(function.parameters)
    ]
    return f"{name}({', '.join([*shown, *(['…'] if function.many else [])])})"
