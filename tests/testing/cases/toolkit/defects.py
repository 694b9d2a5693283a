import os
import random
import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from toolkit import Tool, tool
from toolkit.errors import ToolArgumentsError

PRICES = {"tea": 3, "coffee": 4}
ITEM = {"type": "object", "properties": {"item": {"type": "string"}}, "required": ["item"]}


@tool(read_only=True)
def crash_on_empty_text(text: str) -> str:
    """Return the first word."""
    return text.split()[0]


@tool(read_only=True)
def crash_on_zero(total: float, people: int) -> float:
    """Split a bill."""
    return total / people


@tool(read_only=True)
def crash_on_unknown_key(item: str) -> str:
    """Return a price."""
    return str(PRICES[item])


@tool(read_only=True)
def crash_on_none(text: str, prefix: str | None = None) -> str:
    """Put a prefix before a text."""
    return prefix.upper() + text


@tool(read_only=True)
def crash_on_no_number(amount: str) -> str:
    """Double an amount."""
    return str(int(amount) * 2)


@tool(read_only=True)
def crash_on_unicode(text: str) -> str:
    """Encode a text."""
    return text.encode("ascii").hex()


@tool(read_only=True)
def crash_on_lone_item(values: list[float]) -> float:
    """Return the second largest."""
    return sorted(values)[-2]


@tool(read_only=True)
def crash_on_last_year(day: date) -> str:
    """Return the same day of the next year."""
    return day.replace(year=day.year + 1).isoformat()


@tool(read_only=True)
def crash_on_the_other_mode(mode: Literal["fast", "slow"]) -> str:
    """Work."""
    return {"fast": "done"}[mode]


@tool(read_only=True)
def crash_on_many(rows: Annotated[list[str], Field(max_length=20)]) -> str:
    """Name rows by letters."""
    return ", ".join("abcdefghijklmnop"[at] + row for at, row in enumerate(rows))


@tool(read_only=True)
def crash_at_the_limit(percent: Annotated[int, Field(ge=0, le=100)]) -> str:
    """Return what is left."""
    return str(100 // (100 - percent))


@tool(read_only=True)
def crash_without_memory(size: int) -> int:
    """Make something large."""
    return len("x" * (size * 10_000_000_000)) if size > 0 else 0


@tool(read_only=True)
def crash_by_exit(mode: Literal["go", "stop"]) -> str:
    """Go or stop."""
    if mode == "stop":
        sys.exit(1)
    return "gone"


@tool(read_only=True)
def exit_at_once(number: int) -> str:
    """Return a number."""
    if number == 7:
        os._exit(3)
    return str(number)


@tool(read_only=True)
def hang_on_odd(number: int) -> str:
    """Count down in twos."""
    while number != 0 and number > -5:
        number -= 2 if number > 1 else 0
    return "done"


@tool(read_only=True)
def type_of_result(count: int) -> list[int]:
    """Return numbers."""
    return [1, 2] if count > 0 else "none"


@tool(read_only=True)
def json_of_nothing(name: str) -> object:
    """Return an object."""
    return object()


@tool(read_only=True, idempotent=True)
def unstable_answer(name: str) -> str:
    """Answer."""
    return f"{name}: {random.random()}"


@tool(read_only=True)
def changed_list(names: list[str]) -> str:
    """Sort names."""
    names.reverse()
    names.append("end")
    return ", ".join(names)


@tool(read_only=True)
def leak_of_home(name: str) -> str:
    """Read notes."""
    raise ValueError(f"cannot open {Path.home() / 'notes' / 'private.txt'}")


@tool(read_only=True)
def size_of_result(count: int) -> str:
    """Return rows."""
    return "row\n" * 60_000


@tool(read_only=True)
def refused_but_allowed(code: Annotated[str, Field(max_length=10)]) -> str:
    """Look up a code."""
    if not code.isdigit():
        raise ToolArgumentsError("Invalid parameter 'code': should have digits only")
    return code


@tool(read_only=True, examples=[{"city": "Oslo"}])
def refused_example(city: str) -> str:
    """Tell the weather."""
    raise LookupError("there is no such city")


crash_of_a_handmade_tool = Tool.create(
    "crash_of_a_handmade_tool", "Return a price.", ITEM, lambda item: PRICES[item], read_only=True
)
