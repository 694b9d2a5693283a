"""Tools that say what they do."""

from toolkit import tool


@tool
def spoken(city: str) -> str:
    """Tell today's weather in a city."""
    return city


@tool(description="Tell tomorrow's weather in a city.")
def described(city: str) -> str:
    return city


class Upper:
    name = "upper"
    description = "Put a text into capital letters."

    def execute(self, text: str) -> str:
        return text.upper()


def helper(city: str) -> str:
    return city
