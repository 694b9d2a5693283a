"""Objects that lie deep, and one that has no end."""

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


class Customer(BaseModel):
    """A customer."""

    address: Address | None


@tool
def order(customer: Customer) -> str:
    """Order something for a customer."""
    return str(customer)
