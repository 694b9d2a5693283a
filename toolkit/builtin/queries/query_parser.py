"""Parses JSONPath queries (RFC 9535) to syntax trees; errors contain the position of the mistake."""

import json
import re
from typing import Final, Literal, NamedTuple, NoReturn

from toolkit.builtin.json_paths import Number, UnreadableError

Operator = Literal["==", "!=", "<", "<=", ">", ">="]
Kind = Literal["value", "nodes", "logical"]


class Name(NamedTuple):
    """Selects a member of an object by name."""

    name: str


class Index(NamedTuple):
    """Selects an element of an array, from its end if the number is negative."""

    number: int


class Slice(NamedTuple):
    """Selects elements of an array like a Python slice."""

    start: int | None
    end: int | None
    step: int | None


class Wildcard(NamedTuple):
    """Selects all members of an object or elements of an array."""


class Filter(NamedTuple):
    """Selects the members or elements for which a condition holds."""

    condition: "Logical"


Selector = Name | Index | Slice | Wildcard | Filter


class Segment(NamedTuple):
    """Applies selectors to each value selected so far and, if it descends, also to all values inside it."""

    selectors: tuple[Selector, ...]
    descends: bool


class Query(NamedTuple):
    """Segments that start from the whole document, or from the value that a filter tests."""

    segments: tuple[Segment, ...]
    from_root: bool

    @property
    def is_singular(self) -> bool:
        """Whether the query selects at most one value of any document."""
        return all(
            not segment.descends and len(segment.selectors) == 1 and isinstance(segment.selectors[0], Name | Index)
            for segment in self.segments
        )


class Constant(NamedTuple):
    """A string, a number, or `true`, `false` or `null`."""

    value: str | Number | bool | None


class Call(NamedTuple):
    """A function call."""

    function: str
    arguments: tuple["Operand", ...]


class Comparison(NamedTuple):
    """A comparison of two values."""

    left: "Operand"
    operator: Operator
    right: "Operand"


class Exists(NamedTuple):
    """Whether a query selects anything."""

    query: Query


class Holds(NamedTuple):
    """Whether a function returns true."""

    call: Call


class Not(NamedTuple):
    """Whether a condition does not hold."""

    part: "Logical"


class All(NamedTuple):
    """Whether each part holds."""

    parts: tuple["Logical", ...]


class Any(NamedTuple):
    """Whether at least one part holds."""

    parts: tuple["Logical", ...]


Operand = Constant | Query | Call
Logical = Comparison | Exists | Holds | Not | All | Any


_MAX_LENGTH = 10_000
_MAX_NESTING = 50
_LARGEST = 2**53 - 1

