"""Tools of a kernel of Semantic Kernel."""

from typing import Annotated

from semantic_kernel.functions import KernelPlugin, kernel_function


class Weather:
    """A plugin."""

    @kernel_function
    def forecast(self, city: Annotated[str, "The city"], days: int = 1) -> str:
        """Tell the weather of the coming days."""
        if city == "Atlantis":
            raise OSError("nobody has seen it")
        return f"{city}: sunny for {days} days"

    @kernel_function
    async def stations(self, city: str) -> dict[str, object]:
        """Find the weather stations of a city."""
        return {"city": city, "stations": 3}


plugin = KernelPlugin.from_object("weather", Weather())
