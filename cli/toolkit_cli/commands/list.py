"""`toolkit list`: the tools there are."""

import json
from typing import Annotated, Literal

import typer

from toolkit_cli import console
from toolkit_cli.failures import ExitCode, code_for, report
from toolkit_cli.opening import open_named
from toolkit_cli.options import Debug, Sources, Targets
from toolkit_cli.rendering.styles import paint_all
from toolkit_cli.rendering.tools import listed, summary_record


def list_tools(
    targets: Targets = None,
    *,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["text", "json"], typer.Option("--format", help="A table for people, or JSON.")
    ] = "text",
    tools: Sources = None,
    debug: Debug = False,  # noqa: ARG001 - whoever catches a failure looks at it
) -> ExitCode:
    """List tools: those of the targets, or all that are configured and built in.

    A source that is broken is told on stderr and hides no other.
    """
    opened = open_named(targets, tools)
    if format == "json":
        records = [summary_record(tool) for tool in opened.tools.values()]
        console.write_data(f"{json.dumps(records, indent=2, ensure_ascii=False)}\n")
    elif opened.tools:
        lines = listed(opened.tools.values(), console.data_width())
        console.write_data(paint_all(lines, colour=console.data_has_colour()))
    exit_code = code_for(opened.problems)
    report(opened.problems, exit_code, as_json=format == "json")
    return exit_code
