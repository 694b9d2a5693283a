"""The public functions that load tools and pipelines in Python."""

from pathlib import Path
from typing import TYPE_CHECKING

from toolkit.codes import NOT_A_TOOL
from toolkit.errors import InvalidPipeline, InvalidTools, raise_errors
from toolkit.problems import Problem, seen_from
from toolkit.sources.configuration_search import find_configuration
from toolkit.sources.opening import SourceOpener
from toolkit.tools.base import Tool

if TYPE_CHECKING:
    import os

    from toolkit.pipelines.pipeline import Pipeline


def load_tools(*targets: str) -> dict[str, Tool]:
    """Open local sources and return their tools by name: `load_tools("tools.py", "package.module:name", "builtin")`.

    A target is a Python file, `file.py:name`, a pipeline or agent file, a folder, a glob, the name of a configured or
    ready tool, a module or `module:name`. Paths are relative to the working directory. Without targets, the configured
    sources are opened.

    Raises:
        InvalidTools: If a target or the project's configuration has errors. It contains all problems.
    """
    configuration, problems = find_configuration()
    opened = SourceOpener(configuration).open_all(targets)
    here = Path.cwd()
    raise_errors(InvalidTools, [seen_from(here, problem) for problem in [*problems, *opened.problems]])
    return opened.tools


def load_pipeline(path: "str | os.PathLike[str]") -> "Pipeline":
    """Load a pipeline, with its tools, from a YAML file. A pipeline is a `Tool` itself.

    Args:
        path: The file. Paths in it are relative to its folder; configured and ready tools are known by name.

    Raises:
        InvalidPipeline: If the file, its tools or the project's configuration have errors. It contains all problems.
    """
    configuration, problems = find_configuration()
    found = SourceOpener(configuration).open_yaml(Path(path))
    here = Path.cwd()
    raise_errors(InvalidPipeline, [seen_from(here, problem) for problem in [*problems, *found.problems]])
    from toolkit.pipelines.pipeline import Pipeline  # not needed to load tools

    [tool] = found.tools
    if isinstance(tool, Pipeline):
        return tool
    problem = Problem(
        NOT_A_TOOL, f"'{path}' is an agent, not a pipeline", tool.spec.location, hint="use load_tools instead"
    )
    raise InvalidPipeline(problems=[seen_from(here, problem)])
