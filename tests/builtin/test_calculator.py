"""The calculator answers right or says why it cannot, in bounded time."""

import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from random import Random
from time import perf_counter

import pytest
from hypothesis import given, settings, strategies as st

from tests.peaks import PEAK, needs_peaks
from tests.volumes import examples
from toolkit.builtin import Calculator
from toolkit.builtin.calculator import (  # private
    MAX_DIGITS,
    MAX_LENGTH,  # private
    SHOWN_DIGITS,
)

CALCULATOR = Calculator()


def calculated(expression):
    """Return what a model is sent."""
    return CALCULATOR.run({"input": expression}).text


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("expression", "answer"),
    [
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("2^3^2", "512"),
        ("-2^2", "-4"),
        ("(-2)^2", "4"),
        ("2^-3", "0.125"),
        ("2^-3^2", "0.001953125"),
        ("2*-3", "-6"),
        ("--5", "5"),
        ("+-+5", "-5"),
        ("7-2-1", "4"),
        ("8/4/2", "1"),
        ("9007199254740993", "9007199254740993"),
        ("9007199254740993 + 1", "9007199254740994"),
        ("0.1+0.2", "0.3"),
        ("10/4", "2.5"),
        ("1/3", "0." + "3" * SHOWN_DIGITS),
        ("2/3", "0." + "6" * (SHOWN_DIGITS - 1) + "7"),
        ("1/3*3", "1"),
        (".5 + 5.", "5.5"),
        ("-0", "0"),
        ("-7 % 3", "-1"),
        ("7 % -3", "1"),
        ("5.5 % 2", "1.5"),
        ("0^0", "1"),
        ("0^0.5", "0"),
        ("2\t*\n3", "6"),
        ("4^0.5", "2"),
        ("8^(1/3)", "2"),
        ("(4/9)^-1.5", "3.375"),
        ("2^0.5", "1.4142135623730950488016887242096980785696718753769"),
        ("2^0.5 * 2^0.5", "2"),
        ("1.5 * 2^0.5 % 1", "0.12132034355964257320253308631454711785450781306542"),
        ("10^15", "1" + "0" * 15),
        ("1/1024", "0.0009765625"),
        ("3/10^40", "3E-40"),
        ("10^60 + 0.5", "1E+60"),
        ("1.05^30", "4.3219423751506620091572881988864733414733782410622"),
        ("(1+0.05/365)^3650", "1.6486648137654718302139994211968295767743855616373"),
        ("(1+10^-60)^(10^60)", "2.7182818284590452353602874713526624977572470937"),
        ("1^(10^100)", "1"),
        ("(-1)^(10^100+1)", "-1"),
        ("2^1000", str(2**1000)),
    ],
)
def test_answers_exactly(expression, answer):
    assert calculated(expression) == answer


@pytest.mark.proof(everyday=10)
@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("", "Expression must not be blank"),
        (" \n ", "Expression must not be blank"),
        ("1/0", "Division by zero"),
        ("0/0", "Division by zero"),
        ("1/-0.0", "Division by zero"),
        ("0^-1", "Division by zero"),
        ("0^-0.5", "Division by zero"),
        ("5 % 0", "Modulo by zero"),
        ("5 % (1-1)", "Modulo by zero"),
        ("2 3", "Invalid expression: Unexpected character '3' at position 2"),
        ("  2+2)", "Invalid expression: Unexpected character ')' at position 3"),
        ("1e3", "Invalid expression: Unexpected character 'e' at position 1"),
        ("1,000", "Invalid expression: Unexpected character ',' at position 1"),
        ("2(3)", "Invalid expression: Unexpected character '(' at position 1"),
        ("2**3", "Invalid expression: Unexpected character '*'"),
        ("()", "Invalid expression: Unexpected character ')'"),
        ("pi", "Invalid expression: Unexpected character 'p'"),
        ("٣+1", "Invalid expression: Unexpected character '٣'"),
        ("2 +", "Invalid expression: Unexpected end of expression"),
        ("-", "Invalid expression: Unexpected end of expression"),
        ("(2", "Invalid expression: Missing closing parenthesis"),
        ("(2 3", "Invalid expression: Missing closing parenthesis"),
        ("1.2.3", "Invalid expression: Invalid number: 1.2.3"),
        (".", "Invalid expression: Invalid number: ."),
        ("(-8)^(1/3)", "Not a real number: a negative number to a power that is not whole"),
        ("9^9^9", f"Number too large: more than {MAX_DIGITS} digits"),
        ("10^4000", f"Number too large: more than {MAX_DIGITS} digits"),
        ("2^13300.5", f"Number too large: more than {MAX_DIGITS} digits"),
        ("9^-9^9", f"Number too small: closer to zero than 10^-{MAX_DIGITS}"),
        ("2^0.5 * 2^0.5 - 2", "Result uncertain: the deciding digits cancel out"),
        ("1/(2^0.5 * 2^0.5 - 2)", "Result uncertain: the deciding digits cancel out"),
        ("(2^0.5 * 2^0.5) % 2", "Result uncertain: the deciding digits cancel out"),
        ("(2^0.5 * 2^0.5 - 2)^2", "Result uncertain: the deciding digits cancel out"),
        ("(2^0.5 * 2^0.5 - 2)^0.5", "Result uncertain: the deciding digits cancel out"),
        ("(1 + 10^-900)^0.1", "Base too close to 1 to compute its power exactly"),
        ("1" * (MAX_LENGTH + 1), f"Expression too long: {MAX_LENGTH + 1} characters, at most {MAX_LENGTH}"),
    ],
)
def test_says_why_there_is_no_answer(expression, message):
    assert calculated(expression) == f"Error: {message}"


