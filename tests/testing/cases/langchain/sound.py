from pydantic import BaseModel

from langchain_core.tools import BaseTool, StructuredTool, ToolException, tool


@tool
def weather(city: str) -> str:
    """Tell the weather."""
    raise ToolException(f"there is no {city!r}")


@tool
def first_letter(text: str) -> str:
    """Return the first letter."""
    return text[:1]


def with_suffix(text: str, suffix: str | None = None) -> str:
    """Add a suffix."""
    return text + (suffix or "")


made = StructuredTool.from_function(with_suffix)


class Division(BaseModel):
    divisor: int


class Divider(BaseTool):
    name: str = "divided"
    description: str = "Divide ten."
    args_schema: type[BaseModel] = Division

    def _run(self, divisor: int) -> int:
        if divisor == 0:
            raise ToolException("the divisor is 0")
        return 10 // divisor


divider = Divider()
