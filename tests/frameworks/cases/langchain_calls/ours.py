"""A tool of toolkit beside those of LangChain."""

from toolkit import tool


@tool(read_only=True)
def priced(pieces: int) -> float:
    """Say what some pieces cost.

    Args:
        pieces: How many there are.
    """
    return pieces * 2.0
