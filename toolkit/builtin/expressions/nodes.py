"""What a regular expression can say, as values, and what may be wrong with one."""

from collections.abc import Callable
from typing import Literal, NamedTuple

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


def is_word(character: str) -> bool:
    """Return whether a character is part of a word."""
    return character.isalnum() or character == "_"
