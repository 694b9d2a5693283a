"""What a query can say, such as `$.store.book[?@.price < 10].title`, as values."""

from typing import Literal, NamedTuple

from toolkit.builtin.json_paths import Number

Operator = Literal["==", "!=", "<", "<=", ">", ">="]
Kind = Literal["value", "nodes", "logical"]


class Name(NamedTuple):
    """The member of an object."""

    name: str


class Index(NamedTuple):
    """The element of an array, from its end if negative."""

    number: int


class Slice(NamedTuple):
    """Elements of an array, as Python slices."""

    start: int | None
    end: int | None
    step: int | None


class Wildcard(NamedTuple):
    """All members or elements."""


class Filter(NamedTuple):
    """Those members or elements for which something holds."""

    condition: "Logical"


Selector = Name | Index | Slice | Wildcard | Filter


class Segment(NamedTuple):
    """What is selected of each value so far, or, if it descends, of all values within it too."""

    selectors: tuple[Selector, ...]
    descends: bool


class Query(NamedTuple):
    """Segments from the whole document on, or from the value that a filter looks at."""

    segments: tuple[Segment, ...]
    from_root: bool

    @property
    def is_singular(self) -> bool:
        """Whether it can select no more than one value, whatever the document."""
        return all(
            not segment.descends and len(segment.selectors) == 1 and isinstance(segment.selectors[0], Name | Index)
            for segment in self.segments
        )


class Constant(NamedTuple):
    """A text, a number, or `true`, `false`, `null`."""

    value: str | Number | bool | None


class Call(NamedTuple):
    """A function of some arguments."""

    function: str
    arguments: tuple["Operand", ...]


class Comparison(NamedTuple):
    """Two values side by side."""

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
    """The contrary."""

    part: "Logical"


class All(NamedTuple):
    """Whether each part holds."""

    parts: tuple["Logical", ...]


class Any(NamedTuple):
    """Whether at least one part holds."""

    parts: tuple["Logical", ...]


Operand = Constant | Query | Call
Logical = Comparison | Exists | Holds | Not | All | Any
