"""Finds the files that define a tool and everything that it calls."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from toolkit.regular_files import bounded_bytes
from toolkit.sources.imported_files import imported_files
from toolkit.tools.base import Tool, innermost
from toolkit.tools.origins import function_of, place_of_tool
from toolkit.tools.places import place_of
from toolkit_cli.rendering.tools import pipeline_in

_OWN: Final = Path(__file__).resolve().parents[1]


def definition_of(tool: Tool) -> dict[str, str]:
    """Return the SHA-256 digest of each file that defines the tool or a tool that it calls, by path.

    The project's files that these files import are part of the definition too.
    """
    return {file: sha256(bounded_bytes(file)).hexdigest() for file in sorted(imported_files(_files_of(tool)))}


def tools_within(tool: Tool) -> Iterator[Tool]:
    """Yield a tool, and the tools that it calls if it is a pipeline or an agent."""
    yield tool
    pipeline = pipeline_in(tool)
    inner = [step.tool for step in pipeline.plan.walk()] if pipeline is not None else _tools_of_agent(tool)
    for one in inner:
        if one is not None:
            yield from tools_within(one)


def _files_of(tool: Tool) -> Iterator[str]:
    for one in tools_within(tool):
        yield from filter(_is_of_users, _places_of(one))


def _places_of(tool: Tool) -> Iterator[str]:
    """Yield where a tool is defined, where its function is, and the file that offers it under its name."""
    pipeline, function = pipeline_in(tool), function_of(tool)
    place = place_of_tool(tool) if pipeline is None else pipeline.plan.location
    of_function = None if function is None else place_of(function)
    yield from (one.file for one in (place, of_function) if one is not None)
    yield from filter(None, (tool.spec.source, tool.spec.origin))


def _is_of_users(file: str) -> bool:
    """Return whether a file exists and does not belong to the command line, which also defines agents."""
    return os.path.isfile(file) and not Path(file).resolve().is_relative_to(_OWN)  # noqa: PTH113 - the path as written


def _tools_of_agent(tool: Tool) -> list[Tool]:
    agent = innermost(tool)
    return list(getattr(agent, "tools", {}).values()) if getattr(agent, "is_agent", False) else []
