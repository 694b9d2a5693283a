from datetime import date
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from toolkit import Tool, ToolResult, tool
from toolkit.errors import ToolArgumentsError, ToolExecutionError

PRICES = {"tea": 3, "coffee": 4}
ITEM = {"type": "object", "properties": {"item": {"enum": ["tea", "coffee"]}}, "required": ["item"]}


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Order(BaseModel):
    number: Annotated[str, Field(pattern=r"^[A-Z]-\d{2}$")]
    euros: Annotated[float, Field(ge=0, le=500)]
    notes: list[str] = []


@tool(read_only=True)
def first_word(text: str) -> str:
    """Return the first word."""
    words = text.split()
    return words[0] if words else ""


@tool(read_only=True)
def split_bill(total: float, people: Annotated[int, Field(ge=1, le=1000)]) -> float:
    """Split a bill."""
    return total / people


@tool(read_only=True)
def price(item: str) -> str:
    """Return a price."""
    if item not in PRICES:
        raise ToolExecutionError(f"there is no {item!r}", "not_found")
    return str(PRICES[item])


@tool(read_only=True)
def price_or_value_error(item: str) -> str:
    """Return a price."""
    try:
        return str(PRICES[item])
    except KeyError as error:
        raise ValueError(f"there is no {item!r}") from error


@tool(read_only=True)
def price_or_failure(item: str) -> ToolResult:
    """Return a price."""
    return ToolResult.success(str(PRICES[item])) if item in PRICES else ToolResult.failure("not sold here")


@tool(read_only=True)
def with_prefix(text: str, prefix: str | None = None) -> str:
    """Put a prefix before a text."""
    return (prefix or "").upper() + text


@tool(read_only=True)
def doubled(amount: Annotated[str, Field(pattern=r"^[0-9]{1,6}$")]) -> str:
    """Double an amount."""
    return str(int(amount) * 2)


@tool(read_only=True)
def as_bytes(text: str) -> str:
    """Encode a text."""
    return text.encode().hex()


@tool(read_only=True)
def second_largest(values: Annotated[list[float], Field(min_length=2)]) -> float:
    """Return the second largest."""
    return sorted(values)[-2]


@tool(read_only=True)
def weekday(day: date) -> str:
    """Return the day of the week."""
    return day.strftime("%A")


@tool(read_only=True)
def by_mode(mode: Literal["fast", "slow"], size: Size = Size.SMALL) -> str:
    """Work."""
    return f"{mode} {size.value}"


@tool(read_only=True, idempotent=True)
def describe(order: Order) -> dict[str, str]:
    """Describe an order."""
    return {"number": order.number, "euros": f"{order.euros:.2f}"}


@tool(read_only=True)
def total(orders: list[Order]) -> float:
    """Add up orders."""
    return sum(order.euros for order in orders)


@tool(read_only=True)
def sorted_names(names: list[str]) -> list[str]:
    """Sort names."""
    return sorted(names)


@tool(read_only=True)
def prints(text: str) -> int:
    """Return a length; what it prints is kept from the protocol."""
    print("counting", text)
    return len(text)


@tool(read_only=True)
def checked(code: str) -> str:
    """Look up a code."""
    if code and not code.isascii():
        raise ToolExecutionError("codes have no such letters")
    return code


@tool(read_only=True)
async def later(number: int) -> int:
    """Return a number."""
    return number


@tool(read_only=True)
def within(low: int, high: int) -> list[int]:
    """Return numbers."""
    if high < low:
        raise ValueError("'high' is less than 'low'")
    return list(range(low, min(high, low + 100)))


@tool(read_only=True)
def unreachable(host: str) -> str:
    """Ask a host."""
    raise ConnectionError("the host cannot be reached")


handmade_price = Tool.create(
    "handmade_price", "Return a price.", ITEM, lambda item: PRICES[item], read_only=True
)


@tool
def delete_everything(name: str) -> str:
    """Delete everything."""
    with open("deleted.txt", "a") as file:
        file.write(name)
    return "deleted"
