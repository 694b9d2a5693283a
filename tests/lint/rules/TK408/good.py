"""Failures that are told, and answers that are no failures."""

import os
from contextlib import suppress

from langchain_core.tools import tool as langchain_tool

from toolkit import ToolResult, tool


@tool
def divide(a: float, b: float) -> str:
    """Divide a number by another one."""
    try:
        return str(a / b)
    except ZeroDivisionError:
        return "Error: it is infinite"


@tool
def invert(a: float) -> ToolResult:
    """Divide one by a number."""
    try:
        return ToolResult.success(str(1 / a))
    except Exception as error:
        return ToolResult.failure(f"Error: {error}")


@tool
def guess(a: float) -> str:
    """Guess a number."""
    try:
        return str(1 / a)
    except Exception:
        return "0"


@tool
def save(text: str) -> str:
    """Save a text."""
    try:
        open("text.txt", "w").write(text)
    except FileNotFoundError:
        pass
    else:
        return "Success"
    try:
        open("cache.txt", "w").write(text)
    except Exception:
        text = ""
    return text


@tool
def discard(name: str) -> str:
    """Discard a text."""
    with suppress(FileNotFoundError):
        os.remove(name)
    return "ok"


def raise_error(error: Exception) -> str:
    raise ValueError("it is no number") from error


@tool
def convert(text: str) -> str:
    """Convert a text to a number."""
    try:
        return str(int(text))
    except Exception as error:
        return raise_error(error)


@langchain_tool
def look_up(order: str) -> str:
    """Look up an order.

    Returns:
        The order, or an error message.
    """
    try:
        return order.strip()
    except Exception as error:
        return f"Error: {error}"


@tool
def halve(number: int) -> str:
    """Halve a number."""
    try:
        problem, result = "", str(number / 2)
    except Exception as error:
        problem = f"Error: {error}"
    if problem:
        raise ValueError(problem)
    return result


@tool
def double(number: int) -> str:
    """Double a number."""
    try:
        text = str(number * 2)
    except Exception as error:
        text = f"Error: {error}"
    text = "0" if text.startswith("Error") else text
    return text


@tool
def triple(number: int) -> str:
    """Triple a number."""
    try:
        text = str(number * 3)
    except Exception as error:
        text = f"Error: {error}"
        raise ValueError(text) from error
    return text


@langchain_tool
def comment(text: str) -> str:
    """Write a comment below a page."""
    try:
        place = pages.write(text)
        try:
            place = pages.address_of(place)
        except Exception:
            pass
        return f"Successfully written: {place}"
    except Exception as error:
        raise ValueError(text) from error


@tool
def record(text: str) -> str:
    """Record a text, in a folder of its own if there is one."""
    folder = "."
    try:
        folder = os.readlink("folder")
    except Exception:
        pass
    with open(os.path.join(folder, "record.txt"), "w") as file:
        file.write(text)
    return "Successfully recorded"


@tool
def post(texts: list[str]) -> dict[str, str]:
    """Post texts, after a look at the folder."""
    try:
        os.readlink("folder")
    except Exception:
        pass
    for text in texts:
        pages.write(text)
    return {"status": "success"}
