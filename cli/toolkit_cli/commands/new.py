"""`toolkit new`: create a tool, pipeline or agent to start from."""

import keyword
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, Literal

import typer

from toolkit.replacing import followed
from toolkit.tools.definition.names import legal_name
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, cannot_write
from toolkit_cli.rendering.first_files import AGENT_SCHEMA_FILE, SCHEMA_FILE, agent_files, pipeline_file, tool_files
from toolkit_cli.shared_options import Debug

Kind = Literal["tool", "pipeline", "agent"]


def new(
    kind: Annotated[Kind, typer.Argument(metavar="tool|pipeline|agent", help="What to create.", show_default=False)],
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The name: letters, digits and underscores.", show_default=False)
    ],
    *,
    path: Annotated[Path, typer.Option("--path", metavar="FOLDER", help="The folder to create it in.")] = Path(),
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> None:
    """Create a tool with a test, a pipeline, or an agent to start from.

    Existing files are never overwritten. The names of the new files go to stdout, the next steps to stderr.
    """
    _check_name(name)
    files = {"tool": tool_files, "pipeline": pipeline_file, "agent": agent_files}[kind](name)
    _write_all({path / file: text for file, text in files.items()}, _schema_beside(path, kind))
    _print_next_steps(kind, path, name)


def _check_name(name: str) -> None:
    """Check that a name is valid for both a tool and a module."""
    if not (name.isascii() and name.isidentifier()):
        better = legal_name(name).lower()
        better = better if better.isidentifier() else f"tool_{better}"
        raise Failure(
            ExitCode.USAGE, f"'{name}' is not a valid name for a tool and its file", hint=f"call it '{better}'"
        )
    if keyword.iskeyword(name) or name in sys.stdlib_module_names or name in {"toolkit", "toolkit_cli"}:
        hint = f"call it '{name}_tool'"
        raise Failure(ExitCode.USAGE, f"a file called '{name}' would hide Python's own module of that name", hint=hint)


def _schema_beside(folder: Path, kind: Kind) -> dict[Path, str]:
    """Return the JSON Schema that editors use for a pipeline or agent, unless the file exists already."""
    file = folder / {"tool": "", "pipeline": SCHEMA_FILE, "agent": AGENT_SCHEMA_FILE}[kind]
    if kind == "tool" or file.exists():
        return {}
    import json  # only a format needs it

    return {file: f"{json.dumps(_schema_of(kind), indent=2, ensure_ascii=False)}\n"}


def _schema_of(kind: Kind) -> dict[str, Any]:
    if kind == "agent":
        from toolkit.agents.files.agent_keys import agent_schema

        return agent_schema()
    from toolkit.pipelines.pipeline_format import pipeline_schema

    return pipeline_schema()


def _write_all(files: Mapping[Path, str], beside: Mapping[Path, str]) -> None:
    if there := [f"'{file}'" for file in files if os.path.lexists(file)]:
        message = f"{' and '.join(there)} {'is' if len(there) == 1 else 'are'} already there; nothing was created"
        raise Failure(ExitCode.USAGE, message, hint="choose another name, or another folder with --path")
    for file, text in {**files, **beside}.items():
        try:
            real = followed(file)
            real.parent.mkdir(parents=True, exist_ok=True)
            with real.open("x", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
        except OSError as error:
            raise cannot_write(file, error) from error
        console.write_data(f"{file}\n")


def _print_next_steps(kind: Kind, folder: Path, name: str) -> None:
    file = quote(str(folder / f"{name}{'.py' if kind == 'tool' else '.yaml'}"))
    words = {"tool": f":{name} who=Ada", "pipeline": " pieces=10", "agent": " 'four at 12.50, with tax?'"}
    run = f"{file}{words[kind]}"
    console.say(f"\nNow check it, and run it:\n  toolkit lint {file}\n  toolkit run {run}")
