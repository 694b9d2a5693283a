from typing import Annotated

from toolkit import tool


@tool(read_only=True)
def count_words(text: Annotated[str, "What is counted."]) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool
def join_texts(first: Annotated[str, "What comes first."], second: Annotated[str, "What follows."]) -> str:
    """Put one text behind another."""
    return first + second


@tool(read_only=True)
def list_words(text: Annotated[str, "What is taken apart."], most: Annotated[int, "How many words."] = 10) -> list[str]:
    """List the first words of a text."""
    return text.split()[:most]


@tool(read_only=True)
def repeat(text: Annotated[str, "What is repeated."], times: Annotated[int, "How often."]) -> str:
    """Repeat a text some times."""
    return text * times


@tool(destructive=True)
def forget(name: Annotated[str, "The customer's name."]) -> str:
    """Remove all that is known of a customer."""
    return f"forgot {name}"
