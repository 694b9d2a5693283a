"""Creates client configurations that start this server or connect to it."""

import shutil
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from toolkit.mcp.settings.editors import Address, Editor, Launch, editor_configuration
from toolkit.problems import how_to_install
from toolkit_cli.failures import ExitCode, Failure


def configuration_to_paste(
    editor: Editor, name: str, words: Sequence[str], http: str | None, token_variable: str | None
) -> dict[str, Any]:
    """Return the configuration for an editor, with absolute paths and without secrets.

    Args:
        editor: The editor.
        name: The name of the server in the editor.
        words: The arguments of `toolkit serve`.
        http: The URL of the server, if it serves over HTTP.
        token_variable: The environment variable with the bearer token, if the server needs one.
    """
    if http is not None:
        return editor_configuration(editor, name, Address(http, token_variable))
    command, *first = _program()
    arguments = [*first, "serve", "--directory", str(Path.cwd()), *words]
    return editor_configuration(editor, name, Launch(command, arguments))


def _program() -> list[str]:
    """Return a command that starts `toolkit` from any folder."""
    beside = Path(sys.executable).with_name("toolkit")
    if beside.exists():
        return [str(beside)]
    found = shutil.which("toolkit")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "toolkit_cli"]


def require_mcp() -> None:
    """Check that the MCP SDK is installed, before it is imported.

    Raises:
        Failure: If it is not; the hint has the command that installs it.
    """
    if find_spec("mcp") is None:
        raise Failure(ExitCode.USAGE, "serving needs the extra 'mcp'", hint=how_to_install("toolkit-cli[mcp]"))
