"""Evaluates checked expressions by walking over their syntax trees.

Only the nodes, operators and functions in our tables are evaluated. Attribute access only reads keys of mappings. Every
step counts against a bounded budget.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

from toolkit.pipelines.expressions.function_table import FUNCTIONS, Spender
from toolkit.pipelines.expressions.json_values import (
    ExpressionError,
    Unfit,
    check_count,
    checked_key,
    kind_of,
    size_of,
)
from toolkit.pipelines.expressions.operators import OPERATORS
from toolkit.pipelines.expressions.syntax_checks import span_of
from toolkit.problems import did_you_mean

KEYS_SHOWN = 8
COMPARISONS_OF_ALL = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)


def evaluate(tree: ast.expr, source: str, roots: Mapping[str, Any]) -> Any:
    """Return the value of a checked tree, which is plain JSON data.

    Raises:
        ExpressionError: If the expression fails with these roots, or would take too much time or memory.
    """
    try:
        result = Evaluator(source, roots).value_of(tree)
        if not _only_reads(tree):
            size_of(result)
    except Unfit as unfit:
        raise ExpressionError(str(unfit), 0, len(source), unfit.hint) from None
    except (RecursionError, MemoryError):
        raise ExpressionError("the data is nested too deeply", 0, len(source)) from None
    return result


def _only_reads(node: ast.AST) -> bool:
    """Return whether an expression only reads existing data, so that its size need not be checked."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
            return False
        node = node.value
    return isinstance(node, ast.Name)


