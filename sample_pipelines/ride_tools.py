"""What a hired bicycle costs."""

from typing import TypedDict

from toolkit import tool

START = 200
FREE_MINUTES = 15
MINUTE = {False: 8, True: 14}
DAY = 2_400


class Fare(TypedDict):
    """What a ride costs, in hundredths of a krone."""

    ore: int
    capped: bool


@tool(read_only=True)
def ride_fare(minutes: int, *, electric: bool = False) -> Fare:
    """Work out what a ride on a hired bicycle costs, at most the price of a day.

    Args:
        minutes: How long the bicycle was away.
        electric: Whether it has a motor.
    """
    if minutes < 1:
        raise ValueError(f"a ride takes at least a minute, not {minutes}")
    ore = START + max(0, minutes - FREE_MINUTES) * MINUTE[electric]
    return {"ore": min(ore, DAY), "capped": ore > DAY}
