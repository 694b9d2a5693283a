"""Objects that lie on three levels, and a tree."""

from pydantic import BaseModel

from toolkit import tool


class Point(BaseModel):
    """A point."""

    lat: float


class Place(BaseModel):
    """A place."""

    point: Point


class Address(BaseModel):
    """An address."""

    places: list[Place]


class Folder(BaseModel):
    """A folder with folders."""

    folders: list["Folder"]


@tool
def order(address: Address, folder: Folder) -> str:
    """Order something to an address."""
    return str(address) + str(folder)