# The oracle: an evaluator of its own, by recursive descent over Python's fractions, which knows no bounds.

TOKEN = re.compile(r"\s*(?:(\d+\.\d*|\.\d+|\d+)|(.))", re.ASCII)


class NoAnswerError(Exception):
    pass


def oracle(expression):
    """Return the exact value of a well-formed expression with whole exponents, or raise."""
    tokens = [number or sign for number, sign in TOKEN.findall(expression)]
    value, rest = oracle_sum(tokens)
    assert not rest
    return value


def oracle_sum(tokens):
    value, tokens = oracle_product(tokens)
    while tokens and tokens[0] in "+-":
        other, rest = oracle_product(tokens[1:])
        value, tokens = (value + other if tokens[0] == "+" else value - other), rest
    return value, tokens


def oracle_product(tokens):
    value, tokens = oracle_sign(tokens)
    while tokens and tokens[0] in "*/%":
        other, rest = oracle_sign(tokens[1:])
        if tokens[0] == "*":
            value *= other
        elif not other:
            raise NoAnswerError
        elif tokens[0] == "/":
            value /= other
        else:
            times = abs(value) // abs(other)
            value = (abs(value) - times * abs(other)) * (-1 if value < 0 else 1)
        tokens = rest
    return value, tokens


def oracle_sign(tokens):
    if tokens[0] in "+-":
        value, rest = oracle_sign(tokens[1:])
        return (-value if tokens[0] == "-" else value), rest
    return oracle_power(tokens)


def oracle_power(tokens):
    if tokens[0] == "(":
        base, rest = oracle_sum(tokens[1:])
        rest = rest[1:]
    else:
        base, rest = Fraction(tokens[0]), tokens[1:]
    if not rest or rest[0] != "^":
        return base, rest
    exponent, rest = oracle_sign(rest[1:])
    if exponent.denominator != 1 or abs(exponent) > 300 or base == 0 > exponent:
        raise NoAnswerError
    return base ** int(exponent), rest


numbers = st.one_of(
    st.integers(0, 12).map(str),
    st.integers(0, 10**20).map(str),
    st.decimals(0, 1000, places=3, allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["0", "1", ".5", "5.", "0.1", "9007199254740993"]),
)


def deeper(inner):
    blank = st.sampled_from(["", " "])
    return st.one_of(
        st.tuples(inner, blank, st.sampled_from("+-*/%^"), blank, inner).map("".join),
        inner.map("({})".format),
        st.tuples(st.sampled_from("+-"), inner).map("".join),
        st.tuples(inner, st.sampled_from(["^2", "^-3", "^0", "^17"])).map("".join),
    )


expressions = st.recursive(numbers, deeper, max_leaves=12)


def is_right(text, exact):
    """Return whether a text is a number rounded right, half to even, or exact where it is whole."""
    if exact.denominator == 1:
        return text == str(exact.numerator)
    with localcontext(prec=SHOWN_DIGITS):
        rounded = Decimal(exact.numerator) / Decimal(exact.denominator)
    return bool(text) and Decimal(text) == rounded


REFUSALS = ("Number too large", "Number too small", "Result not certain")


def judge(expression):
    """Return whether the calculator is right, refuses, or whether there is no answer to compare with."""
    result = CALCULATOR.run({"input": expression})
    try:
        exact = oracle(expression)
    except NoAnswerError:
        return "no answer"
    if result.error and result.error.startswith(REFUSALS):
        return "refused"
    return "right" if is_right(result.output, exact) else "wrong"


@settings(max_examples=examples(1_000), deadline=None)
@given(expressions)
def test_agrees_with_an_independent_evaluator(expression):
    assert judge(expression) != "wrong"


