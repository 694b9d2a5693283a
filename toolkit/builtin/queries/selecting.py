"""Evaluates JSONPath queries on a document.

Numbers are compared exactly as they are written. The number of steps and the time of a query are limited.
"""

from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from time import monotonic
from typing import Any, Final

from toolkit.builtin.json_paths import Number, Picked, UnreadableError, compact, pick_by, plain
from toolkit.builtin.queries.query_parser import (
    All,
    Any as Either,
    Call,
    Comparison,
    Constant,
    Exists,
    Filter,
    Holds,
    Index,
    Logical,
    Name,
    Not,
    Operand,
    Operator,
    Query,
    Segment,
    Selector,
    Slice,
    Wildcard,
    parse_query,
)
from toolkit.builtin.regular_expressions import compile_interoperable
from toolkit.regex_checks import LineExpression, MalformedExpressionError, TooMuchWorkError

_MAX_STEPS = 2_000_000
_MAX_CHARACTERS = 10_000_000
_SECONDS = 10.0
_STEPS_BETWEEN_CHECKS = 1_000
_MAX_EXPRESSIONS = 8
_NOTHING: Final = object()


def pick_selected(document: str, text: str) -> Picked:
    """Return the value that a query selects, or a list of all values if the query can select more than one.

    Raises:
        UnreadableError: If the query or the document is malformed, a query for one value finds none, or the query
            takes too much work.
    """
    query = parse_query(text)

    def follow(value: Any) -> Picked:
        found = select(query, value)
        if not query.is_singular:
            return _all(found)
        if not found:
            raise UnreadableError(f"Path not found: '{text}'")
        return Picked.of(found[0])

    return pick_by(follow, document)


def _all(values: list[Any]) -> Picked:
    """Return values as one list, whose size is limited since `..` can select the same data many times."""
    texts: list[str] = []
    room = _MAX_CHARACTERS
    for value in values:
        texts.append(compact(value))
        room -= len(texts[-1])
        if room < 0:
            raise UnreadableError(f"The query selects too much: more than {_MAX_CHARACTERS} characters")
    return Picked(f"[{','.join(texts)}]", plain(values))


def select(query: Query, document: Any) -> list[Any]:
    """Return the values that a query selects of a document, in the order of the standard.

    Args:
        query: The parsed query.
        document: Lists, dictionaries, strings, `Number`s, booleans and `None`.

    Raises:
        UnreadableError: If the query takes too much work.
    """
    return _Selection(document).nodes(query, document)


