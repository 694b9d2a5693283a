"""Comments that silence something."""
# toolkit: ignore-file[TK40]

from toolkit import tool


@tool
def remind(when) -> str:  # toolkit: ignore[TK301, TK204]
    """Remind."""  # toolkit: ignore[TK202]
    return "reminded".upper()


@tool
def forecast(city: str) -> str:
    """Forecast.

    Args:
        city: TODO
    """  # toolkit: ignore[TK208, short-description]
    return f"sun in {city}"
