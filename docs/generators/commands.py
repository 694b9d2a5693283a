"""Generates `docs/commands.md`: every command with its arguments and options, as in its `--help`."""

import re
from collections.abc import Iterable
from inspect import cleandoc
from typing import cast

from typer import Context
from typer.core import TyperArgument, TyperCommand, TyperGroup
from typer.main import get_command

from toolkit_cli.main import application

WIDE = 1_000
HEAD = """\
# Commands

What each command takes, as `toolkit COMMAND --help` prints it. `stdout` is for results, `stderr` for everything else,
and [an exit code](errors-and-exit-codes.md) says how the command ended. A project's own defaults are in its
[configuration](configuration.md).
"""


def pages() -> dict[str, str]:
    """Return the page of the commands, by its path in the docs."""
    group = cast("TyperGroup", get_command(application()))
    context = Context(group, info_name="toolkit", **group.context_settings)
    return {
        "commands.md": "\n".join([HEAD, *(_section(group, name, context) for name in group.list_commands(context))])
    }


def _section(group: TyperGroup, name: str, parent: Context, level: str = "##") -> str:
    command = cast("TyperCommand | TyperGroup", group.get_command(parent, name))
    context = Context(command, info_name=name, parent=parent, terminal_width=WIDE, max_content_width=WIDE)
    if isinstance(command, TyperGroup):
        parts = (_section(command, part, context, f"{level}#") for part in command.list_commands(context))
        return "\n".join([f"{level} {context.command_path}\n", f"{command.help}\n", *parts])
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    parameters = command.get_params(context)
    arguments = [each for each in parameters if isinstance(each, TyperArgument)]
    options = [each for each in parameters if not isinstance(each, TyperArgument)]
    return "\n".join(
        [
            f"{level} {context.command_path}\n",
            f"```text\n{usage}\n```\n",
            f"{cleandoc(command.help or '')}\n",
            *_listed("Arguments", (each.get_help_record(context) for each in arguments)),
            *_listed("Options", (each.get_help_record(context) for each in options)),
        ]
    )


def _listed(title: str, records: Iterable[tuple[str, str] | None]) -> list[str]:
    lines = [f"- `{names}`: {_on_one_line(text)}" for names, text in filter(None, records)]
    return [f"**{title}**\n", *lines, ""] if lines else []


def _on_one_line(text: str) -> str:
    """Return a help text on one line, with defaults and the like in parentheses instead of brackets."""
    return re.sub(r" *\[(?=required|default)(.*?)\]", lambda fact: f" ({fact[1]})", " ".join(text.split()))
