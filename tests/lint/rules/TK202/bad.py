"""Descriptions that say next to nothing."""

from toolkit import tool


@tool
def get_rates() -> str:
    """Gets the rates."""
    return "1.1"


@tool
def search_catalogue(words: str) -> str:
    """This tool searches the catalogues."""
    return words


@tool(description="Useful.")
def rate(currency: str) -> str:
    return currency


@tool
def translate(text: str) -> str:
    """翻译"""
    return text
