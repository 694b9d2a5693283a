"""The extra that serving needs, found before anything that needs it is imported."""

from importlib.util import find_spec

from toolkit.problems import how_to_install
from toolkit_cli.failures import ExitCode, Failure


def require_mcp() -> None:
    """End here if the SDK of the protocol is not installed.

    Raises:
        Failure: With the command that installs it.
    """
    if find_spec("mcp") is None:
        raise Failure(ExitCode.USAGE, "serving needs the extra 'mcp'", hint=how_to_install("toolkit-cli[mcp]"))
