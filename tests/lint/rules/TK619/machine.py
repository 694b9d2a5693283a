from typing import Annotated, Literal

from toolkit import tool


@tool(read_only=True, open_world=True)
def fetch(address: Annotated[str, "Where it lies."]) -> dict[str, str]:
    """Fetch what lies at an address."""
    return {"address": address}


@tool(read_only=True, open_world=True)
def find_pages(topic: Annotated[str, "What they are about."]) -> list[str]:
    """Find pages about a topic."""
    return [topic]


@tool(read_only=True, open_world=True)
def count_pages(topic: Annotated[str, "What they are about."]) -> int:
    """Count the pages about a topic."""
    return len(topic)


@tool(read_only=True, open_world=False)
def choose_task(text: Annotated[str, "What is wanted."]) -> str:
    """Choose one of the known tasks."""
    return "build" if "build" in text else "test"


@tool(open_world=False)
def start(command: Annotated[str, "What is started."], note: Annotated[str, "Why."] = "") -> str:
    """Start a program on this machine."""
    return command + note


@tool(open_world=False)
def run_sql(statement: Annotated[str, "What is asked."]) -> str:
    """Ask the database."""
    return statement


@tool(open_world=False)
def build(command: Annotated[Literal["debug", "release"], "What is built."]) -> str:
    """Build the project."""
    return command


@tool(open_world=False, destructive=True)
def clear(folder: Annotated[str, "What is cleared."]) -> str:
    """Remove everything from a folder."""
    return folder
