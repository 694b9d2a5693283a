"""`toolkit schema`: print tool definitions in the dialect of a provider."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from toolkit.dialects.registry import DIALECTS
from toolkit.dialects.stubs import Language, stubs_of
from toolkit.problems import errors_among
from toolkit.tools.base import Tool
from toolkit.visibility import visible_json
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.other_python import Python, continue_with
from toolkit_cli.rendering.compatibility_tables import explained
from toolkit_cli.rendering.styles import paint_all
from toolkit_cli.running.opened_tools import gate_for, open_configured
from toolkit_cli.shared_options import Debug, Grants, Sources, Starts, Targets, Verbose

_PLAIN = "plain"

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from toolkit.dialects import Change

    Dialect = str
else:
    Dialect = Literal[(_PLAIN, *DIALECTS)]

_Format = Literal["pipeline", "agent", "cases", "config", "policy", "review", "answer"]


Deferred = Annotated[
    bool, typer.Option("--defer", help="Let the model search for tools: a request whose tools are deferred.")
]
Loaded = Annotated[
    int, typer.Option(metavar="TOKENS", min=0, help="With --defer: about how many tokens of definitions stay loaded.")
]
Stubs = Annotated[
    Language | None,
    typer.Option("--as", help="Print typed stubs, for models that write code which calls tools.", show_default=False),
]


def schema(  # noqa: PLR0913 - each is an option of the command
    targets: Targets = None,
    *,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            "--dialect", help="The provider's dialect; `plain` is the unchanged definition.", show_default="plain"
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Explain on stderr what the dialect changes and why.")
    ] = False,
    defer: Deferred = False,
    keep_loaded: Loaded = 0,
    stubs: Stubs = None,
    format: Annotated[Literal["json", "yaml"], typer.Option("--format", help="The output format.")] = "json",
    of: Annotated[
        _Format | None,
        typer.Option("--of", help="Print the JSON Schema of a file format, for editors.", show_default=False),
    ] = None,
    tools: Sources = None,
    grant: Grants = None,
    start: Starts = None,
    python: Python = None,
    verbose: Verbose = 0,  # noqa: ARG001 - read where modules are imported
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> ExitCode:
    """Print tool definitions as a model receives them: name, description, and JSON Schema of the parameters.

    One tool is printed as an object, several as an array, as under `tools` in a request to the provider. With --defer,
    the request of Anthropic or OpenAI also has the provider's search, which finds the deferred tools.
    If any tool is broken, all problems are reported on stderr and nothing is printed. If the provider would reject
    a definition, this is reported on stderr and the exit code is 1.
    """
    if of and targets:
        raise Failure(ExitCode.USAGE, "'--of' prints the schema of a file format, and takes no targets")
    if stubs is not None and (dialect or defer or explain):
        raise Failure(ExitCode.USAGE, "'--as' prints stubs, which have no dialect")
    if of:
        console.write_data(_write(_format_schema(of), format))
        return ExitCode.SUCCESS
    continue_with(python)
    configuration = load_configuration(tools, grant, start)
    opened = open_configured(targets, configuration, gate_for(configuration))
    end_at_errors(opened.problems)
    report(opened.problems, as_json=format == "json")
    alone = bool(targets) and len(opened.tools) == 1
    shown, name = list(opened.tools.values()), dialect or configuration.dialect or _PLAIN
    if stubs is not None:
        console.write_data(console.redactor().text(stubs_of([tool.spec for tool in shown], stubs)))
        return ExitCode.SUCCESS
    return _print_tools(shown, name, format, explain=explain, alone=alone, loaded=keep_loaded if defer else None)


def _print_tools(
    tools: list[Tool], dialect: str, format: str, *, explain: bool, alone: bool, loaded: int | None
) -> ExitCode:
    """Print tools in a dialect; report on stderr what was changed, if wanted, and what the provider would reject."""
    if dialect == _PLAIN and loaded is None:
        definitions = [tool.spec.definition for tool in tools]
        console.write_data(_write(definitions[0] if alone else definitions, format))
        if explain:
            _explain({tool.name: () for tool in tools}, dialect)
        return ExitCode.SUCCESS
    from toolkit_cli.provider_definitions import definitions_in  # it imports what knows the providers

    made = definitions_in(tools, dialect, loaded=loaded)
    console.write_data(_write(made.sent[0] if alone and loaded is None else made.sent, format))
    if explain:
        _explain(made.changes, dialect)
    exit_code = ExitCode.FINDINGS if errors_among(made.problems) else ExitCode.SUCCESS
    report(made.problems, exit_code)
    return exit_code


def _explain(changes: "Mapping[str, Sequence[Change]]", dialect: str) -> None:
    lines = explained(changes, dialect, console.width())
    console.say(paint_all(lines, colour=console.stderr_has_colour()).rstrip("\n"))


def _format_schema(of: _Format) -> Any:
    """Return the JSON Schema of a file format, and import only what reads that format."""
    match of:
        case "agent":
            from toolkit.agents.files.agent_keys import agent_schema

            return agent_schema()
        case "cases":
            from toolkit.cases.case_format import case_schema

            return case_schema()
        case "config":
            from toolkit.lint.configuration.settings import lint_schema
            from toolkit.settings.toml_settings import configuration_schema

            return configuration_schema(lint_schema())
        case "pipeline":
            from toolkit.pipelines.pipeline_format import pipeline_schema

            return pipeline_schema()
        case "policy":
            from toolkit.approvals.policy_keys import policy_schema

            return policy_schema()
        case "review":
            from toolkit.webhooks.webhook_messages import review_schema

            return review_schema()
        case "answer":
            from toolkit.webhooks.webhook_messages import answer_schema

            return answer_schema()


def _write(data: Any, format: str) -> str:
    data = console.redactor().data(data)
    if format == "json":
        return f"{visible_json(data, indent=2)}\n"
    from toolkit.documents.dumping import as_yaml  # it loads a YAML library

    return as_yaml(data)
