"""`toolkit lint`: what is wrong with tools and pipelines, and where."""

from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from toolkit.problems import Problem, errors_among
from toolkit_cli import console
from toolkit_cli.completion import complete_target
from toolkit_cli.failures import ExitCode
from toolkit_cli.options import Debug
from toolkit_cli.rendering.problems import as_github, as_json, as_text, summary_of
from toolkit_cli.settings import load_configuration

_PASSED = "All checks passed!"
_WIDEST = 120


def lint(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Files, folders, globs or modules.",
            show_default=False,
            autocompletion=complete_target,
        ),
    ] = None,
    *,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json", "github"],
        typer.Option("--format", help="For people, for programs, or as annotations of a GitHub workflow."),
    ] = "text",
    debug: Debug = False,  # noqa: ARG001 - whoever catches a failure looks at it
) -> ExitCode:
    """Check tools and pipelines, and point at everything that is wrong.

    Without a path, the configured sources are checked, or else the working directory. Findings go to stdout; the exit
    code is 1 if any of them is an error.
    """
    from toolkit.lint.checking import check  # noqa: PLC0415 - help needs none of it

    problems = check(paths or (), load_configuration())
    console.write_data(_rendered(problems, format))
    return ExitCode.FINDINGS if errors_among(problems) else ExitCode.WELL


def _rendered(problems: Sequence[Problem], format: str) -> str:  # noqa: A002
    match format:
        case "json":
            return f"{as_json(problems)}\n"
        case "github":
            return f"{as_github(problems)}\n" if problems else ""
    if not problems:
        return f"{_PASSED}\n"
    # Without a terminal the excerpts keep the width that people read.
    width = min(console.data_width(), _WIDEST)
    return f"{as_text(problems, colour=console.data_has_colour(), width=width)}\n\n{summary_of(problems)}\n"
