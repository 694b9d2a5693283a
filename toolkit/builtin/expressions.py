"""Regular expressions without the parts that can take forever: their text becomes a small program.

The language is Python's, less look-around, back-references, possessive repeats and flags other than a leading `(?i)`.
So matching needs no backtracking, and its time grows with the text and no faster; see `matching`.
"""

from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple, NoReturn

_MAX_LENGTH = 1_000
_MAX_NESTING = 50
_MAX_PROGRAM = 5_000
_MAX_PARTS = 20_000
_MAX_REPEATS = 1_000

Assertion = Literal["line start", "line end", "text start", "text end", "boundary", "no boundary"]
Predicate = Callable[[str], bool]


class MalformedExpressionError(ValueError):
    """An expression is malformed, too large, or uses what is left out; the message says which."""


class TooLargeError(MalformedExpressionError):
    """An expression is larger than what is bounded here."""


class Characters(NamedTuple):
    """One character out of some."""

    ranges: tuple[tuple[str, str], ...] = ()
    predicates: tuple[Predicate, ...] = ()
    negated: bool = False
    folded: bool = False

    def has(self, character: str) -> bool:
        """Return whether a character is one of them."""
        held = any(map(self._holds, _cases(character))) if self.folded else self._holds(character)
        return held is not self.negated

    def _holds(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) or any(
            predicate(character) for predicate in self.predicates
        )

    @property
    def only(self) -> str | None:
        """The one character that there is, if there is only one."""
        single = len(self.ranges) == 1 and not self.predicates and not self.negated
        return self.ranges[0][0] if single and self.ranges[0][0] == self.ranges[0][1] else None


def _cases(character: str) -> set[str]:
    """Return a character in upper and lower case, where each leads back to the other."""
    lower, upper = character.lower(), character.upper()
    return {character, lower, upper} if upper.lower() == lower else {character, lower}


class Look(NamedTuple):
    """A place between two characters."""

    assertion: Assertion


class Sequence(NamedTuple):
    """Parts one after the other."""

    parts: tuple["Node", ...]


class Choice(NamedTuple):
    """One of some parts, the first that fits."""

    parts: tuple["Node", ...]


class Repeat(NamedTuple):
    """A part some times over: as often as possible, or, if it is lazy, as seldom."""

    part: "Node"
    least: int
    most: int | None
    lazy: bool


Node = Characters | Look | Sequence | Choice | Repeat


class Split(NamedTuple):
    """An instruction: go on at either place, the first before the second."""

    first: int
    second: int


class Step(NamedTuple):
    """An instruction: take one character, or look at a place, and go on with the next instruction."""

    what: Characters | Look


class Program(NamedTuple):
    """An expression as instructions; behind the last, it has matched.

    Attributes:
        instructions: What to do.
        needed: A text that is in whatever matches; without its case if `folded`.
        folded: Whether upper and lower case are the same.
    """

    instructions: tuple[Split | Step, ...]
    needed: str
    folded: bool


def compile_expression(expression: str, *, ignore_case: bool = False) -> Program:
    """Return the program of an expression.

    Raises:
        MalformedExpressionError: Naming what is wrong and the cure.
    """
    if len(expression) > _MAX_LENGTH:
        raise TooLargeError(f"it has {len(expression)} characters, at most {_MAX_LENGTH}")
    folded = ignore_case or expression.startswith("(?i)")
    node = _Parser(expression.removeprefix("(?i)"), folded=folded).whole()
    compiler = _Compiler()
    compiler.add(node)
    needed = max(_runs(node), key=len, default="")
    return Program(tuple(compiler.instructions), needed.casefold() if folded else needed, folded)


def is_word(character: str) -> bool:
    """Return whether a character is part of a word."""
    return character.isalnum() or character == "_"


def _of_category(name: str, *, negated: bool) -> Predicate:
    from unicodedata import category  # noqa: PLC0415 - few expressions need it

    return lambda character: category(character).startswith(name) is not negated


