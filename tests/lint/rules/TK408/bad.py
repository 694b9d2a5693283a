"""Failures that look like results."""

from toolkit import tool


@tool
def divide(a: float, b: float) -> str:
    """Divide a number by another one."""
    try:
        return str(a / b)
    except Exception as error:
        return f"Error: {error}"


@tool
def invert(a: float) -> str:
    """Divide one by a number."""
    try:
        return str(1 / a)
    except:
        print("no")
        return "could not divide"
