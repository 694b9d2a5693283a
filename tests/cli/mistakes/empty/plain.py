def price(item: str) -> str:
    """Say what an item costs."""
    return item
