from crewai.tools import BaseTool, tool


@tool("first_letter")
def first_letter(text: str) -> str:
    """Return the first letter."""
    return text[:1]


@tool("doubled")
def doubled(amount: str) -> str:
    """Double an amount."""
    if not amount.isascii() or not amount.isdigit():
        raise ValueError("the amount is no number")
    return str(int(amount) * 2)


class Divider(BaseTool):
    name: str = "divided"
    description: str = "Divide ten."

    def _run(self, divisor: int) -> str:
        return str(10 // divisor) if divisor else "nothing"


divider = Divider()
