"""Calls with very many parameters."""

from toolkit import ToolContext, tool


@tool
def nine(a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, i: int) -> int:
    """Add nine numbers up and return the sum."""
    return a + b + c + d + e + f + g + h + i


@tool
def sixteen(
    a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int,
    i: int, j: int, k: int, l: int, m: int, n: int, o: int, p: int,
) -> int:
    """Add sixteen numbers up and return the sum."""
    return a + b + c + d + e + f + g + h + i + j + k + l + m + n + o + p