_PREDICATES: Final[dict[str, Predicate]] = {
    "d": str.isdecimal,
    "D": lambda character: not character.isdecimal(),
    "w": is_word,
    "W": lambda character: not is_word(character),
    "s": str.isspace,
    "S": lambda character: not character.isspace(),
}
_CATEGORIES: Final = {
    category
    for major, minors in {
        "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "Z": "lps", "S": "ckmo", "C": "cfnos"
    }.items()
    for category in (major, *(major + minor for minor in minors))
}  # fmt: skip
_LOOKS: Final[dict[str, Assertion]] = {
    "b": "boundary",
    "B": "no boundary",
    "A": "text start",
    "Z": "text end",
    "z": "text end",
}
_CONTROLS: Final = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a", "0": "\0"}
_HEX_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_REPEATS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class _Parser:
    """One pass over an expression."""

    def __init__(self, text: str, *, folded: bool) -> None:
        self.text = text
        self.folded = folded
        self.position = 0
        self.nesting = 0

    def whole(self) -> Node:
        node = self.choice()
        if self.position < len(self.text):
            self.fail("a ')' closes nothing; write \\) for the sign itself")
        return node

    def choice(self) -> Node:
        parts = [self.sequence()]
        while self.take("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while self.peek() not in {"", "|", ")"}:
            parts.append(self.repeated(self.atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self, node: Node) -> Node:
        if (bounds := self.bounds()) is None:
            return node
        if isinstance(node, Look):
            self.fail("a place such as ^ or \\b cannot be repeated")
        repeat = Repeat(node, *bounds, lazy=self.take("?"))
        if self.take("+"):
            self.fail("possessive repeats are left out")
        if self.bounds() is not None:
            self.fail("one repeat stands behind another; put the first in parentheses")
        return repeat

    def bounds(self) -> tuple[int, int | None] | None:
        if (bounds := _REPEATS.get(self.peek())) is not None:
            self.position += 1
            return bounds
        end = self.text.find("}", self.position)
        if self.peek() != "{" or end < 0:
            return None
        least, comma, most = self.text[self.position + 1 : end].partition(",")
        if not (least or most) or not all(part.isascii() and part.isdigit() for part in (least, most) if part):
            return None  # a brace that is no repeat is a brace
        self.position = end + 1
        numbers = int(least or 0), int(most) if most else (None if comma else int(least))
        if max(numbers[0], numbers[1] or 0) > _MAX_REPEATS:
            raise TooLargeError(f"a repeat has at most {_MAX_REPEATS} times")
        if numbers[1] is not None and numbers[1] < numbers[0]:
            self.fail("a repeat has its larger number first")
        return numbers

    def atom(self) -> Node:
        character = self.next()
        match character:
            case "(":
                return self.group()
            case "[":
                return self.characters()
            case ".":
                return Characters((("\n", "\n"),), negated=True)
            case "^":
                return Look("line start")
            case "$":
                return Look("line end")
            case "*" | "+" | "?":
                self.fail(f"nothing stands before '{character}'; write \\{character} for the sign itself")
            case "\\":
                return self.escaped()
        return Characters(((character, character),), folded=self.folded)

    def group(self) -> Node:
        self.nesting += 1
        if self.nesting > _MAX_NESTING:
            raise TooLargeError(f"more than {_MAX_NESTING} parentheses stand in one another")
        if self.take("?") and not self.take(":"):
            self.take_name()
        node = self.choice()
        if not self.take(")"):
            self.fail("a '(' is not closed; write \\( for the sign itself")
        self.nesting -= 1
        return Sequence((node,))

    def take_name(self) -> None:
        """Take the name of a group, which changes nothing."""
        self.take("P")
        end = self.text.find(">", self.position)
        name = self.text[self.position + 1 : end]
        if self.peek() != "<" or end < 0 or not name.isidentifier():
            self.fail("look-around, references and flags are left out, but for (?i) at the very start")
        self.position = end + 1

    def escaped(self) -> Node:
        character = self.next()
        if character in _LOOKS:
            return Look(_LOOKS[character])
        if (predicate := self.predicate(character)) is not None:
            return Characters(predicates=(predicate,))
        if character.isdigit() and character != "0":
            self.fail("references to groups are left out")
        plain = self.plain_escape(character)
        return Characters(((plain, plain),), folded=self.folded)

    def predicate(self, character: str) -> Predicate | None:
        r"""Return the class that an escape stands for: `\d`, or `\p{Lu}` for a Unicode category; None if it is none."""
        if character not in {"p", "P"}:
            return _PREDICATES.get(character)
        end = self.text.find("}", self.position)
        name = self.text[self.position + 1 : end]
        if self.peek() != "{" or name not in _CATEGORIES:
            self.fail(f"\\{character} needs a Unicode category behind it, as in \\{character}{{Lu}}")
        self.position = end + 1
        return _of_category(name, negated=character == "P")

    def plain_escape(self, character: str) -> str:
        """Return the one character that an escape stands for."""
        if character in _CONTROLS:
            return _CONTROLS[character]
        if digits := _HEX_DIGITS.get(character):
            written = self.text[self.position : self.position + digits]
            self.position += digits
            try:
                return chr(int(written if len(written) == digits else "", 16))
            except (ValueError, OverflowError):
                self.fail(f"\\{character}{written} is no character")
        if character.isascii() and character.isalpha():
            self.fail(f"\\{character} has no meaning")
        return character

    def characters(self) -> Node:
        negated = self.take("^")
        ranges: list[tuple[str, str]] = []
        predicates: list[Predicate] = []
        first = True
        while (item := self.class_item(first=first)) is not None:
            first = False
            if not isinstance(item, str):
                predicates.append(item)
                continue
            end = item
            if self.peek() == "-" and self.text[self.position + 1 : self.position + 2] not in {"]", ""}:
                self.position += 1
                last = self.class_item(first=True)
                if not isinstance(last, str) or last < item:
                    self.fail(f"a range from '{item}' ends nowhere behind it")
                end = last
            ranges.append((item, end))
        return Characters(tuple(ranges), tuple(predicates), negated, self.folded)

    def class_item(self, *, first: bool) -> str | Predicate | None:
        """Take one member of a class; None at its end."""
        if not self.peek():
            self.fail("a '[' is not closed; write \\[ for the sign itself")
        character = self.next()
        if character == "]" and not first:
            return None
        if character != "\\":
            return character
        character = self.next()
        return self.predicate(character) or ("\b" if character == "b" else self.plain_escape(character))

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def take(self, wanted: str) -> bool:
        found = self.peek() == wanted
        self.position += found
        return found

    def next(self) -> str:
        if not self.peek():
            self.fail("a backslash at the end has nothing to stand before")
        self.position += 1
        return self.text[self.position - 1]

    def fail(self, reason: str) -> NoReturn:
        raise MalformedExpressionError(reason)


class _Compiler:
    """Writes the instructions of nodes one behind the other."""

    def __init__(self) -> None:
        self.instructions: list[Split | Step] = []
        self.added = 0

    def add(self, node: Node) -> None:
        self.added += 1  # parts that write nothing count too, since repeats of them multiply
        if self.added > _MAX_PARTS:
            raise _too_large()
        match node:
            case Characters() | Look():
                self.write(Step(node))
            case Sequence(parts):
                for part in parts:
                    self.add(part)
            case Choice(parts):
                self.add_choice(parts)
            case Repeat():
                self.add_repeat(node)

    def add_choice(self, parts: tuple[Node, ...]) -> None:
        *others, last = parts
        ends: list[int] = []
        for part in others:
            split = self.write(Split(0, 0))
            self.add(part)
            ends.append(self.write(Split(0, 0)))
            self.instructions[split] = Split(split + 1, len(self.instructions))
        self.add(last)
        for end in ends:
            self.instructions[end] = Split(len(self.instructions), len(self.instructions))

    def add_repeat(self, node: Repeat) -> None:
        for _ in range(node.least):
            self.add(node.part)
        if node.most is None:
            split = self.write(Split(0, 0))
            self.add(node.part)
            self.write(Split(split, split))
            self.instructions[split] = _either(split + 1, len(self.instructions), lazy=node.lazy)
            return
        splits: list[int] = []
        for _ in range(node.most - node.least):
            splits.append(self.write(Split(0, 0)))
            self.add(node.part)
        for split in splits:
            self.instructions[split] = _either(split + 1, len(self.instructions), lazy=node.lazy)

    def write(self, instruction: Split | Step) -> int:
        if len(self.instructions) >= _MAX_PROGRAM:
            raise _too_large()
        self.instructions.append(instruction)
        return len(self.instructions) - 1


def _too_large() -> TooLargeError:
    return TooLargeError("its repeats make it too large")


def _either(first: int, second: int, *, lazy: bool) -> Split:
    return Split(second, first) if lazy else Split(first, second)


def _runs(node: Node) -> Iterator[str]:
    """Yield texts that are in whatever a node matches."""
    run = ""
    for part in _flat(node):
        if isinstance(part, Characters) and part.only:
            run += part.only
            continue
        yield run
        run = ""
        if isinstance(part, Repeat) and part.least:
            yield from _runs(part.part)
    yield run


def _flat(node: Node) -> Iterator[Node]:
    if isinstance(node, Sequence):
        for part in node.parts:
            yield from _flat(part)
    else:
        yield node
