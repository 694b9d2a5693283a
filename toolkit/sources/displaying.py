"""Displaying: places are told as the user would write them, from the working directory."""

import os
from dataclasses import replace
from pathlib import Path

from toolkit.problems import Location, Problem


def seen_from(directory: Path, problem: Problem) -> Problem:
    """Return the problem with the files beneath a folder named relative to it."""
    root = os.path.join(directory, "")  # noqa: PTH118 - the separator at its end is wanted
    related = tuple((_shortened(place, root), what) for place, what in problem.related)
    location = problem.location and _shortened(problem.location, root)
    return replace(problem, location=location, related=related)


def _shortened(place: Location, root: str) -> Location:
    if "://" in place.file:  # a tool of a server is in no file
        return place
    return place._replace(file=os.path.normpath(place.file).removeprefix(root))
