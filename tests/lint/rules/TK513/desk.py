from toolkit import tool


@tool(read_only=True)
def find_customer(name: str) -> str:
    """Find a customer of the shop by name."""
    return f"customer {name}"


@tool(read_only=True, open_world=True)
def read_page(topic: str) -> str:
    """Read what the web says on a topic."""
    return f"about {topic}"


@tool(destructive=False)
def send_message(text: str) -> str:
    """Send a message to the supplier."""
    return f"sent: {text}"
