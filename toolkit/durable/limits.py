"""Limits: how many calls of a tool run at the same time on all workers, and how many begin in some time."""

import re
from typing import Final, NamedTuple

from toolkit.durations import parse_duration

_RATE: Final = re.compile(r"\s*([1-9]\d{0,8})\s*/(.+)")


class Limit(NamedTuple):
    """What bounds the items of a tool, on all workers of a store together.

    Attributes:
        concurrency: How many run at the same time; `None` is no limit.
        rate: How many begin within `seconds`; `None` is no limit.
        seconds: In which time.
    """

    concurrency: int | None = None
    rate: int | None = None
    seconds: float = 1.0


def parse_rate(text: str) -> tuple[int, float] | None:
    """Return how often, and in how many seconds, a rate such as `10/1m` means, or `None` if it is none."""
    match = _RATE.fullmatch(text)
    seconds = parse_duration(match[2]) if match is not None else None
    return (int(match[1]), seconds) if match is not None and seconds else None
