"""The weather, for a LangChain agent."""

from langchain_core.tools import tool


@tool
def forecast(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days."""
    return f"{city}: sunny for {days} days"
