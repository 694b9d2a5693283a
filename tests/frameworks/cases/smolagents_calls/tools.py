"""Tools of an agent of smolagents."""

from smolagents import Tool, tool


@tool
def forecast(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days.

    Args:
        city: The city.
        days: How many.
    """
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return f"{city}: sunny for {days} days"


class Convert(Tool):
    """A tool as a class."""

    name = "convert"
    description = "Convert degrees to Fahrenheit."
    inputs = {"degrees": {"type": "number", "description": "Degrees in Celsius."}}
    output_type = "number"

    def forward(self, degrees: float) -> float:
        return degrees * 9 / 5 + 32


convert = Convert()