class Evaluator(Spender):
    """One evaluation of one checked expression."""

    def __init__(self, source: str, roots: Mapping[str, Any]) -> None:
        self.source = source
        self.roots = roots
        self.bound: dict[str, Any] = {}

    def value_of(self, node: ast.AST) -> Any:
        """Return the value of a node. Errors are raised with the location of the node."""
        self.spend(1)
        try:
            return self.handlers[type(node)](self, node)
        except Unfit as unfit:
            raise self.error(node, str(unfit), unfit.hint) from None
        except ZeroDivisionError:
            raise self.error(node, "division by zero") from None
        except OverflowError:
            raise self.error(node, "the number is too large") from None

    def error(self, node: ast.AST, message: str, hint: str | None = None) -> ExpressionError:
        """Return an error at a part of the expression."""
        start, end = span_of(node, self.source)
        return ExpressionError(message, start, max(end - start, 1), hint)

    def written(self, node: ast.AST) -> str:
        """Return the source of a part of the expression."""
        start, end = span_of(node, self.source)
        return self.source[start:end]

    # ------------------------------------------------------------------------------------------- names, keys, indexes

    def _eval_name(self, node: ast.Name) -> Any:
        if node.id in self.bound:
            return self.bound[node.id]
        if node.id in self.roots:
            return self.roots[node.id]
        raise Unfit(f"'{node.id}' has no value here", did_you_mean(node.id, self.roots))

    def _eval_attribute(self, node: ast.Attribute) -> Any:
        container = self.value_of(node.value)
        if isinstance(container, Mapping) and node.attr in container:
            return container[node.attr]
        raise self._missing(node.value, container, node.attr)

    def _eval_subscript(self, node: ast.Subscript) -> Any:
        container = self.value_of(node.value)
        if isinstance(node.slice, ast.Slice):
            return self._sliced(container, node.slice)
        key = self.value_of(node.slice)
        if isinstance(container, Mapping):
            if checked_key(key) in container:
                return container[key]
            raise self._missing(node.value, container, key)
        if isinstance(container, (list, tuple, str)) and isinstance(key, int) and not isinstance(key, bool):
            if -len(container) <= key < len(container):
                return container[key]
            count = f"{len(container)} {'item' if len(container) == 1 else 'items'}"
            raise Unfit(f"there is no {key} in '{self.written(node.value)}', which has {count}")
        if isinstance(key, str):
            raise self._missing(node.value, container, key)
        raise Unfit(f"{kind_of(container)} cannot be indexed by {kind_of(key)}")

    def _missing(self, node: ast.AST, container: Any, key: str) -> Unfit:
        shown = key if len(key) <= 80 else f"{key[:80]}…"  # noqa: PLR2004 - enough for a message
        if not isinstance(container, Mapping):
            return Unfit(
                f"'{self.written(node)}' is {kind_of(container)} and has no '{shown}'", _hint_for(container, key)
            )
        keys = [name for name in container if isinstance(name, str)]
        return Unfit(
            f"'{self.written(node)}' has no '{shown}'", did_you_mean(key, keys[:1000], otherwise=_inventory(keys))
        )

    def _sliced(self, container: Any, slice_node: ast.Slice) -> Any:
        if not isinstance(container, (str, list, tuple)):
            raise Unfit(f"{kind_of(container)} cannot be sliced")
        parts = (slice_node.lower, slice_node.upper, slice_node.step)
        bounds = [None if part is None else self.value_of(part) for part in parts]
        if any(bound is not None and (isinstance(bound, bool) or not isinstance(bound, int)) for bound in bounds):
            raise Unfit("the bounds and the step of a slice must be whole numbers")
        if bounds[2] == 0:
            raise Unfit("the step of a slice cannot be 0")
        part = container[slice(*bounds)]
        self.spend_on(part)
        return part

    # ---------------------------------------------------------------------------------------------------- computations

    def _eval_sign(self, node: ast.UnaryOp) -> Any:
        return OPERATORS[type(node.op)](self.value_of(node.operand))

    def _eval_operation(self, node: ast.BinOp) -> Any:
        result = OPERATORS[type(node.op)](self.value_of(node.left), self.value_of(node.right))
        self.spend_on(result)
        return result

    def _eval_and_or(self, node: ast.BoolOp) -> Any:
        *others, last = node.values
        decides_early = isinstance(node.op, ast.Or)
        for other in others:
            value = self.value_of(other)
            if bool(value) is decides_early:
                return value
        return self.value_of(last)

    def _eval_choice(self, node: ast.IfExp) -> Any:
        return self.value_of(node.body if self.value_of(node.test) else node.orelse)

    def _eval_compare(self, node: ast.Compare) -> bool:
        left = self.value_of(node.left)
        for operation, comparator in zip(node.ops, node.comparators, strict=True):
            right = self.value_of(comparator)
            if isinstance(operation, COMPARISONS_OF_ALL):
                self.spend_on_comparing(left, right)
            if not OPERATORS[type(operation)](left, right):
                return False
            left = right
        return True

    def _eval_call(self, node: ast.Call) -> Any:
        function = FUNCTIONS[node.func.id]  # type: ignore[attr-defined]  # the check allows only names
        arguments = [self.value_of(argument) for argument in node.args]
        named = {str(keyword.arg): self.value_of(keyword.value) for keyword in node.keywords}
        self.spend_on_arguments(function, [*arguments, *named.values()])
        result = function.call(*arguments, **named)
        if function.cost == "makes":
            self.spend_on(result)
        elif function.cost == "walks":
            self.spend(size_of(result))
        return result

    # ------------------------------------------------------------------------------------------------- lists, mappings

    def _eval_list(self, node: ast.List | ast.Tuple) -> list[Any]:
        items: list[Any] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                added = self.value_of(element.value)
                if not isinstance(added, (list, tuple)):
                    raise self.error(element, f"'*' unpacks a list, not {kind_of(added)}")
                self.spend_on(added)
                items.extend(added)
            else:
                items.append(self.value_of(element))
            check_count(len(items))
        return items

    def _eval_dict(self, node: ast.Dict) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                added = self.value_of(value)
                if not isinstance(added, Mapping):
                    raise self.error(value, f"'**' unpacks a mapping, not {kind_of(added)}")
                self.spend_on(added)
                entries.update(added)
            else:
                entries[checked_key(self.value_of(key))] = self.value_of(value)
            check_count(len(entries))
        return entries

    def _eval_list_comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> list[Any]:
        items: list[Any] = []
        for _ in self._rounds(node.generators):
            items.append(self.value_of(node.elt))
            check_count(len(items))
        return items

    def _eval_dict_comprehension(self, node: ast.DictComp) -> dict[str, Any]:
        entries: dict[str, Any] = {}
        for _ in self._rounds(node.generators):
            entries[checked_key(self.value_of(node.key))] = self.value_of(node.value)
            check_count(len(entries))
        return entries

    def _rounds(self, generators: list[ast.comprehension]) -> Iterator[None]:
        """Yield once for each iteration of a comprehension, with its variables bound; unbind them at the end."""
        outer = self.bound
        self.bound = dict(outer)
        yield from self._nested_rounds(generators)
        self.bound = outer

    def _nested_rounds(self, generators: list[ast.comprehension]) -> Iterator[None]:
        generator, *inner = generators
        items = self.value_of(generator.iter)
        if not isinstance(items, (list, tuple, str, Mapping)):
            raise self.error(generator.iter, f"cannot loop over {kind_of(items)}")
        for item in items:
            self.spend(1)
            self._bind(generator.target, item)
            if all(self.value_of(condition) for condition in generator.ifs):
                if inner:
                    yield from self._nested_rounds(inner)
                else:
                    yield

    def _bind(self, target: ast.expr, value: Any) -> None:
        if isinstance(target, ast.Name):
            self.bound[target.id] = value
            return
        targets: list[ast.expr] = target.elts  # type: ignore[attr-defined]  # the check allows only names and lists
        if not isinstance(value, (list, tuple)) or len(value) != len(targets):
            raise self.error(target, f"{kind_of(value)} cannot be unpacked into {len(targets)} names")
        for part, item in zip(targets, value, strict=True):
            self._bind(part, item)

    handlers: ClassVar[dict[type[ast.AST], Callable[..., Any]]] = {
        ast.Constant: lambda _self, node: node.value,
        ast.Name: _eval_name,
        ast.Attribute: _eval_attribute,
        ast.Subscript: _eval_subscript,
        ast.UnaryOp: _eval_sign,
        ast.BinOp: _eval_operation,
        ast.BoolOp: _eval_and_or,
        ast.Compare: _eval_compare,
        ast.IfExp: _eval_choice,
        ast.Call: _eval_call,
        ast.List: _eval_list,
        ast.Tuple: _eval_list,
        ast.Dict: _eval_dict,
        ast.ListComp: _eval_list_comprehension,
        ast.GeneratorExp: _eval_list_comprehension,
        ast.DictComp: _eval_dict_comprehension,
    }


def _hint_for(container: Any, key: str) -> str | None:
    if container is None:
        return f"get(…, '{key[:80]}') returns null if it is missing"
    if isinstance(container, str):
        return "parse_json(…) parses text that is JSON"
    if isinstance(container, (list, tuple)):
        return f"[item.{key[:80]} for item in …] reads it from each item" if key.isidentifier() else None
    return None


def _inventory(keys: list[str]) -> str:
    if not keys:
        return "it is empty"
    shown = ", ".join(f"'{key[:80]}'" for key in keys[:KEYS_SHOWN])
    return f"it has {shown}{', …' if len(keys) > KEYS_SHOWN else ''}"
