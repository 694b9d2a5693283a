"""Tools of an agent of Haystack."""

from haystack.components.agents.state import State
from haystack.tools import Toolset, tool


@tool
def forecast(city: str, days: int = 1) -> str:
    """Tell the weather of the coming days."""
    if city == "Atlantis":
        raise OSError("nobody has seen it")
    return f"{city}: sunny for {days} days"


@tool(inputs_from_state={"customer": "whom"}, outputs_to_string={"source": "words", "handler": str.upper})
def greet(words: str, whom: str) -> dict[str, str]:
    """Greet the customer."""
    return {"words": f"{words}, {whom}!"}


@tool
def recall(state: State) -> str:
    """Say who the customer is."""
    return str(state.get("customer"))


office = Toolset([greet, recall])
