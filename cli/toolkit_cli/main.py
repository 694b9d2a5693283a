"""The entry of the command line: what needs no parsing is answered at once, the rest goes to the application."""

from __future__ import annotations

import gc
import sys

from toolkit.releases import __version__
from toolkit_cli import console
from toolkit_cli.commands import COMMANDS

TYPE_CHECKING = False
if TYPE_CHECKING:  # `typing` alone would take as long as everything else that `--version` needs
    from collections.abc import Sequence

    import typer

_COMMAND_LINES = "\n".join(f"  {name:<8}{help_line}" for name, (_, help_line) in COMMANDS.items())

HELP = f"""\
Usage: toolkit [OPTIONS] COMMAND [ARGS]...

  Write, check and run the tools that language models call:
  plain Python functions, and pipelines in YAML.

Commands:
{_COMMAND_LINES}

Options:
  -h, --help                    Show this page; after a command, the command's own.
  -V, --version                 Show the version; with --verbose, what a bug report needs.
  --install-completion [SHELL]  Install completion for this shell, or for the one named.
  --show-completion [SHELL]     Show the script that completes, to copy or to change.

Start with:  toolkit new tool greet  ·  toolkit list  ·  toolkit run calculator "2^10"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line with these arguments (those of the process by default) and return its exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    console.hold_closed_streams()
    match arguments:
        case ["--version" | "-V"]:
            console.write_help(f"toolkit {__version__}\n")
            return 0
        case ["--help" | "-h"]:
            console.write_help(HELP)
            return 0
    gc.disable()  # until a command begins: all that is imported stays, and is not looked through again and again
    try:
        if arguments[:1] == ["lint"]:
            _lint(arguments)
        else:
            application()(arguments)
    except SystemExit as ending:
        if "toolkit_cli.running.process_exit" in sys.modules:
            sys.modules["toolkit_cli.running.process_exit"].end_what_was_started(ending.code)
        raise
    return 0


def _lint(arguments: Sequence[str]) -> None:
    """Run `toolkit lint`, whose child process starts before the rest is imported."""
    from toolkit_cli.linting.head_starts import early_child  # noqa: PLC0415 - other commands have no child

    with early_child(arguments):
        application()(arguments)


def application() -> typer.Typer:
    """Return the whole application, the way Typer's own test runner takes it."""
    from toolkit_cli.application import make_application  # noqa: PLC0415 - the parser is most of the start-up

    return make_application(HELP)
