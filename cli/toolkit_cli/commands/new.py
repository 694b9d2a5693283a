"""`toolkit new`: create a tool, pipeline or agent to start from, or the first cases of what is there."""

import json
import keyword
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolkit.pipelines.pipeline_format import pipeline_schema
from toolkit.replacing import followed
from toolkit.tools.definition.names import legal_name
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, cannot_write, end_at_errors
from toolkit_cli.running.opened_tools import open_all
from toolkit_cli.shared_options import Debug, StoreName

if TYPE_CHECKING:
    from toolkit_cli.testing.recorded_cases import Recorded

_TOOL = '''\
"""Tools for language models: a model sees their names, types and descriptions."""

from typing import Annotated, Literal

from toolkit import tool


@tool(read_only=True)
def {name}(
    who: Annotated[str, "The name of the person to greet, such as 'Ada'"],
    language: Annotated[Literal["en", "fr"], "The language of the greeting"] = "en",
) -> str:
    """Greet a person by name. Use it when somebody introduces themselves."""
    return f"{{'Hello' if language == 'en' else 'Bonjour'}}, {{who}}!"
'''

_TEST = '''\
"""A marked function can still be called directly; as a tool, it accepts JSON from a model."""

from toolkit import from_function

from {name} import {name}


def test_function_can_be_called_directly():
    assert {name}("Ada", language="fr") == "Bonjour, Ada!"


def test_tool_accepts_json():
    assert from_function({name}).run('{{"who": "Ada"}}').output == "Hello, Ada!"


def test_tool_reports_missing_argument():
    result = from_function({name}).run("{{}}")
    assert not result.succeeded
    assert "who" in str(result.error)
'''

_PIPELINE = """\
# yaml-language-server: $schema={schema}
toolkit: 1
name: {name}
description: Calculate the price of an order, with tax.
inputs:
  price: {{type: number, description: The price of one piece, default: 12.5}}
  pieces: {{type: integer, description: How many pieces, default: 4, minimum: 1}}
steps:
  - id: net
    use: calculator
    with: {{input: "${{{{ inputs.price }}}} * ${{{{ inputs.pieces }}}}"}}
  - id: gross
    use: calculator
    with: {{input: "${{{{ steps.net.text }}}} * 1.2"}}
output: "net ${{{{ steps.net.text }}}}, gross ${{{{ steps.gross.text }}}}"
"""

_AGENT = """\
# yaml-language-server: $schema={schema}
agent: simple
name: {name}
description: Calculate what a text asks for, and explain the result.
# Scripted replies, to try it without a model. Then set a model here, or remove this line and use --model.
model: scripted:{name}_script.yaml
instructions: Calculate every number with a tool, never in your head.
tools: [calculator]
max_turns: 10
"""

_SCRIPT = """\
turns:
  - say: I will calculate that.
    calls:
      - tool: calculator
        arguments: {{input: 4 * 12.50 * 1.2}}
  - It comes to {{calculator}}.
"""

_CASES = """\
toolkit: 1
cases:
  - name: greets in French
    run: {name}.py:{name}
    with: {{who: Ada, language: fr}}
    expect: {{output: "Bonjour, Ada!"}}
  - name: refuses a language that it does not speak
    run: {name}.py:{name}
    with: {{who: Ada, language: de}}
    expect: {{error: language, code: invalid_arguments}}
"""

SCHEMA_FILE = "pipeline.schema.json"
"""The JSON Schema file next to a pipeline, for editors."""

AGENT_SCHEMA_FILE = "agent.schema.json"
"""The JSON Schema file next to an agent, for editors."""


def tool_files(name: str) -> dict[str, str]:
    """Return the text of a module with a tool, of its test, and of its cases, by file name."""
    return {
        f"{name}.py": _TOOL.format(name=name),
        f"test_{name}.py": _TEST.format(name=name),
        f"{name}.cases.yaml": _CASES.format(name=name),
    }


def pipeline_file(name: str) -> dict[str, str]:
    """Return the text of a pipeline, by file name."""
    return {f"{name}.yaml": _PIPELINE.format(name=name, schema=f"./{SCHEMA_FILE}")}


def agent_files(name: str) -> dict[str, str]:
    """Return the text of an agent, and of the script for its model, by file name."""
    agent = _AGENT.format(name=name, schema=f"./{AGENT_SCHEMA_FILE}")
    return {f"{name}.yaml": agent, f"{name}_script.yaml": _SCRIPT.format(name=name)}


Kind = Literal["tool", "pipeline", "agent"]
_Kind = Literal["tool", "pipeline", "agent", "cases"]


