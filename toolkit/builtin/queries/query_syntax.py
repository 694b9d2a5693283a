"""The syntax tree of a JSONPath query such as `$.store.book[?@.price < 10].title`."""

from typing import Literal, NamedTuple

from toolkit.builtin.json_paths import Number

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