class _Selection:
    """The evaluation of one query, with the work it has taken so far."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.steps = 0
        self.end = monotonic() + _SECONDS
        self.expressions: dict[tuple[str, str], LineExpression | None] = {}

    def nodes(self, query: Query, current: Any) -> list[Any]:
        values = [self.root if query.from_root else current]
        for segment in query.segments:
            values = [found for value in values for found in self.of_segment(segment, value)]
        return values

    def of_segment(self, segment: Segment, value: Any) -> Iterator[Any]:
        for each in self.within(value) if segment.descends else (value,):
            for selector in segment.selectors:
                for found in self.of_selector(selector, each):
                    self.count()
                    yield found

    def within(self, value: Any) -> Iterator[Any]:
        """Yield a value and all values inside it, parents before their children."""
        waiting = [value]
        while waiting:
            following = waiting.pop()
            self.count()
            yield following
            waiting.extend(reversed(_inner(following)))

    def of_selector(self, selector: Selector, value: Any) -> Iterator[Any]:
        match selector:
            case Name(name):
                if type(value) is dict and name in value:
                    yield value[name]
            case Index(index):
                if type(value) is list and -len(value) <= index < len(value):
                    yield value[index]
            case Slice(start, end, step):
                if type(value) is list and step != 0:
                    yield from value[start:end:step]
            case Wildcard():
                yield from _inner(value)
            case Filter(condition):
                yield from self.filtered(condition, value)

    def filtered(self, condition: Logical, value: Any) -> Iterator[Any]:
        for each in _inner(value):
            self.count()
            if self.holds(condition, each):
                yield each

    def holds(self, condition: Logical, current: Any) -> bool:
        match condition:
            case Comparison(left, operator, right):
                return self.compares(self.value(left, current), operator, self.value(right, current))
            case Exists(query):
                return bool(self.nodes(query, current))
            case Holds(call):
                return self.matches(call, current)
            case Not(part):
                return not self.holds(part, current)
            case All(parts):
                return all(self.holds(part, current) for part in parts)
            case Either(parts):
                return any(self.holds(part, current) for part in parts)

    def value(self, operand: Operand, current: Any) -> Any:
        """Return the value of an operand, or `_NOTHING` if it has none."""
        match operand:
            case Constant(value):
                return value
            case Query():
                found = self.nodes(operand, current)
                return found[0] if found else _NOTHING
            case Call("length", (argument,)):
                value = self.value(argument, current)
                return Number(str(len(value))) if type(value) in {str, list, dict} else _NOTHING
            case Call("count", (Query() as query,)):
                return Number(str(len(self.nodes(query, current))))
            case Call("value", (Query() as query,)):
                found = self.nodes(query, current)
                return found[0] if len(found) == 1 else _NOTHING
        raise AssertionError(operand)  # the parser refuses every other call

    def compares(self, left: Any, operator: Operator, right: Any) -> bool:
        match operator:
            case "==":
                return self.equal(left, right)
            case "!=":
                return not self.equal(left, right)
            case "<":
                return _less(left, right)
            case ">":
                return _less(right, left)
            case "<=":
                return _less(left, right) or self.equal(left, right)
            case ">=":
                return _less(right, left) or self.equal(left, right)

    def equal(self, one: Any, other: Any) -> bool:
        self.count()
        if type(one) is not type(other):
            return False
        if type(one) is Number:
            return one.written == other.written or _order(one, other) == 0
        if type(one) is list:
            return len(one) == len(other) and all(map(self.equal, one, other))
        if type(one) is dict:
            return one.keys() == other.keys() and all(self.equal(value, other[name]) for name, value in one.items())
        return bool(one == other)

    def matches(self, call: Call, current: Any) -> bool:
        text, expression = (self.value(argument, current) for argument in call.arguments)
        if type(text) is not str or type(expression) is not str:
            return False
        compiled = self.compiled(call.function, expression)
        if monotonic() > self.end:  # checked for each match since one can take as long as a thousand other steps
            raise _too_much()
        try:
            return compiled is not None and compiled.matches(text)
        except TooMuchWorkError as error:
            raise _too_much() from error

    def compiled(self, function: str, expression: str) -> LineExpression | None:
        """Return a compiled expression; only a few are cached since each can take megabytes."""
        key = function, expression
        if key in self.expressions:
            return self.expressions[key]
        if len(self.expressions) >= _MAX_EXPRESSIONS:
            self.expressions.clear()
        try:
            self.expressions[key] = compile_interoperable(expression, whole=function == "match")
        except MalformedExpressionError as error:
            raise UnreadableError(f"Invalid query: the expression '{expression[:50]}' is too large: {error}") from error
        return self.expressions[key]

    def count(self) -> None:
        self.steps += 1
        if self.steps > _MAX_STEPS or (self.steps % _STEPS_BETWEEN_CHECKS == 0 and monotonic() > self.end):
            raise _too_much()


def _inner(value: Any) -> list[Any]:
    if type(value) is list:
        return value
    return list(value.values()) if type(value) is dict else []


def _too_much() -> UnreadableError:
    return UnreadableError("The query takes too much work: select less of the document, or use fewer '..' and '?'")


def _less(one: Any, other: Any) -> bool:
    if type(one) is str and type(other) is str:
        return one < other
    return type(one) is Number and type(other) is Number and _order(one, other) < 0


def _order(one: Number, other: Number) -> int:
    """Compare two numbers; the result is negative, zero or positive."""
    try:
        left, right = Decimal(one.written), Decimal(other.written)
    except InvalidOperation as error:
        raise UnreadableError("Invalid query: a number has too large an exponent to be compared") from error
    return (left > right) - (left < right)