def written_at_random(chance, depth):
    """Return a well-formed expression."""
    kind = chance.randrange(8) if depth else 0
    if kind == 0:
        return chance.choice(
            [
                f"{chance.randrange(13)}",
                f"{chance.randrange(10**20)}",
                f"{chance.randrange(10**6) / 1000:.3f}",
                ".5",
                "0",
            ]
        )
    if kind == 1:
        return f"({written_at_random(chance, depth - 1)})"
    if kind == 2:
        return chance.choice("+-") + written_at_random(chance, depth - 1)
    if kind == 3:
        return written_at_random(chance, depth - 1) + chance.choice(["^2", "^-3", "^0", "^17", "^2^3"])
    blank = chance.choice(["", " "])
    return blank.join(
        [written_at_random(chance, depth - 1), chance.choice("+-*/%^"), written_at_random(chance, depth - 1)]
    )


def test_no_answer_of_many_is_wrong(tries):
    answers = tries(20_000)
    chance = Random(20_240_229)  # noqa: S311 - a test has no secrets
    verdicts: Counter[str] = Counter()
    while verdicts["right"] + verdicts["wrong"] < answers:
        verdicts[judge(written_at_random(chance, 4))] += 1
    print(f"\ncalculator: {verdicts['wrong']} wrong answers of {answers}, beside {verdicts['refused']} refused")  # noqa: T201
    assert verdicts["wrong"] == 0
    assert verdicts["refused"] < answers / 100


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(1, 10**12), st.integers(1, 10**6), st.integers(-300, 300), st.integers(1, 30))
def test_broken_powers_are_right_to_the_last_digit(above, below, numerator, denominator):
    answer = Decimal(calculated(f"({above}/{below})^({numerator}/{denominator})"))
    # x is the rounded q-th root of b^p exactly when b^p lies between the q-th powers of x give or take half a unit.
    half = Fraction(Decimal(1).scaleb(answer.adjusted() - SHOWN_DIGITS + 1)) / 2
    power = Fraction(above, below) ** numerator
    assert (Fraction(answer) - half) ** denominator <= power <= (Fraction(answer) + half) ** denominator


@settings(max_examples=examples(500), deadline=None)
@given(st.text(st.sampled_from("0123456789.+-*/%^() x"), max_size=40) | st.text(max_size=40))
def test_anything_is_answered_with_a_number_or_an_error(expression):
    result = CALCULATOR.run({"input": expression})
    assert result.succeeded == (re.fullmatch(r"-?\d+(\.\d+)?(E[+-]\d+)?", result.output) is not None)
    assert result.succeeded or result.error


@pytest.mark.proof(everyday=2)
@pytest.mark.parametrize(
    "expression",
    [
        "(" * 4_999 + "1" + ")" * 4_999,
        "-" * 9_999 + "1",
        "1^" * 4_999 + "1",
        "2^" * 4_999 + "1",
        "+".join(f"1/{number}" for number in range(1_001, 2_400)),
        pytest.param("+".join(["2^.5"] * 1_990), marks=pytest.mark.proof),
        "+".join(["(1+1/10^60)^(10^47)"] * 490),
        pytest.param("+".join(["(7/3)^9999"] * 900), marks=pytest.mark.proof),
        pytest.param("2" + "^.5" * 3_300, marks=pytest.mark.proof),
        "9" * 3_999 + "/" + "7" * 3_999,
    ],
    ids=lambda expression: expression[:12],
)
def test_the_longest_expressions_end(expression):
    started = perf_counter()
    assert CALCULATOR.run({"input": expression}).text
    print(f"\n{expression[:12]}… of {len(expression)} characters: {perf_counter() - started:.2f} s")  # noqa: T201


@needs_peaks
@pytest.mark.proof
def test_memory_stays_small():
    program = (
        f"{PEAK}\n"
        "from toolkit.builtin.calculator import evaluate\n"
        "before = peak()\n"
        "for expression in ('9^9^9', '+'.join(['2^13000'] * 1200), '9' * 10_000, '2^(10^3000)', '1.1^' * 2400 + '1'):\n"
        "    try:\n"
        "        evaluate(expression)\n"
        "    except ArithmeticError:\n"
        "        pass\n"
        "print((peak() - before) // 1024)\n"
    )
    grown = int(subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True).stdout)
    assert grown < 32


def test_hints_allow_it_to_run_unasked():
    spec = CALCULATOR.spec
    assert (spec.read_only, spec.destructive, spec.idempotent, spec.open_world) == (True, False, True, False)


def test_what_a_model_is_sent():
    definition = CALCULATOR.spec.definition
    assert definition["name"] == "calculator"
    assert definition["parameters"] == {
        "type": "object",
        "properties": {"input": {"type": "string", "description": "The input to pass to the tool"}},
        "required": ["input"],
    }
