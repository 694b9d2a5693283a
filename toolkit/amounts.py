"""Formats amounts of money."""


def money(dollars: float, digits: int = 4) -> str:
    """Format an amount in dollars with two decimals, or more where they are not zero: `$0.50`, `$0.0013`."""
    whole, point, rest = f"{dollars:,.{digits}f}".partition(".")
    return f"${whole}{point}{rest[:2]}{rest[2:].rstrip('0')}"
