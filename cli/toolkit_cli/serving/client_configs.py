"""Client configs: how an editor starts this very server, or connects to it."""

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolkit.mcp.settings.editors import Address, Editor, Launch, editor_configuration


def configuration_to_paste(
    editor: Editor, name: str, words: Sequence[str], http: str | None, token_variable: str | None
) -> dict[str, Any]:
    """Return the configuration of an editor; every path in it is absolute, and no secret is in it.

    Args:
        editor: Whose it is.
        name: What the server is called there.
        words: The arguments of `toolkit serve`.
        http: The URL of the server, where it serves over HTTP.
        token_variable: The variable that holds its bearer token, if it wants one.
    """
    if http is not None:
        return editor_configuration(editor, name, Address(http, token_variable))
    command, *first = _program()
    arguments = [*first, "serve", "--directory", str(Path.cwd()), *words]
    return editor_configuration(editor, name, Launch(command, arguments))


def _program() -> list[str]:
    """Return the command that starts `toolkit` from anywhere."""
    beside = Path(sys.executable).with_name("toolkit")
    if beside.exists():
        return [str(beside)]
    found = shutil.which("toolkit")
    return [str(Path(found).absolute())] if found else [sys.executable, "-m", "toolkit_cli"]
