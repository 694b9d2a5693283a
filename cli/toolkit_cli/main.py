"""The entry point: answers `--version` and `--help` without loading the parser, and runs everything else."""

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

_HEADINGS = {
    "run": "\nRun and serve:\n",
    "list": "\nLook at tools:\n",
    "lint": "\nCheck and protect:\n",
    "new": "\nStart:\n",
}
"""Headings of the help, before the first of their commands."""

_COMMAND_LINES = "\n".join(
    f"{_HEADINGS.get(name, '')}  {name:<8}{help_line}" for name, (_, help_line) in COMMANDS.items()
)

HELP = f"""\
Usage: toolkit [OPTIONS] COMMAND [ARGS]...

  Write, check and run the tools that language models call:
  plain Python functions, and pipelines in YAML.
{_COMMAND_LINES}

Options:
  -h, --help                    Show this help, or the help of a command.
  -V, --version                 Show the version; with --verbose, also details for bug reports.
  --install-completion [SHELL]  Install completion for a shell, by default the current one.
  --show-completion [SHELL]     Print the completion script, to copy or customize it.

Start with:  toolkit new tool greet  ·  toolkit list  ·  toolkit run calculator "2^10"
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        argv: The arguments; those of the process if `None`.
    """
    arguments = sys.argv[1:] if argv is None else list(argv)
    console.redirect_closed_streams()
    match arguments:
        case ["--version" | "-V"]:
            console.write_help(f"toolkit {__version__}\n")
            return 0
        case ["--help" | "-h"]:
            console.write_help(_for_its_reader(HELP))
            return 0
    gc.disable()  # until a command starts: imported objects stay alive, so collecting would only cost time
    try:
        if arguments[:1] == ["lint"]:
            _lint(arguments)
        else:
            application()(arguments)
    except SystemExit as ending:
        if "toolkit_cli.running.watchdog" in sys.modules:
            sys.modules["toolkit_cli.running.watchdog"].end_what_was_started(ending.code)
        raise
    except KeyboardInterrupt:  # while it imports the rest; a running command reports it itself
        console.say("interrupted")
        return 130
    return 0


def _for_its_reader(page: str) -> str:
    if not console.data_has_colour():
        return page
    from toolkit_cli.rendering.styles import for_its_reader  # a page without colours needs none of it

    return for_its_reader(page)


def _lint(arguments: Sequence[str]) -> None:
    """Run `toolkit lint`, and start its child process before importing the rest."""
    from toolkit_cli.linting.head_starts import early_child  # other commands have no child

    with early_child(arguments):
        application()(arguments)


def application() -> typer.Typer:
    """Return the Typer application."""
    from toolkit_cli.application import make_application  # the parser is most of the start-up

    return make_application(HELP)
