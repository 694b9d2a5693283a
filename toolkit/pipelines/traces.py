"""Traces the text of a value to the steps that it came from, through every expression that passes it on.

Values that are computed without keeping the text, such as numbers and comparisons, have no trace. Neither has text that
a condition compares with something before it is used, nor the result of `replace`: the author has considered it.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from toolkit.pipelines.expressions.function_table import FUNCTIONS
from toolkit.pipelines.expressions.syntax_checks import constant_key
from toolkit.pipelines.schema_relations import Schema, alternatives, member
from toolkit.pipelines.templated_data import ListValue, MappingValue, TemplateValue, Value, expressions_in
from toolkit.schemas.places import declared_kinds

_PASSING = frozenset(
    {
        "str",
        "json",
        "parse_json",
        "min",
        "max",
        "lower",
        "upper",
        "strip",
        "join",
        "unique",
        "keys",
        "values",
        "default",
    }
)
"""The functions whose result contains text of their arguments."""

_COMPARING = frozenset({"startswith", "endswith", "contains"})
_WORDLESS = frozenset({"integer", "number", "boolean", "null"})


class Trace(NamedTuple):
    """The origins of the text in some data.

    Attributes:
        origins: The steps that the text came from, including the text of members and items.
        schema: The schema of the data, if known.
        parts: The traces of the members of a mapping that the pipeline itself created; `None` for other data.
        items: The trace of every item of a list that the pipeline itself created; `None` for other data.
    """

    origins: frozenset[str] = frozenset()
    schema: Schema | None = None
    parts: "Mapping[str, Trace] | None" = None
    items: "Trace | None" = None

    @classmethod
    def of_parts(cls, parts: "Mapping[str, Trace]") -> "Trace":
        return cls(_words(parts.values()), parts=parts)

    @classmethod
    def of_items(cls, items: "Trace") -> "Trace":
        return cls(items.words, items=items)

    @property
    def words(self) -> frozenset[str]:
        """The steps that the text came from; empty if the type of the data cannot hold arbitrary text."""
        return frozenset() if self.origins and _is_closed(self.schema) else self.origins

    def at(self, key: str | int) -> "Trace":
        """Return the trace of a member or an item."""
        if self.items is not None:
            return self.items
        if self.parts is not None:
            return self.parts.get(str(key), NOTHING)
        return Trace(self.origins, member(self.schema, key)[1]) if self.origins else NOTHING


NOTHING = Trace()


def merged(traces: Iterable[Trace]) -> Trace:
    """Return the trace of data that is one of several values, or is made from them."""
    found = list(traces)
    return found[0] if len(found) == 1 else Trace(_words(found))


def _words(traces: Iterable[Trace]) -> frozenset[str]:
    return frozenset[str]().union(*(trace.words for trace in traces))


def _is_closed(schema: Schema | None) -> bool:
    """Return whether a value can only be a number, a boolean, null, or one of the constants that the schema lists."""
    parts = alternatives(schema)
    return bool(parts) and all(
        declared_kinds(part) <= _WORDLESS or "enum" in part or "const" in part for part in parts or ()
    )


class Tracer:
    """Follows data through the expressions at one point of a pipeline.

    Args:
        names: The traces of the names that expressions can read.
        compared: The expressions that a condition compares with something.
    """

    def __init__(self, names: Mapping[str, Trace], compared: frozenset[str] = frozenset()) -> None:
        self._names = names
        self._compared = compared

    def knowing(self, condition: Value | None) -> "Tracer":
        """Return a tracer for expressions that are evaluated only if a condition is true."""
        trees = [located.expression.tree for located in expressions_in(condition)]
        return self._with({}, trees) if trees else self

    def naming(self, **names: Trace) -> "Tracer":
        """Return a tracer with additional names."""
        return self._with(names, ())

    def _with(self, names: Mapping[str, Trace], conditions: Iterable[ast.expr]) -> "Tracer":
        compared = (one for condition in conditions for one in _compare_in(condition))
        return Tracer({**self._names, **names}, self._compared.union(compared))

    def named(self, name: str) -> Trace:
        """Return the trace of a name."""
        return NOTHING if name in self._compared else self._names.get(name, NOTHING)

    def value(self, value: Value | None) -> Trace:
        match value:
            case TemplateValue():
                traces = [self.expression(expression.tree) for expression, _ in value.template.expressions]
                return traces[0] if value.template.single else Trace(_words(traces))
            case ListValue():
                return Trace.of_items(merged(map(self.value, value.items)))
            case MappingValue():
                return Trace.of_parts({name: self.value(entry) for name, entry in value.entries.items()})
            case _:
                return NOTHING

    def expression(self, node: ast.expr) -> Trace:
        if self._compared and ast.unparse(node) in self._compared:
            return NOTHING
        match node:
            case ast.Name(id=name):
                return self.named(name)
            case ast.Attribute(value=inner, attr=key):
                return self.expression(inner).at(key)
            case ast.Subscript(value=inner):
                return self._member(self.expression(inner), node)
            case ast.Call(func=ast.Name(id=name)):
                return self._call(name, node)
            case ast.IfExp() | ast.BoolOp() | ast.BinOp():
                return self._choice(node)
            case _:
                return self._collection(node)

    def _choice(self, node: ast.IfExp | ast.BoolOp | ast.BinOp) -> Trace:
        match node:
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                tracer = self._with({}, [test])
                return merged([tracer.expression(body), tracer.expression(otherwise)])
            case ast.BoolOp(values=values):
                return merged(map(self.expression, values))
            case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
                return Trace(_words([self.expression(left), self.expression(right)]))
            case _:
                return NOTHING  # a computed number

    def _collection(self, node: ast.expr) -> Trace:
        match node:
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return Trace.of_items(merged(map(self._element, elements)))
            case ast.Dict():
                return self._mapping(node)
            case ast.ListComp(elt=element, generators=loops) | ast.GeneratorExp(elt=element, generators=loops):
                return Trace.of_items(self._inside(loops).expression(element))
            case ast.DictComp(key=key, value=value, generators=loops):
                tracer = self._inside(loops)
                return Trace(_words([tracer.expression(key), tracer.expression(value)]))
            case _:
                return NOTHING  # a constant, a comparison, a negation

    def _mapping(self, node: ast.Dict) -> Trace:
        traces = list(map(self.expression, node.values))
        names = [key.value for key in node.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)]
        if len(names) < len(traces):
            return Trace(_words(traces))
        return Trace.of_parts(dict(zip(names, traces, strict=True)))

    def _element(self, node: ast.expr) -> Trace:
        return self.expression(node.value).at(0) if isinstance(node, ast.Starred) else self.expression(node)

    def _member(self, inner: Trace, node: ast.Subscript) -> Trace:
        if isinstance(node.slice, ast.Slice):
            return inner
        key = constant_key(node)
        return Trace(inner.words) if key is None else inner.at(key)

    def _call(self, name: str, node: ast.Call) -> Trace:
        by_place = zip(FUNCTIONS[name].parameters, node.args, strict=False)
        written = [*by_place, *((one.arg, one.value) for one in node.keywords)]
        given = {parameter: self.expression(value) for parameter, value in written}
        match name:
            case "get":
                key = constant_key(ast.Subscript(node, dict(written)["key"]))
                found = Trace(given["container"].words) if key is None else given["container"].at(key)
                return merged([found, *([given["default"]] if "default" in given else [])])
            case "first" | "last":
                return merged([given["items"].at(0), *([given["default"]] if "default" in given else [])])
            case "sorted":
                return given["items"]
            case "split" | "lines":
                return Trace.of_items(Trace(given["text"].words))
            case _ if name in _PASSING:
                return Trace(_words([*given.values(), *map(self.expression, node.args)]))
            case _:
                return NOTHING

    def _inside(self, loops: list[ast.comprehension]) -> "Tracer":
        tracer = self
        for loop in loops:
            items = tracer.expression(loop.iter).at(0)
            is_one = isinstance(loop.target, ast.Name)
            targets = [node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)]
            names = {target: items if is_one else Trace(items.words) for target in targets}
            tracer = tracer._with(names, loop.ifs)
        return tracer


def _compare_in(condition: ast.expr) -> Iterator[str]:
    """Yield the source of every expression that a condition compares with something."""
    for node in ast.walk(condition):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare) and all(isinstance(op, ast.Eq | ast.In | ast.NotIn) for op in node.ops):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _COMPARING:
            sides = [*node.args, *(one.value for one in node.keywords)]
        for side in sides:
            while isinstance(side, ast.Call) and isinstance(side.func, ast.Name) and side.func.id in _PASSING:
                side = [*side.args, *(one.value for one in side.keywords)][0]  # noqa: PLW2901 - unwrapped
            yield ast.unparse(side)
