"""Failures that look like results."""

from contextlib import suppress

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


@tool
def save(text: str) -> str:
    """Save a text."""
    try:
        open("text.txt", "w").write(text)
    except Exception:
        return "Success"
    return "saved"


@tool
def store(text: str) -> str:
    """Store a text."""
    try:
        open("text.txt", "w").write(text)
    except:
        pass
    return "ok"


@tool
def look(text: str) -> dict[str, str]:
    """Look a text up."""
    try:
        return {"found": text}
    except Exception as error:
        return {"error": str(error)}


@tool
def keep(text: str) -> str:
    """Keep a text."""
    with suppress(Exception):
        open("text.txt", "w").write(text)
    return "ok"


@tool
def hold(text: str) -> str:
    """Hold a text."""
    try:
        return text.strip()
    except (ValueError, Exception):
        return "Success"


def log_and_format_error(name: str, error: Exception) -> str:
    return f"{name} did not work: {error}"


@tool
def convert(text: str) -> str:
    """Convert a text to a number."""
    try:
        return str(int(text))
    except Exception as error:
        return log_and_format_error("convert", error)


@tool
def halve(number: int) -> str:
    """Halve a number."""
    try:
        result = str(number / 2)
    except Exception:
        result = "Success"
    return result


@tool
def double(number: int) -> dict[str, str]:
    """Double a number."""
    try:
        answer = {"number": str(number * 2)}
    except Exception as error:
        answer = {"error": str(error)}
        return answer
    print(answer)
    return answer


@tool
def note(text: str) -> str:
    """Note a text."""
    try:
        open("text.txt", "w").write(text)
    except Exception as error:
        return f"Success (but nothing was sent: {error})"
    return "sent"
