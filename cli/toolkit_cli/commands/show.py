"""`toolkit show`: everything about one tool, and the steps of a pipeline."""

import json
from collections.abc import Sequence
from typing import Annotated, Literal

import typer

from toolkit.problems import errors_among
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.opening import open_named
from toolkit_cli.options import Debug, Sources, Target
from toolkit_cli.rendering.styles import paint_all
from toolkit_cli.rendering.tools import detailed, full_record, pipeline_in

_WIDEST = 120

Format = Literal["text", "json", "mermaid"]


def show(
    target: Target,
    *,
    format: Annotated[  # noqa: A002 - the option's name
        Format, typer.Option("--format", help="For people, as JSON, or a diagram of a pipeline.")
    ] = "text",
    tools: Sources = None,
    debug: Debug = False,  # noqa: ARG001 - whoever catches a failure looks at it
) -> None:
    """Show all about a tool: what it does, what it takes, how it is marked, and how to run it.

    Of a pipeline, the steps are drawn with what flows between them.
    """
    opened = open_named([target], tools)
    if errors_among(opened.problems):
        raise Failure(code_for(opened.problems), problems=opened.problems)
    report(opened.problems, as_json=format == "json")
    console.write_data(_rendered(list(opened.tools.values()), format))


def _rendered(tools: Sequence[Tool], format: Format) -> str:  # noqa: A002
    match format:
        case "json":
            records = [full_record(tool) for tool in tools]
            return f"{json.dumps(records[0] if len(records) == 1 else records, indent=2, ensure_ascii=False)}\n"
        case "mermaid":
            return "\n".join(_diagram(tool) for tool in tools)
        case "text":
            colour, width = console.data_has_colour(), min(console.data_width(), _WIDEST)
            return "\n\n".join(paint_all(detailed(tool, width), colour=colour) for tool in tools)


def _diagram(tool: Tool) -> str:
    pipeline = pipeline_in(tool)
    if pipeline is None:
        raise Failure(ExitCode.USAGE, f"'{tool.name}' is no pipeline: there are no steps to draw")
    from toolkit.pipelines.mermaid import mermaid_of  # noqa: PLC0415 - seldom wanted

    return mermaid_of(pipeline.plan)
