"""Parameters that are read, or are said not to be."""

from functools import wraps

from toolkit import ToolContext, tool


@tool
def inner(city: str, days: int) -> str:
    """Forecast the weather in a city."""

    def text() -> str:
        return f"{days} days of sun in {city}"

    return text()


@tool
def meant(city: str, _unit: str, style: str, *, context: ToolContext) -> str:
    """Tell today's weather in a city."""
    del style
    return city


@tool
def whole(city: str, days: int) -> str:
    """Forecast the weather in a city."""
    return "{days} {city}".format(**locals())


@tool
def planned(city: str) -> str:
    """Forecast the weather in a city."""
    raise NotImplementedError


@tool
def changed(city: str, days: int) -> str:
    """Forecast the weather in a city."""
    days += 1
    return f"{days} {city}"


def signed_in(function):
    @wraps(function)
    def call(city: str, user: str) -> str:
        return function(city, user) if user == "guest" else "nobody"

    return call


@tool
@signed_in
def local(city: str, user: str) -> str:
    """Tell the weather to somebody who is signed in."""
    return city


@tool
def run_command(command: str, description: str) -> str:
    """Run one of the known commands.

    Args:
        command: What to run.
        description: What it is for.
    """
    return command
