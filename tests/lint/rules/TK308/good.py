"""Calls with as many parameters as a model fills well."""

from toolkit import MemoryId, ToolContext, tool


@tool
def eight(a: int, b: int, c: int, d: int, e: int, f: int, g: int, h: int, context: ToolContext) -> int:
    """Add eight numbers up and return the sum."""
    return a + b + c + d + e + f + g + h
