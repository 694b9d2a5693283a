"""A name as long as all providers take."""

from toolkit import tool


@tool(name="a234567890b234567890c234567890d234567890e234567890f234567890g234")
def longest(city: str) -> str:
    """Find the customers of a city."""
    return city
