"""Plugins that no kernel has yet: an object, a class, and a function; and a step of a process, which is none."""

from typing import Annotated

from semantic_kernel.functions import kernel_function
from semantic_kernel.processes.kernel_process import KernelProcessStep


class Weather:
    """What the weather is like."""

    def __init__(self, country: str) -> None:
        """Know the country."""
        self._country = country

    @kernel_function
    def forecast(self, city: Annotated[str, "The city."], days: Annotated[int, "How many days."] = 1) -> str:
        """Tell the weather of the coming days in a city."""
        return f"{city} in {self._country}: sunny for {days} days"


class Stations:
    """Where the weather is measured."""

    @kernel_function(name="nearest_station")
    async def nearest(self, city: Annotated[str, "The city."]) -> str:
        """Find the weather station that is nearest to a city."""
        return f"{city} North"


@kernel_function
def measure(station: Annotated[str, "The station."]) -> int:
    """Measure the temperature at a weather station, in degrees Celsius."""
    return len(station)


class Greeting(KernelProcessStep[None]):
    """What a process does first."""

    @kernel_function
    async def greet(self) -> None:
        """Greet the visitor."""


weather = Weather("Norway")
