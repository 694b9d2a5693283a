"""Reading expressions: a text becomes nodes, or an error that says what is wrong and how to write it."""

from typing import Final, NoReturn

from toolkit.builtin.expressions.nodes import (
    Assertion,
    Characters,
    Choice,
    Look,
    MalformedExpressionError,
    Node,
    Predicate,
    Repeat,
    Sequence,
    TooLargeError,
    is_word,
)

_MAX_LENGTH = 1_000
_MAX_NESTING = 50
_MAX_REPEATS = 1_000


def read_expression(text: str, *, folded: bool) -> Node:
    """Return the nodes of an expression.

    Args:
        text: As it is written, without a leading flag.
        folded: Whether upper and lower case are the same.

    Raises:
        MalformedExpressionError: Naming what is wrong and the cure.
    """
    if len(text) > _MAX_LENGTH:
        raise TooLargeError(f"it has {len(text)} characters, at most {_MAX_LENGTH}")
    return _Parser(text, folded=folded).whole()


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