def new(
    kind: Annotated[
        _Kind, typer.Argument(metavar="tool|pipeline|agent|cases", help="What to create.", show_default=False)
    ],
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="The name: letters, digits and underscores. For cases, the file with the tools.",
            show_default=False,
        ),
    ] = None,
    *,
    source: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="RUN|RUN/ITEM|TRANSCRIPT",
            help="With `cases`: write what a recorded run did, one item of a batch in a store, or a transcript of "
            "`toolkit agent`, as a case.",
            show_default=False,
        ),
    ] = None,
    store: StoreName = None,
    path: Annotated[
        Path | None,
        typer.Option("--path", metavar="FOLDER", help="The folder to create it in.", show_default="."),
    ] = None,
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> None:
    """Create a tool with a test and cases, a pipeline, or an agent to start from.

    `toolkit new cases FILE` writes the first cases of the tools in a file beside it. `toolkit new cases --from RUN`
    writes a run that `toolkit runs list` shows as a case, with RUN/ITEM and --store an item of a batch, and `toolkit
    new cases FILE --from TRANSCRIPT` the first task of a conversation with the agent in the file, or with its tools.

    Existing files are never overwritten. The names of the new files go to stdout, the next steps to stderr.
    """
    if source is not None:
        _write_recorded(kind, name, source, folder=path, store=store)
        return
    if store is not None:
        raise Failure(ExitCode.USAGE, "--store is for cases --from RUN", hint="see `toolkit new --help`")
    if name is None:
        raise Failure(ExitCode.USAGE, "missing argument 'NAME'", hint="see `toolkit new --help`")
    if kind == "cases":
        _write_cases(name, path)
        return
    path = path or Path()
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
    return {file: f"{json.dumps(_schema_of(kind), indent=2, ensure_ascii=False)}\n"}


def _schema_of(kind: Kind) -> dict[str, Any]:
    if kind == "agent":
        from toolkit.agents.files.agent_keys import agent_schema

        return agent_schema()
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


def _write_cases(target: str, folder: Path | None) -> None:
    """Write the first cases of the tools of a file.

    Raises:
        Failure: If the file has no tools, or the case file exists already.
    """
    from toolkit.testing.first_cases import first_cases  # help needs none of it

    source = Path(target.partition(":")[0])
    if not source.is_file():
        raise Failure(ExitCode.NOT_FOUND, f"there is no file '{source}'", hint="name the file with the tools")
    opened = open_all([target], load_configuration(), looks=True)
    end_at_errors(opened.problems)
    folder = source.parent if folder is None else folder
    beside = os.path.relpath(source, folder)
    is_pipeline = source.suffix != ".py"
    tools = [(beside if is_pipeline else f"{beside}:{name}", tool) for name, tool in opened.tools.items()]
    file = folder / f"{source.stem}.cases.yaml"
    _write_all({file: first_cases(tools)}, {})
    console.say(f"\nNow write the outputs of the snapshots, and read them:\n  toolkit test --update {quote(str(file))}")


def _write_recorded(kind: _Kind, name: str | None, source: str, *, folder: Path | None, store: str | None) -> None:
    """Write a case from a recorded run, or from the transcript of an agent.

    Raises:
        Failure: If there is no such run or transcript, or no case can be made of it.
    """
    from toolkit_cli.testing.recorded_cases import chosen_case, recorded_case

    if kind != "cases":
        raise Failure(ExitCode.USAGE, "--from is for cases", hint=f"write: toolkit new cases --from {quote(source)}")
    recorded = _recorded(name, source, store)
    target = recorded.folder / recorded.target.partition(":")[0]
    folder = folder or (Path(os.path.relpath(target.parent)) if target.is_file() else Path())
    is_choice = name is not None and target.suffix == ".py"
    files = chosen_case(recorded, folder) if is_choice else recorded_case(recorded, load_configuration(), folder)
    _write_all(files, {})
    file = quote(str(next(iter(files))))
    more = " --model MODEL" if is_choice else " --update"
    console.say(f"\nNow run it, and read it before you keep it:\n  toolkit test{more} {file}")


def _recorded(name: str | None, source: str, store: str | None) -> "Recorded":
    """Return what has happened in a transcript, which needs the name of an agent or its tools, or in a run.

    Raises:
        Failure: If there is no such run or transcript, or a name is missing or has no effect.
    """
    from toolkit_cli.batching.batch_records import open_runs  # help needs none of it
    from toolkit_cli.running.agent_sessions import read_transcript
    from toolkit_cli.testing.recorded_cases import Recorded, recorded_in

    if (file := Path(source)).is_file():
        if name is None:
            hint = f"write: toolkit new cases FILE --from {quote(source)}"
            raise Failure(ExitCode.USAGE, "a transcript does not name the agent or the tools", hint=hint)
        return Recorded.of_transcript(read_transcript(file, "--from")[0], file, name)
    if name is not None:
        hint = f"write: toolkit new cases --from {quote(source)}"
        raise Failure(ExitCode.USAGE, f"a run names what it ran, so '{name}' has no effect", hint=hint)
    with open_runs(store) as runs:
        return recorded_in(runs, source)
