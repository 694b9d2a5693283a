from typing import Annotated

from toolkit import tool


@tool(read_only=True)
def count_words(text: Annotated[str, "What is counted."]) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool(read_only=True)
def list_words(text: Annotated[str, "What is taken apart."]) -> list[str]:
    """List the words of a text."""
    return text.split()


@tool(read_only=True)
def repeat(text: Annotated[str, "What is repeated."], times: Annotated[int, "How often."]) -> str:
    """Repeat a text some times."""
    return text * times
