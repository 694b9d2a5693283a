"""Texts that speak of placeholders, or look a little like one."""

from typing import Annotated

from toolkit import tool


@tool
def add_todo(text: Annotated[str, "What is to be done..."]) -> str:
    """Add an item to the todo list; TODO comments in code are found by `scan`. See <https://example.org/description>."""
    return f"{text}"


@tool
def read_settings(file: Annotated[str, "Such as `shop.<name>.toml`, or 'shop.<your text>.toml'."]) -> str:
    """Read a file of settings. Returns lines such as {"label": "<name>"} or label=<name>."""
    return file


@tool
def load_skill(skill: Annotated[str, "Must be a value of <name> in the XML list of the description."]) -> str:
    """Load one of these skills: <skill><name>review</name><description>Reviews code.</description></skill>."""
    return skill


@tool
def describe_cluster(city: Annotated[str, "What the command gets: cluster --region <name>."]) -> str:
    """Describe a cluster. If that fails, run `cluster describe --name <name> --all <description>` yourself."""
    return city


@tool
def rename(entry: Annotated[str, "Todo list entity, such as `todo.shop`."], name: Annotated[str, "Title of the todo"]) -> str:
    """Rename a list of things that are left todo"""
    return f"{entry} {name}"


@tool
def create_card(title: str, description: Annotated[str, "Description"]) -> str:
    """Create a card on the board of the shop."""
    return f"{title} {description}"
