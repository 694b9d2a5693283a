"""Shown paths: places are shown as the user would write them, from the working directory."""

import os
from dataclasses import replace
from pathlib import Path

from toolkit.problems import Location, Problem


def seen_from(directory: Path, problem: Problem) -> Problem:
    """Return the problem with the files beneath a folder named relative to it."""
    related = tuple((place_from(directory, place), what) for place, what in problem.related)
    location = problem.location and place_from(directory, problem.location)
    return replace(problem, location=location, related=related)


def place_from(directory: Path, place: Location) -> Location:
    """Return a place with its file relative to a folder, where it is beneath that."""
    root = os.path.join(directory, "")  # noqa: PTH118 - the separator at its end is wanted
    if "://" in place.file:  # a tool of a server is in no file
        return place
    return place._replace(file=os.path.normpath(place.file).removeprefix(root))
