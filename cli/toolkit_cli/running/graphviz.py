"""Draws charts as SVG with Graphviz."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from toolkit.pipelines.charts import Item
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.escaping import one_line
from toolkit_cli.rendering.tree_outlines import dot_of

_SECONDS = 60


def svg_of(items: Iterable[Item]) -> str:
    """Return a chart as an SVG document.

    Raises:
        Failure: If Graphviz's program `dot` is not installed or fails.
    """
    dot = _program()
    try:
        drawn = subprocess.run(  # noqa: S603 - a program on the user's PATH, with input that we wrote
            [dot, "-Tsvg"],
            input=dot_of(items),
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeError) as error:
        reason = one_line(str(getattr(error, "stderr", "") or error).strip())
        raise Failure(ExitCode.FINDINGS, f"Graphviz could not draw the diagram: {reason}") from error
    return drawn.stdout


def _program() -> str:
    """Return the path of `dot` from the PATH; one in the working directory is not trusted."""
    found = shutil.which("dot")
    if found is None or Path(found).absolute().parent == Path.cwd():
        message = "SVG needs Graphviz, but its program 'dot' is not on the PATH"
        hint = "install it, for example with 'apt install graphviz' or 'brew install graphviz', or use --format mermaid"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    return found
