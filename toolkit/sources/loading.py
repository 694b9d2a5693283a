"""Loading: the two public ways to open tools and pipelines from Python."""

from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.codes import NOT_A_TOOL
from toolkit.errors import InvalidPipeline, InvalidTools, raise_errors
from toolkit.problems import Problem
from toolkit.sources.configuring import find_configuration
from toolkit.sources.opening import SourceOpener
from toolkit.sources.shown_paths import seen_from
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    import os

    from toolkit.pipelines.pipeline import Pipeline


def load_tools(*targets: str) -> dict[str, Tool]:
    """Open local sources and return their tools by name: `load_tools("tools.py", "package.module:name", "builtin")`.

    A target is a Python file, `file.py:name`, the file of a pipeline or an agent, a folder, a glob, the name of a
    configured or ready tool, a module or `module:name`; paths start from the working directory. Without targets, the
    configured sources are opened.

    Raises:
        InvalidTools: With every problem of every target, and of the project's configuration.
    """
    configuration, problems = find_configuration()
    opened = SourceOpener(configuration).open_all(targets)
    here = Path.cwd()
    raise_errors(InvalidTools, [seen_from(here, problem) for problem in [*problems, *opened.problems]])
    return opened.tools


def load_pipeline(path: "str | os.PathLike[str]") -> "Pipeline":
    """Read a pipeline from a YAML file, with its tools; it is a Tool itself.

    Args:
        path: The file. Sources that it names are relative to it; configured and ready tools are known by name.

    Raises:
        InvalidPipeline: With every problem of the file, of its tools and of the project's configuration.
    """
    configuration, problems = find_configuration()
    found = SourceOpener(configuration).open_yaml(Path(path))
    here = Path.cwd()
    raise_errors(InvalidPipeline, [seen_from(here, problem) for problem in [*problems, *found.problems]])
    from toolkit.pipelines.pipeline import Pipeline  # noqa: PLC0415 - tools need none

    [tool] = found.tools
    if isinstance(tool, Pipeline):
        return tool
    problem = Problem(
        NOT_A_TOOL, f"'{path}' is an agent, not a pipeline", tool.spec.location, hint="load_tools opens it"
    )
    raise InvalidPipeline(problems=[seen_from(here, problem)])
