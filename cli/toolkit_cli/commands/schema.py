"""`toolkit schema`: what a model is sent."""

import json
from typing import Annotated, Any, Literal

import typer

from toolkit.problems import errors_among
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.opening import open_named
from toolkit_cli.options import Debug, Grants, Sources, Targets


def schema(
    targets: Targets = None,
    *,
    format: Annotated[  # noqa: A002 - the option's name
        Literal["json", "yaml"], typer.Option("--format", help="How to write it.")
    ] = "json",
    of: Annotated[
        Literal["pipeline"] | None,
        typer.Option("--of", help="The JSON Schema of a file format instead, for editors.", show_default=False),
    ] = None,
    tools: Sources = None,
    grant: Grants = None,
    debug: Debug = False,  # noqa: ARG001 - whoever catches a failure looks at it
) -> None:
    """Print what a model is sent of a tool: its name, its description and the JSON Schema of its parameters.

    One tool is an object, several are an array. If anything named is broken, all that is wrong is told on stderr and
    nothing is printed.
    """
    if of and targets:
        raise Failure(ExitCode.USAGE, "'--of' stands alone: it describes a file format, not tools")
    console.write_data(_written(_format_schema() if of else _definitions(targets, tools, grant, format), format))


def _definitions(
    targets: list[str] | None,
    tools: list[str] | None,
    grant: list[str] | None,
    format: str,  # noqa: A002 - the option's name
) -> Any:
    opened = open_named(targets, tools, grant)
    if errors_among(opened.problems):
        raise Failure(code_for(opened.problems), problems=opened.problems)
    report(opened.problems, as_json=format == "json")
    definitions = [tool.spec.definition for tool in opened.tools.values()]
    return definitions[0] if targets and len(definitions) == 1 else definitions


def _format_schema() -> Any:
    from toolkit.pipelines.format import pipeline_schema  # noqa: PLC0415 - it is seldom wanted

    return pipeline_schema()


def _written(data: Any, format: str) -> str:  # noqa: A002
    if format == "json":
        return f"{json.dumps(data, indent=2, ensure_ascii=False)}\n"
    from toolkit.documents.dumping import as_yaml  # noqa: PLC0415 - it loads a YAML library

    return as_yaml(data)
