"""Records: problems and settings as plain JSON, to cross from one process to another."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from toolkit.problems import Location, Problem
from toolkit.sources.configuration import Configuration


def problem_record(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain data."""
    return asdict(problem)


def read_problem(record: Mapping[str, Any]) -> Problem:
    """Return the problem that a record stands for."""
    place = record["location"]
    related = tuple((Location(*where), what) for where, what in record["related"])
    return Problem(**{**record, "location": place and Location(*place), "related": related})


def configuration_record(configuration: Configuration) -> dict[str, Any]:
    """Return what opening sources needs of a configuration; values for tools' contexts stay where they are."""
    return {
        "directory": str(configuration.directory.absolute()),
        "file": configuration.file and str(configuration.file),
        "sources": configuration.sources,
        "env": configuration.env,
    }


def read_configuration(record: Mapping[str, Any]) -> Configuration:
    """Return the configuration that a record stands for."""
    file = record["file"]
    return Configuration(
        directory=Path(record["directory"]),
        file=Path(file) if file else None,
        sources=tuple(record["sources"]),
        env=tuple(record["env"]),
    )
