from langchain_core.tools import BaseTool, StructuredTool, tool


@tool
def crash_on_purpose(city: str) -> str:
    """Tell the weather."""
    raise ValueError(f"there is no {city!r}")


@tool
def crash_on_empty(text: str) -> str:
    """Return the first letter."""
    return text[0]


def crash_on_none(text: str, suffix: str | None = None) -> str:
    """Add a suffix."""
    return text + suffix


made = StructuredTool.from_function(crash_on_none)


class CrashOfAClass(BaseTool):
    name: str = "crash_of_a_class"
    description: str = "Divide ten."

    def _run(self, divisor: int) -> int:
        return 10 // divisor


divider = CrashOfAClass()


class AcceptedWithoutSchema(BaseTool):
    name: str = "accepted_without_schema"
    description: str = "Show a number; without an args_schema, nothing checks what the schema says."

    def _run(self, number: int) -> str:
        return f"{number}"


shower = AcceptedWithoutSchema()
