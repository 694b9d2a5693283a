"""Show locations relative to the working directory."""

import os
from dataclasses import replace
from pathlib import Path

from toolkit.problems import Location, Problem


def seen_from(directory: Path, problem: Problem) -> Problem:
    """Return a problem with files in a folder shown relative to it."""
    related = tuple((place_from(directory, place), what) for place, what in problem.related)
    location = problem.location and place_from(directory, problem.location)
    return replace(problem, location=location, related=related)


def place_from(directory: Path, place: Location) -> Location:
    """Return a location with its file relative to a folder, if the file is in it."""
    root = os.path.join(directory, "")  # noqa: PTH118 - with a separator at the end
    if "://" in place.file:  # a tool of a server is not in a file
        return place
    return place._replace(file=os.path.normpath(place.file).removeprefix(root))
