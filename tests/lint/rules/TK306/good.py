"""Strict tools that are as free as they may be."""

from toolkit import tool


@tool
def first(
    a: str = "", b: str = "", c: str = "", d: str = "", e: str = "", f: str = "", g: str = "", h: str = "", i: str = "",
    j: str = "", k: str = "", m: str = "",
) -> str:  # fmt: skip
    """Do the first thing."""
    return a + b + c + d + e + f + g + h + i + j + k + m


@tool(strict=False)
def second(
    a: str = "", b: str = "", c: str = "", d: str = "", e: str = "", f: str = "", g: str = "", h: str = "", i: str = "",
    j: str = "", k: str = "", m: str = "", n: str = "",
) -> str:  # fmt: skip
    """Do the second thing."""
    return a + b + c + d + e + f + g + h + i + j + k + m + n
