from typing import Literal

from toolkit import tool


@tool
def apply(function: Literal["double", "square"], number: int) -> int:
    """Apply a function to a number.

    Args:
        function: What to apply.
        number: What to apply it to.
    """
    return number * 2 if function == "double" else number * number


@tool
def total(numbers: list[int]) -> int:
    """Add some numbers up.

    Args:
        numbers: The numbers.
    """
    return sum(numbers)
