from collections.abc import Callable, Iterator

from toolkit import tool


@tool
def apply(function: Callable[[int], int], number: int) -> int:
    """Apply a function to a number.

    Args:
        function: What to apply.
        number: What to apply it to.
    """
    return function(number)


@tool
def total(*numbers: int) -> int:
    """Add some numbers up.

    Args:
        numbers: The numbers.
    """
    return sum(numbers)


@tool
def first(numbers: Iterator[int], /, most: int) -> int:
    """Return the first number that is small enough.

    Args:
        numbers: The numbers.
        most: The largest that will do.
    """
    return next(number for number in numbers if number <= most)


@tool
def largest(*numbers, **others) -> int:
    """Return the largest number."""
    return max(*numbers, *others.values())
