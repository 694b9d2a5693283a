from crewai.tools import BaseTool, tool


@tool("crash_on_empty")
def crash_on_empty(text: str) -> str:
    """Return the first letter."""
    return text[0]


@tool("crash_on_no_number")
def crash_on_no_number(amount: str) -> str:
    """Double an amount."""
    return str(int(amount) * 2)


class CrashOfAClass(BaseTool):
    name: str = "crash_of_a_class"
    description: str = "Divide ten."

    def _run(self, divisor: int) -> str:
        return str(10 // divisor)


divider = CrashOfAClass()
