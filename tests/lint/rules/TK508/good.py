from toolkit import tool


@tool(read_only=True)
def count_words(text: str) -> int:
    """Count the words of a text."""
    return len(text.split())


@tool(destructive=False)
def greet(name: str) -> str:
    """Greet a customer who has just come in."""
    return f"hello {name}"
