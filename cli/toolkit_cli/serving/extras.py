"""Checks that the extra for serving is installed."""

from importlib.util import find_spec

from toolkit.problems import how_to_install
from toolkit_cli.failures import ExitCode, Failure


def require_mcp() -> None:
    """Check that the MCP SDK is installed, before it is imported.

    Raises:
        Failure: If it is not; the hint has the command that installs it.
    """
    if find_spec("mcp") is None:
        raise Failure(ExitCode.USAGE, "serving needs the extra 'mcp'", hint=how_to_install("toolkit-cli[mcp]"))
