"""Arithmetic: a text with numbers, operators and parentheses, read by a grammar of its own.

    expression = term (("+" | "-") term)*
    term       = unary (("*" | "/" | "%") unary)*
    unary      = ("-" | "+") unary | power
    power      = primary ("^" unary)?
    primary    = number | "(" expression ")"

Operators wait on a stack rather than in nested calls, so no depth of parentheses can exhaust anything.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from operator import add, mod, mul, pow, sub, truediv  # noqa: A004 - it is the power that is meant
from typing import Final

from toolkit.builtin.real_numbers import Real, UncomputableError

MAX_LENGTH = 10_000
"""Characters that an expression may have."""

_BINARY: Final[dict[str, Callable[[Real, Real], Real]]] = {
    "+": add,
    "-": sub,
    "*": mul,
    "/": truediv,
    "%": mod,
    "^": pow,
}
_MINUS_SIGN = "minus sign"
_STRENGTH = {"(": 0, "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, _MINUS_SIGN: 3, "^": 4}
_IN_NUMBERS = "0123456789."


def evaluate(expression: str) -> Real:
    """Return the value of an expression.

    Raises:
        UncomputableError: It is blank, malformed or too long, or has no value.
    """
    text = expression.strip()
    if not text:
        raise UncomputableError("Expression must not be blank")
    if len(text) > MAX_LENGTH:
        raise UncomputableError(f"Expression too long: {len(text)} characters, at most {MAX_LENGTH}")
    return _Reading(text).result()


class _Reading:
    """One pass over an expression: numbers on one stack, operators that wait for their right side on another."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.numbers: list[Real] = []
        self.waiting: list[str] = []

    def result(self) -> Real:
        self.read_operand()
        while (character := self.next_character()) is not None:
            self.read_after_operand(character)
        if "(" in self.waiting:
            raise _invalid("Missing closing parenthesis")
        self.apply_down_to(1)
        return self.numbers.pop()

    def next_character(self) -> str | None:
        """Return the next character that is not white space, without taking it."""
        while self.position < len(self.text):
            if not self.text[self.position].isspace():
                return self.text[self.position]
            self.position += 1
        return None

    def read_operand(self) -> None:
        """Read signs and opening parentheses up to a number, and the number."""
        while (character := self.next_character()) is not None:
            if character in _IN_NUMBERS:
                self.numbers.append(self.read_number())
                return
            if character not in "+-(":
                raise _invalid(f"Unexpected character '{character}'")
            if character != "+":
                self.waiting.append(_MINUS_SIGN if character == "-" else character)
            self.position += 1
        raise _invalid("Unexpected end of expression")

    def read_number(self) -> Real:
        start = self.position
        while self.position < len(self.text) and self.text[self.position] in _IN_NUMBERS:
            self.position += 1
        digits = self.text[start : self.position]
        if digits.count(".") > 1 or digits == ".":
            raise _invalid(f"Invalid number: {digits}")
        return Real.exactly(Fraction(Decimal(digits)))

    def read_after_operand(self, character: str) -> None:
        """Read an operator and what follows it, or a closing parenthesis."""
        if character in _BINARY:
            self.position += 1
            # The power alone binds to the right: an equal one that waits goes on waiting.
            self.apply_down_to(_STRENGTH[character] + (character == "^"))
            self.waiting.append(character)
            self.read_operand()
        elif "(" not in self.waiting:
            raise _invalid(f"Unexpected character '{character}' at position {self.position}")
        elif character == ")":
            self.position += 1
            self.apply_down_to(1)
            self.waiting.pop()
        else:
            raise _invalid("Missing closing parenthesis")

    def apply_down_to(self, strength: int) -> None:
        """Apply the waiting operators that bind at least so strongly, the latest first."""
        while self.waiting and _STRENGTH[self.waiting[-1]] >= strength:
            operator = self.waiting.pop()
            right = self.numbers.pop()
            if operator == _MINUS_SIGN:
                self.numbers.append(-right)
            else:
                self.numbers.append(_BINARY[operator](self.numbers.pop(), right))


def _invalid(reason: str) -> UncomputableError:
    return UncomputableError(f"Invalid expression: {reason}")
