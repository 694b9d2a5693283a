"""Graphviz: charts as SVG, where its program is installed."""

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from toolkit.pipelines.charts import Item
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.rendering.drawings import dot_of
from toolkit_cli.rendering.escaping import one_line

_SECONDS = 60


def svg_of(items: Iterable[Item]) -> str:
    """Return a chart as an SVG document.

    Raises:
        Failure: If Graphviz's program `dot` is not installed, or cannot draw the chart.
    """
    dot = _program()
    try:
        drawn = subprocess.run(  # noqa: S603 - a program of the user's PATH, and a text that we wrote
            [dot, "-Tsvg"],
            input=dot_of(items),
            capture_output=True,
            encoding="utf-8",
            timeout=_SECONDS,
            check=True,
        )
    except (OSError, subprocess.SubprocessError, UnicodeError) as error:
        reason = one_line(str(getattr(error, "stderr", "") or error).strip())
        raise Failure(ExitCode.FINDINGS, f"Graphviz could not draw this: {reason}") from error
    return drawn.stdout


def _program() -> str:
    """Return Graphviz's program from the PATH; one that lies in the current folder could be anybody's."""
    found = shutil.which("dot")
    if found is None or Path(found).absolute().parent == Path.cwd():
        message = "SVG needs Graphviz, and its program 'dot' is not on the PATH"
        hint = "install it, such as with 'apt install graphviz' or 'brew install graphviz', or take --format mermaid"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    return found
