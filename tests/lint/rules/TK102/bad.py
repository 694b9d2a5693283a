"""Names that are too long."""

from toolkit import tool


@tool
def find_all_customers_that_have_ordered_more_than_once_within_the_last_year(city: str) -> str:
    """Find the customers of a city that came back within a year."""
    return city


@tool(name="a" * 65)
def computed(city: str) -> str:
    """Find the customers of a city."""
    return city
