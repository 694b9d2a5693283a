"""Configuring: the settings that hold in a folder are found."""

import os
from collections.abc import Mapping
from pathlib import Path

from toolkit.problems import Problem
from toolkit.sources.configuration import OWN_FILE, PROJECT_FILE, Configuration

_PREFIX = "TOOLKIT_"


def find_configuration(
    directory: Path | None = None, variables: Mapping[str, str] | None = None
) -> tuple[Configuration, list[Problem]]:
    """Return the settings that hold in a folder, and everything wrong with them (`TK005`).

    They come from the nearest folder upwards that has a `toolkit.toml`, or a `pyproject.toml` with `[tool.toolkit]`;
    variables such as `TOOLKIT_TIMEOUT` override them. What is wrong is left out of the settings.

    Args:
        directory: The folder to start from; the working directory unless said.
        variables: Environment variables; those of this process unless said.
    """
    start = Path.cwd() if directory is None else directory.absolute()
    given = os.environ if variables is None else variables
    configuration, problems = _configuration_above(start)
    overrides = {name: text for name, text in given.items() if name.startswith(_PREFIX)}
    if overrides:
        from toolkit.sources.settings import override  # noqa: PLC0415 - most projects set none

        configuration = override(configuration, overrides, start, problems)
    return configuration, problems


def _configuration_above(start: Path) -> tuple[Configuration, list[Problem]]:
    for folder in (start, *start.parents):
        for name in (OWN_FILE, PROJECT_FILE):
            if (file := folder / name).is_file():
                # Reading TOML is not for free, and most projects have a pyproject.toml without a word for us.
                from toolkit.sources.settings import read_settings  # noqa: PLC0415

                if (found := read_settings(file)) is not None:
                    return found
    return Configuration(directory=start), []
