"""A description that is long enough."""

from toolkit import tool


@tool
def search(words: str) -> str:
    """Search the catalogue of the shop.

    Words in quotes are looked for as they stand; all others in any order and form. At most ten things are returned, the
    likeliest first. For the whole language of queries, read `search_manual` first.
    """
    return words
