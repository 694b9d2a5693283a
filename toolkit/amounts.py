"""Amounts: sums of money as people write them."""


def money(dollars: float, digits: int = 4) -> str:
    """Return an amount of dollars, with two digits after the point, or as many more as count: `$0.50`, `$0.0013`."""
    whole, point, rest = f"{dollars:,.{digits}f}".partition(".")
    return f"${whole}{point}{rest[:2]}{rest[2:].rstrip('0')}"
