"""The `calculator` tool, which evaluates arithmetic expressions exactly.

    expression = term (("+" | "-") term)*
    term       = unary (("*" | "/" | "%") unary)*
    unary      = ("-" | "+") unary | power
    power      = primary ("^" unary)?
    primary    = number | "(" expression ")"

Pending operators are kept on a stack rather than in nested calls, so deeply nested parentheses cannot exhaust
Python's recursion limit.

Whole numbers and fractions are exact up to a maximum size. A fraction that grows larger, or a power that is irrational,
becomes a pair of bounds that agree in about a hundred digits. A printed result is always rounded correctly; if the
bounds are too far apart for that, there is an error instead. There is no infinity and no "not a number".
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from itertools import product
from math import ceil, floor, trunc
from operator import add, mod, mul, pow, sub, truediv  # noqa: A004 - it is the power that is meant
from typing import Final

from toolkit.builtin.options import Option
from toolkit.tools.calls.results import ToolResult
from toolkit.tools.kinds.class_tools import TextTool

MAX_DIGITS = 4_000
"""Maximum number of digits before the decimal point; numbers other than zero are at least `10**-MAX_DIGITS`."""

SHOWN_DIGITS = 50
"""Significant digits to which results are rounded, half to even, unless they are whole numbers."""

_BOUND_DIGITS = 100
_LONGEST_ROOT = 64
_LARGEST_LOSS = 300
_PLAIN_FROM, _PLAIN_TO = -30, SHOWN_DIGITS
_TOO_LARGE = 10**MAX_DIGITS
_MAX_BITS = _TOO_LARGE.bit_length()  # a fraction is exact as long as numerator and denominator have no more


class UncomputableError(ArithmeticError):
    """The result does not exist or is not certain; the message says why."""


@dataclass(frozen=True, slots=True)
class Real:
    """A number between two bounds, which are equal if it is known exactly."""

    low: Fraction
    high: Fraction

    @classmethod
    def exactly(cls, value: Fraction) -> "Real":
        """Return an exact number; only a fraction above the maximum size becomes a pair of bounds.

        Raises:
            UncomputableError: If the number is too large or too small.
        """
        return _settle(value, value)

    @property
    def exact(self) -> bool:
        """Whether the number is known exactly."""
        return self.low == self.high

    @property
    def may_be_zero(self) -> bool:
        """Whether zero lies within the bounds."""
        return self.low <= 0 <= self.high

    def __neg__(self) -> "Real":
        return Real(-self.high, -self.low)

    def __add__(self, other: "Real") -> "Real":
        return _settle(self.low + other.low, self.high + other.high)

    def __sub__(self, other: "Real") -> "Real":
        return self + -other

    def __mul__(self, other: "Real") -> "Real":
        return _settle(*_corners(Fraction.__mul__, self, other))

    def __truediv__(self, other: "Real") -> "Real":
        return _settle(*_quotient(self, other, "Division by zero"))

    def __mod__(self, other: "Real") -> "Real":
        """Return the remainder of a division, with the sign of the dividend."""
        low, high = _quotient(self, other, "Modulo by zero")
        times = trunc(low)
        if times != trunc(high):
            raise _uncertain()
        return _settle(*_less(self, other, times))

    def __pow__(self, exponent: "Real") -> "Real":
        if exponent.exact and exponent.low.denominator == 1:
            return _whole_power(self, exponent.low.numerator)
        return _broken_power(self, exponent)

    def __str__(self) -> str:
        """Return the number in decimals: whole numbers in full, others to `SHOWN_DIGITS`.

        Raises:
            UncomputableError: If the bounds are too far apart for that many digits.
        """
        if self.exact and self.low.denominator == 1:
            return f"{Decimal(self.low.numerator):f}"
        low, high = _rounded(self.low), _rounded(self.high)
        if low != high:
            raise _uncertain()
        return f"{low:f}" if _PLAIN_FROM <= low.adjusted() < _PLAIN_TO else f"{low:E}"


def _settle(low: Fraction, high: Fraction) -> Real:
    """Return the number between two bounds, rounding bounds that are too long outward to a hundred digits."""
    largest = max(abs(low), abs(high))
    if largest >= _TOO_LARGE:
        raise _too_large()
    if low == high and (low.denominator == 1 or _bits(low) <= _MAX_BITS):
        return Real(low, low)
    if largest * _TOO_LARGE < 1:
        raise _too_small()
    scale = Fraction(10) ** (_BOUND_DIGITS - _magnitude(largest))
    return Real(floor(low * scale) / scale, ceil(high * scale) / scale)


def _corners(combine: Callable[[Fraction, Fraction], Fraction], one: Real, other: Real) -> tuple[Fraction, Fraction]:
    """Return the bounds of an operation that is monotonic in both operands."""
    if one.exact and other.exact:
        only = combine(one.low, other.low)
        return only, only
    ends = [combine(a, b) for a, b in product((one.low, one.high), (other.low, other.high))]
    return min(ends), max(ends)


def _quotient(dividend: Real, divisor: Real, by_zero: str) -> tuple[Fraction, Fraction]:
    if divisor.may_be_zero:
        raise UncomputableError(by_zero) if divisor.exact else _uncertain()
    return _corners(Fraction.__truediv__, dividend, divisor)


def _less(number: Real, other: Real, times: int) -> tuple[Fraction, Fraction]:
    """Return the bounds of `number - times * other`."""
    ends = sorted((times * other.low, times * other.high))
    return number.low - ends[1], number.high - ends[0]


def _whole_power(base: Real, exponent: int) -> Real:
    if exponent == 0:
        return Real(Fraction(1), Fraction(1))
    if exponent < 0:
        return _whole_power(Real.exactly(Fraction(1)) / base, -exponent)
    if base.exact:
        if base.low in {-1, 0, 1}:
            return base if exponent % 2 else base * base
        if exponent * (_bits(base.low) - 1) <= _MAX_BITS:
            return Real.exactly(base.low**exponent)
    if base.may_be_zero:
        raise _uncertain()
    power = _bounded_power(-base if base.high < 0 else base, Real(Fraction(exponent), Fraction(exponent)))
    return -power if base.high < 0 and exponent % 2 else power


def _broken_power(base: Real, exponent: Real) -> Real:
    """Raise a number to a power that is not a whole number."""
    if base.low <= 0:
        return _power_of_zero(base, exponent)
    if base.exact and exponent.exact:
        root = _exact_root(base.low, exponent.low.denominator)
        if root is not None:
            return _whole_power(Real.exactly(root), exponent.low.numerator)
    return _bounded_power(base, exponent)


def _bounded_power(base: Real, exponent: Real) -> Real:
    """Raise a positive number to any power, within bounds."""
    ends = [_power_bounds(a, b) for a in {base.low, base.high} for b in {exponent.low, exponent.high}]
    return _settle(min(low for low, _ in ends), max(high for _, high in ends))


def _power_of_zero(base: Real, exponent: Real) -> Real:
    """Raise zero to a power, or report that a negative or uncertain base has no such power."""
    if base.high < 0:
        raise UncomputableError("Not a real number: a negative number to a power that is not whole")
    if not base.exact or exponent.may_be_zero:
        raise _uncertain()
    if exponent.high < 0:
        raise UncomputableError("Division by zero")
    return base


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    """Return the positive root of a positive number if it is rational, else `None`."""
    if value == 1:
        return value
    if degree > _LONGEST_ROOT:
        return None
    above, below = _whole_root(value.numerator, degree), _whole_root(value.denominator, degree)
    root = Fraction(above, below)
    return root if root**degree == value else None


def _whole_root(value: int, degree: int) -> int:
    """Return the integer part of a root, by Newton's method from above."""
    guess = 1 << -(-value.bit_length() // degree)
    while True:
        better = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
        if better >= guess:
            return guess
        guess = better


def _power_bounds(base: Fraction, exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Return bounds of a positive number to any power, ten digits wider than the largest possible error.

    For a base near one, the logarithm loses as many digits as the base has zeros after its decimal point, so the
    precision is increased by that many.
    """
    loss = _magnitude(base) - _magnitude(abs(base - 1))
    if loss > _LARGEST_LOSS:
        raise UncomputableError("Base too close to 1 to compute its power exactly")
    context = _context(_BOUND_DIGITS + max(loss, 0) + 20)
    logarithm = context.multiply(context.ln(_as_decimal(base, context)), _as_decimal(exponent, context))
    if abs(logarithm) > MAX_DIGITS * 3:
        raise _too_large() if logarithm > 0 else _too_small()
    middle = Fraction(context.exp(logarithm))
    error = middle / 10**_BOUND_DIGITS
    return middle - error, middle + error


def _rounded(value: Fraction) -> Decimal:
    """Round a fraction to `SHOWN_DIGITS`, without trailing zeros."""
    context = _context(SHOWN_DIGITS)
    return _as_decimal(value, context).normalize(context)


def _as_decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _context(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emax=MAX_EMAX, Emin=MIN_EMIN, clamp=0)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _magnitude(value: Fraction) -> int:
    """Return the power of ten just above a number, give or take one."""
    return (value.numerator.bit_length() - value.denominator.bit_length()) * 30_103 // 100_000 + 1


def _too_large() -> UncomputableError:
    return UncomputableError(f"Number too large: more than {MAX_DIGITS} digits")


def _too_small() -> UncomputableError:
    return UncomputableError(f"Number too small: closer to zero than 10^-{MAX_DIGITS}")


def _uncertain() -> UncomputableError:
    return UncomputableError("Result uncertain: the deciding digits cancel out")


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


OPTIONS: Final[tuple[Option, ...]] = ()


class Calculator(TextTool):
    """Evaluates an arithmetic expression exactly.

    Example:
        >>> Calculator().run({"input": "0.1 + 0.2"}).output
        '0.3'
    """

    name = "calculator"
    description = (
        "Evaluates an arithmetic expression exactly. Use it for every calculation instead of calculating yourself. "
        "Input: one expression of decimal numbers with + - * / % ^ and parentheses, such as '(19.99 * 3) / 1.25' or "
        "'2^10 - 1'. ^ is power and binds tighter than a leading minus (-2^2 is -4); % is the remainder of a "
        "division, not a percentage. There are no functions, names, units or thousands separators. "
        "Returns the number: whole numbers in full, others to 50 significant digits."
    )
    read_only = True
    destructive = False
    idempotent = True
    open_world = False
    source = "builtin"

    def execute(self, text: str) -> ToolResult:
        """Return the value of the expression, or a failure that explains why it has none."""
        try:
            return ToolResult.success(str(evaluate(text)))
        except UncomputableError as error:
            return ToolResult.failure(str(error))
