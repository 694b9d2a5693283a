"""Evaluates arithmetic expressions with numbers, operators and parentheses.

    expression = term (("+" | "-") term)*
    term       = unary (("*" | "/" | "%") unary)*
    unary      = ("-" | "+") unary | power
    power      = primary ("^" unary)?
    primary    = number | "(" expression ")"

Pending operators are kept on a stack rather than in nested calls, so deeply nested parentheses cannot exhaust
Python's recursion limit.
"""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from operator import add, mod, mul, pow, sub, truediv  # noqa: A004 - it is the power that is meant
from typing import Final

from toolkit.builtin.real_numbers import Real, UncomputableError

MAX_LENGTH = 10_000
"""Maximum length of an expression, in characters."""

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
        UncomputableError: If the expression is blank, malformed or too long, or has no value.
    """
    text = expression.strip()
    if not text:
        raise UncomputableError("Expression must not be blank")
    if len(text) > MAX_LENGTH:
        raise UncomputableError(f"Expression too long: {len(text)} characters, at most {MAX_LENGTH}")
    return _Parser(text).result()


class _Parser:
    """One pass over an expression, with a stack of numbers and a stack of operators that wait for their right side."""

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
        """Skip white space and return the next character without consuming it."""
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
            # Only the power operator binds to the right: a waiting power is not applied before another one.
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
        """Apply the waiting operators of at least this strength, the latest first."""
        while self.waiting and _STRENGTH[self.waiting[-1]] >= strength:
            operator = self.waiting.pop()
            right = self.numbers.pop()
            if operator == _MINUS_SIGN:
                self.numbers.append(-right)
            else:
                self.numbers.append(_BINARY[operator](self.numbers.pop(), right))


def _invalid(reason: str) -> UncomputableError:
    return UncomputableError(f"Invalid expression: {reason}")
