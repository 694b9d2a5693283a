"""Tools that say nothing of themselves."""

from toolkit import tool, toolbox


@tool
def silent(city: str) -> str:
    return city


@tool(description="")
def emptied(city: str) -> str:
    """"""
    return city


@toolbox()
class Box:
    """A box."""

    @tool
    async def method(self, city: str) -> str:
        """
        Args:
            city: The city.
        """
        return city


class Upper:
    name = "upper"
    description = "  "

    def execute(self, text: str) -> str:
        return text.upper()
