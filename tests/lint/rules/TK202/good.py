"""Descriptions that say what a model needs."""

from toolkit import tool


@tool
def get_rates() -> str:
    """Return today's exchange rates of the euro."""
    return "1.1"


@tool
def translate(text: str) -> str:
    """把一段文字翻译成英文"""
    return text
