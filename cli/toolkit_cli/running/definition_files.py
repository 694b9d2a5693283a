"""Finds the files that define a tool and everything that it calls."""

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from toolkit.tools.base import Tool, innermost
from toolkit.tools.origins import place_of_tool
from toolkit_cli.rendering.tools import pipeline_in

_OWN: Final = Path(__file__).resolve().parents[1]


def definition_of(tool: Tool) -> dict[str, str]:
    """Return the SHA-256 digest of each file that defines the tool or a tool that it calls, by path."""
    return {file: sha256(Path(file).read_bytes()).hexdigest() for file in sorted(set(_files_of(tool)))}


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
        pipeline = pipeline_in(one)
        place = place_of_tool(one) if pipeline is None else pipeline.plan.location
        if place is not None and _is_of_users(place.file):
            yield os.path.realpath(place.file)


def _is_of_users(file: str) -> bool:
    """Return whether a file exists and does not belong to the command line, which also defines agents."""
    return os.path.isfile(file) and not Path(file).resolve().is_relative_to(_OWN)  # noqa: PTH113 - the path as written


def _tools_of_agent(tool: Tool) -> list[Tool]:
    agent = innermost(tool)
    return list(getattr(agent, "tools", {}).values()) if getattr(agent, "is_agent", False) else []
