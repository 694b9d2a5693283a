"""A tree of any depth."""

from pydantic import BaseModel

from toolkit import tool


class Folder(BaseModel):
    """A folder with folders."""

    name: str
    folders: list["Folder"] = []


@tool
def create(folder: Folder) -> str:
    """Create a folder with all the folders in it."""
    return folder.name