_FUNCTIONS: Final[dict[str, tuple[tuple[Kind, ...], Kind]]] = {
    "length": (("value",), "value"),
    "count": (("nodes",), "value"),
    "value": (("nodes",), "value"),
    "match": (("value", "value"), "logical"),
    "search": (("value", "value"), "logical"),
}
_BLANKS = re.compile(r"[ \t\n\r]*")
_SHORTHAND = re.compile("[A-Za-z_\x80-\ud7ff\ue000-\U0010ffff][A-Za-z0-9_\x80-\ud7ff\ue000-\U0010ffff]*")
_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_NUMBER = re.compile(r"(?:-0|0|-?[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_FUNCTION = re.compile(r"([a-z][a-z_0-9]*)\(")
_OPERATOR = re.compile(r"==|!=|<=|>=|<|>")
_CONSTANT = re.compile(r"(true|false|null)(?![A-Za-z_0-9(])")
_ESCAPE = r"""\\(?:[bfnrt/\\%s]|u(?:[0-9A-CEFa-cef][0-9A-Fa-f]{3}|[Dd][0-7][0-9A-Fa-f]{2}"""
_ESCAPE += r"""|[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}))"""
_TEXTS: Final = {
    quote: re.compile(rf"{quote}((?:[^\x00-\x1f\ud800-\udfff\\{quote}]|{_ESCAPE % quote})*){quote}") for quote in "\"'"
}


def parse_query(text: str) -> Query:
    """Parse a query.

    Raises:
        UnreadableError: If the text is not a query; the message contains the position and what was expected there.
    """
    if len(text) > _MAX_LENGTH:
        raise UnreadableError(f"Invalid query: it has {len(text)} characters, at most {_MAX_LENGTH}")
    parser = _Parser(text)
    parser.expect("$")
    query = Query(parser.segments(), from_root=True)
    if parser.position < len(text):
        parser.fail("a segment such as .name or [0]")
    return query


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.nesting = 0

    def segments(self) -> tuple[Segment, ...]:
        segments: list[Segment] = []
        while True:
            end = self.position
            self.skip_blanks()
            if self.take(".."):
                segments.append(Segment(self.selectors("a name, * or [ after .."), descends=True))
            elif self.take("."):
                segments.append(Segment((self.shorthand("a name or * after ."),), descends=False))
            elif self.next() == "[":
                segments.append(Segment(self.bracketed(), descends=False))
            else:
                self.position = end
                return tuple(segments)

    def selectors(self, expected: str) -> tuple[Selector, ...]:
        return self.bracketed() if self.next() == "[" else (self.shorthand(expected),)

    def shorthand(self, expected: str) -> Selector:
        return Wildcard() if self.take("*") else Name(self.match(_SHORTHAND, expected)[0])

    def bracketed(self) -> tuple[Selector, ...]:
        self.expect("[")
        selectors: list[Selector] = []
        while not selectors or self.take(","):
            self.skip_blanks()
            selectors.append(self.selector())
            self.skip_blanks()
        self.expect("]")
        return tuple(selectors)

    def selector(self) -> Selector:
        if self.next() in _TEXTS:
            return Name(self.quoted())
        if self.take("*"):
            return Wildcard()
        if self.take("?"):
            self.skip_blanks()
            return Filter(self.logical())
        return self.index_or_slice()

    def index_or_slice(self) -> Selector:
        start = self.integer()
        end = self.position
        self.skip_blanks()
        if self.take(":"):
            return self.slice_from(start)
        if start is None:
            self.fail("a name in quotes, a number, *, : or ?")
        self.position = end
        return Index(start)

    def slice_from(self, start: int | None) -> Slice:
        self.skip_blanks()
        end = self.integer()
        before = self.position
        self.skip_blanks()
        if not self.take(":"):
            self.position = before
            return Slice(start, end, None)
        before = self.position
        self.skip_blanks()
        step = self.integer()
        if step is None:
            self.position = before
        return Slice(start, end, step)

    def integer(self) -> int | None:
        if not (found := _INTEGER.match(self.text, self.position)):
            return None
        self.position = found.end()
        if len(found[0]) > len(str(-_LARGEST)) or abs(int(found[0])) > _LARGEST:
            self.fail(f"a number from -{_LARGEST} to {_LARGEST}", at=found.start())
        return int(found[0])

    def logical(self) -> Logical:
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise UnreadableError(f"Invalid query: its conditions are nested more than {_MAX_NESTING} deep")
        alternatives = [self.conjunction()]
        while self.take_between("||"):
            alternatives.append(self.conjunction())
        self.nesting -= 1
        return alternatives[0] if len(alternatives) == 1 else Any(tuple(alternatives))

    def conjunction(self) -> Logical:
        parts = [self.condition()]
        while self.take_between("&&"):
            parts.append(self.condition())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def condition(self) -> Logical:
        if self.take("!"):
            self.skip_blanks()
            return Not(self.in_parentheses() if self.next() == "(" else self.test())
        return self.in_parentheses() if self.next() == "(" else self.test_or_comparison()

    def in_parentheses(self) -> Logical:
        self.expect("(")
        self.skip_blanks()
        inner = self.logical()
        self.skip_blanks()
        self.expect(")")
        return inner

    def test(self) -> Logical:
        start = self.position
        return self.as_test(self.operand(), start)

    def test_or_comparison(self) -> Logical:
        start = self.position
        left = self.operand()
        end = self.position
        self.skip_blanks()
        if not (operator := _OPERATOR.match(self.text, self.position)):
            self.position = end
            return self.as_test(left, start)
        self.position = operator.end()
        self.check_value(left, start)
        self.skip_blanks()
        start = self.position
        right = self.operand()
        self.check_value(right, start)
        return Comparison(left, operator[0], right)  # type: ignore[arg-type]  # the pattern matches only these

    def as_test(self, operand: Operand, start: int) -> Logical:
        if isinstance(operand, Query):
            return Exists(operand)
        if not isinstance(operand, Call) or _FUNCTIONS[operand.function][1] != "logical":
            self.fail("a comparison such as == or <, since this is not a condition by itself", at=start)
        return Holds(operand)

    def operand(self) -> Operand:
        if self.next() in _TEXTS:
            return Constant(self.quoted())
        if self.next() in {"@", "$"}:
            self.position += 1
            from_root = self.text[self.position - 1] == "$"
            return Query(self.segments(), from_root)
        if found := _CONSTANT.match(self.text, self.position):
            self.position = found.end()
            return Constant(json.loads(found[0]))
        if found := _FUNCTION.match(self.text, self.position):
            return self.call(found[1])
        return Constant(Number(self.match(_NUMBER, "@, $, a constant or a function")[0]))

    def call(self, function: str) -> Call:
        start = self.position
        if function not in _FUNCTIONS:
            self.fail(f"one of the functions {', '.join(_FUNCTIONS)}")
        self.position += len(function) + 1
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise UnreadableError(f"Invalid query: its conditions are nested more than {_MAX_NESTING} deep")
        arguments: list[Operand] = []
        kinds = _FUNCTIONS[function][0]
        self.skip_blanks()
        while self.next() != ")" and (not arguments or self.take(",")):
            self.skip_blanks()
            at = self.position
            arguments.append(self.operand())
            if len(arguments) <= len(kinds):
                self.check_argument(arguments[-1], kinds[len(arguments) - 1], at)
            self.skip_blanks()
        self.expect(")")
        self.nesting -= 1
        if len(arguments) != len(kinds):
            self.fail(f"{len(kinds)} argument{'' if len(kinds) == 1 else 's'} of {function}", at=start)
        return Call(function, tuple(arguments))

    def check_argument(self, argument: Operand, kind: Kind, at: int) -> None:
        if kind == "value":
            self.check_value(argument, at)
        elif not isinstance(argument, Query):
            self.fail("a query such as @.items", at=at)

    def check_value(self, operand: Operand, at: int) -> None:
        """Refuse an operand that is not a single value."""
        match operand:
            case Query() if not operand.is_singular:
                self.fail("a query for one value, with names and indexes only", at=at)
            case Call(function, _) if _FUNCTIONS[function][1] != "value":
                self.fail(f"a value, which {function} does not return", at=at)

    def quoted(self) -> str:
        quote = self.next()
        inside = self.match(_TEXTS[quote], f"a string that ends with {quote}")[1]
        if quote == "'":
            inside = inside.replace("\\'", "'").replace('"', '\\"')
        text: str = json.loads(f'"{inside}"')
        return text

    def match(self, pattern: re.Pattern[str], expected: str) -> re.Match[str]:
        found = pattern.match(self.text, self.position)
        if not found:
            self.fail(expected)
        self.position = found.end()
        return found

    def skip_blanks(self) -> None:
        self.position = self.match(_BLANKS, "").end()

    def take_between(self, sign: str) -> bool:
        """Consume a sign and the blanks around it, or nothing."""
        end = self.position
        self.skip_blanks()
        if self.take(sign):
            self.skip_blanks()
            return True
        self.position = end
        return False

    def next(self) -> str:
        return self.text[self.position : self.position + 1]

    def take(self, sign: str) -> bool:
        found = self.text.startswith(sign, self.position)
        self.position += len(sign) * found
        return found

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            self.fail(f"'{sign}'")

    def fail(self, expected: str, *, at: int | None = None) -> NoReturn:
        place = self.position if at is None else at
        found = f"not '{self.text[place : place + 10]}'" if place < len(self.text) else "but the query ends"
        raise UnreadableError(f"Invalid query: at character {place + 1} expected {expected}, {found}")
