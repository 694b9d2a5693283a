"""Defaults that are no values of their types, or that calls change."""

from typing import Annotated

from pydantic import Field

from toolkit import tool


@tool
def forecast(city: str, days: int = "3", units: str | None = None, share: float = True) -> str:
    """Forecast the weather in a city."""
    return f"{city} {days} {units} {share}"


@tool
def note(text: str, seen: list[str] | None = None, counts: dict[str, int] | None = None, tags: list[str] | None = None) -> str:
    """Keep a note of what was said."""
    tags = list() if tags is None else tags
    counts = {} if counts is None else counts
    seen = [] if seen is None else seen
    seen.append(text)
    counts[text] = 1
    tags.extend(seen)
    return f"{seen} {counts} {tags}"


COUNT = "20"


@tool
def count(
    most: Annotated[int, "How many."] = "20",
    least: Annotated[int, Field(ge=1)] = 0,
    other: int = COUNT,
    unit: Annotated[str | None, "Days or nights."] = None,
) -> str:
    """Count the days of a forecast."""
    return f"{most} {least} {other} {unit}"
