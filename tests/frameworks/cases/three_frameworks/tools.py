"""Tools of three frameworks, and one of toolkit, in one module."""

from agents import function_tool
from langchain_core.tools import tool as langchain_tool
from pydantic_ai import FunctionToolset

from toolkit import tool

kitchen = FunctionToolset()


@langchain_tool
def find_recipe(dish: str) -> str:
    """Find the recipe of a dish and return what has to be done."""
    return f"boil {dish}"


@kitchen.tool_plain
def list_ingredients(recipe: str) -> str:
    """List what a recipe takes, one ingredient a word.

    Args:
        recipe: What find_recipe returned.
    """
    return f"water for: {recipe}"


@function_tool
def order_food(ingredients: str) -> str:
    """Order ingredients and return what was ordered.

    Args:
        ingredients: What to order.
    """
    return f"ordered {ingredients}"


@tool(read_only=True)
def translate(text: str) -> str:
    """Translate a text into loud words.

    Args:
        text: Any text.
    """
    return text.upper()
