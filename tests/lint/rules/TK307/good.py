"""A tree of two levels, and one whose nodes name their parents."""

from pydantic import BaseModel

from toolkit import tool


class Leaf(BaseModel):
    """A folder without folders."""

    name: str


class Folder(BaseModel):
    """A folder with folders that have none."""

    name: str
    folders: list[Leaf] = []


@tool
def create(folder: Folder) -> str:
    """Create a folder with all the folders in it."""
    return folder.name
