"""The Typer application: a group that imports a command only when it is used."""

import gc
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer._click.shell_completion import CompletionItem
from typer._completion_classes import completion_init
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from toolkit.leftovers import remove_leftovers
from toolkit.problems import did_you_mean
from toolkit.releases import __version__
from toolkit_cli import console
from toolkit_cli.commands import COMMANDS
from toolkit_cli.completion import complete_in_bash
from toolkit_cli.failures import ExitCode, Failure, exit_code_of
from toolkit_cli.rendering.styles import for_its_reader
from toolkit_cli.shared_options import grouped, spread

NAME = "toolkit"
_COMPLETION_VARIABLE = "_TOOLKIT_COMPLETE"
_NEW_OBJECTS = 3_000
"""The threshold of garbage collection: most objects of a command, such as its tools, live until it ends."""


def make_application(help_page: str) -> typer.Typer:
    """Return the application, with this page as its `--help`."""
    return typer.Typer(
        name=NAME,
        cls=_LazyGroup,
        help=help_page,
        callback=_global_options,
        add_completion=False,  # the same two options are handled below, and load completion only if used
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _show_version(context: typer.Context, wanted: bool) -> None:  # noqa: FBT001 - Typer calls it with the value of the flag
    if wanted:
        console.write_help(_all_versions() if context.params["verbose"] else f"{NAME} {__version__}\n")
        raise typer.Exit


def _all_versions() -> str:
    from toolkit_cli.versions import version_report  # it imports `importlib.metadata`

    return version_report()


def _global_options(
    *,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", is_eager=True)] = False,
    version: Annotated[bool, typer.Option("--version", "-V", callback=_show_version)] = False,  # noqa: ARG001
) -> None:
    """Handle the options before a command; `--version` is handled while it is parsed."""
    if verbose:
        hint = "write it after the command; before a command, it only works as `toolkit --version --verbose`"
        raise Failure(ExitCode.USAGE, "--verbose cannot come before the command", hint=hint)


def _set_up_completion(option: str, shell: str | None = None) -> None:
    from toolkit_cli import shells  # it imports the script of every shell

    (shells.install_completion if option == "--install-completion" else shells.show_completion)(shell)


class _LazyGroup(TyperGroup):
    """The commands by name; help and completion list them without importing them."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,  # always `toolkit`, however it was started
        complete_var: str | None = None,  # always `_COMPLETION_VARIABLE`
        standalone_mode: bool = True,  # noqa: FBT001, FBT002 - always standalone
        windows_expand_args: bool = True,  # noqa: FBT001, FBT002 - commands expand globs themselves
        **extra: Any,
    ) -> NoReturn:
        arguments = sys.argv[1:] if args is None else list(args)
        if _COMPLETION_VARIABLE in os.environ:
            self._complete(extra)
        console.start_redacting()
        sys.exit(exit_code_of(partial(self._work, arguments, extra), arguments))

    def _complete(self, extra: dict[str, Any]) -> None:
        completion_init()
        complete_in_bash()
        self._main_shell_completion(extra, NAME, _COMPLETION_VARIABLE)

    def _work(self, arguments: list[str], extra: dict[str, Any]) -> Any:
        match arguments:
            case []:
                console.say(str(self.help))
                return ExitCode.USAGE
            case ["--install-completion" | "--show-completion" as option, *shell] if len(shell) <= 1:
                return _set_up_completion(option, *shell)
        # Parsing modifies the list that it gets.
        with self.make_context(NAME, list(arguments), **extra) as context:
            return self.invoke(context)

    def get_help(self, ctx: typer.Context) -> str:  # type: ignore[override]
        return _for_its_reader(str(self.help))

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        return list(COMMANDS)

    def get_command(  # type: ignore[override]
        self,
        ctx: typer.Context,
        cmd_name: str,
    ) -> "TyperCommand | TyperGroup | None":
        return _load(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        if not ctx.resilient_parsing:
            _check_known(args[0], COMMANDS)
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> list[CompletionItem]:  # type: ignore[override]
        commands = [CompletionItem(name) for name in COMMANDS if name.startswith(incomplete)]
        # Typer's group would import every command to check whether it is hidden.
        return [*commands, *super(TyperGroup, self).shell_complete(ctx, incomplete)]


def _for_its_reader(page: str) -> str:
    return for_its_reader(page)


class _Command(TyperCommand):
    """A command that reserves stdout for its data, and lists its options under headings."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        shown = [
            (param, record) for param in self.get_params(ctx) if (record := param.get_help_record(ctx)) is not None
        ]
        if arguments := [record for param, record in shown if param.param_type_name == "argument"]:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        options = [(str(param.name), record) for param, record in shown if param.param_type_name == "option"]
        for heading, records in grouped(options).items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def get_help(self, ctx: Any) -> str:
        ctx.color = console.data_has_colour()  # otherwise Typer decides again whether to keep the colours
        return _for_its_reader(super().get_help(ctx))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().make_context(*args, **kwargs)
        except BrokenPipeError as error:  # the reader of the help is gone
            console.stop_data()
            raise typer.Exit from error

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        if not gc.isenabled():
            gc.freeze()
            gc.set_threshold(_NEW_OBJECTS)
            gc.enable()
        remove_leftovers()
        with console.ReservedStdout():
            return super().invoke(ctx)


def _first_line(function: Callable[..., int]) -> str:
    return (function.__doc__ or "").partition("\n")[0]


class _Subcommands(TyperGroup):
    """A command that is divided into others, each with its own arguments and options."""

    def get_help(self, ctx: Any) -> str:
        ctx.color = console.data_has_colour()  # otherwise Typer decides again whether to keep the colours
        return _for_its_reader(super().get_help(ctx))

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        if not args and not ctx.resilient_parsing:
            hint = f"the commands are {', '.join(self.commands)}"
            raise Failure(ExitCode.USAGE, f"`toolkit {self.name}` needs a command", hint=hint)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        if not ctx.resilient_parsing:
            _check_known(args[0], self.commands, f"{self.name} ")
        return super().resolve_command(ctx, args)


def _check_known(name: str, known: Collection[str], before: str = "") -> None:
    """Check that there is a command with a name.

    Args:
        name: The name as typed.
        known: The names of the commands.
        before: The command that these are part of, followed by a blank.

    Raises:
        Failure: If there is none.
    """
    if name not in known:
        hint = did_you_mean(name, known, otherwise=f"the commands are {', '.join(known)}")
        raise Failure(ExitCode.USAGE, f"there is no command '{before}{name}'", hint=hint)


def _load(name: str) -> "TyperCommand | TyperGroup":
    """Import a command's module, and make the command from its function, or from its table of subcommands."""
    place, help_line = COMMANDS[name]
    module, _, member = place.partition(":")
    made: Callable[..., int] | Mapping[str, Callable[..., int]] = getattr(import_module(module), member)
    alone = typer.Typer(
        name=name, cls=_Subcommands, help=help_line, add_completion=False, rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )  # fmt: skip
    if isinstance(made, Mapping):
        alone.callback()(lambda: None)  # with a callback, a single subcommand is still one
    for command, function in made.items() if isinstance(made, Mapping) else ((name, made),):
        alone.command(command, cls=_Command, short_help=_first_line(function))(spread(function))
    command_or_group = get_command(alone)
    assert isinstance(command_or_group, TyperCommand | TyperGroup)  # what the two classes above are
    return command_or_group
