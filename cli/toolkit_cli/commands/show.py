"""`toolkit show`: show everything about a tool, a pipeline or an agent."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolkit.builtin.catalog import ReadyTool, ready_tools
from toolkit.codes import NOT_A_TOOL
from toolkit.disclosure.offering import fold
from toolkit.pipelines.charts import chart_of, mermaid_of
from toolkit.problems import Problem, errors_among
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.other_python import Python, continue_with
from toolkit_cli.rendering.chart_drawings import svg_of
from toolkit_cli.rendering.client_views import fact_records, facts_of, has_structure, known_client
from toolkit_cli.rendering.styles import Line, paint_all, print_lines
from toolkit_cli.rendering.tool_kinds import outline_of_agent, pipeline_in, python_option
from toolkit_cli.rendering.tools import detailed, explained, explanation_record, full_record
from toolkit_cli.rendering.tree_outlines import diagram_of, states_of
from toolkit_cli.running.answer_sources import policy_of_files
from toolkit_cli.running.opened_tools import gate_for, open_configured
from toolkit_cli.shared_options import Debug, Grants, PolicyPath, Sources, Starts, Target, Verbose

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.pipelines.plans import Plan


_WIDEST = 120

_DIAGRAMS = ("mermaid", "svg")

Format = Literal["text", "json", "mermaid", "svg"]


def show(  # noqa: PLR0913 - each is an option of the command
    target: Target,
    *,
    format: Annotated[
        Format,
        typer.Option("--format", help="The output format; mermaid and svg are diagrams."),
    ] = "text",
    client: Annotated[
        str | None,
        typer.Option(
            "--as",
            metavar="CLIENT",
            help="Show what the model of a client or provider receives of the results, such as claude-code or openai.",
            show_default=False,
        ),
    ] = None,
    tools: Sources = None,
    grant: Grants = None,
    start: Starts = None,
    python: Python = None,
    policy: PolicyPath = None,
    verbose: Verbose = 0,  # noqa: ARG001 - read where modules are imported
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> None:
    """Show everything about a tool: its description, parameters, marks, and how to run it.

    For a pipeline, this includes the steps and the data flow between them; for a tool that reveals others, the tree
    of tools; for an agent, which tools it may call, and when.
    """
    continue_with(python)
    if client is not None:
        known_client(client)
        if format in _DIAGRAMS:
            raise Failure(ExitCode.USAGE, f"--as has no diagram; leave out --format {format}")
    configuration = load_configuration(tools, grant, start, policy=policy)
    rules = policy_of_files(configuration, [target])
    opened = open_configured([target], configuration, gate_for(configuration))
    unmade = None if format in _DIAGRAMS else _unmade(target, opened.problems)
    if unmade is None:
        end_at_errors(opened.problems)
    report(
        [replace(problem, severity="info") if unmade else problem for problem in opened.problems],
        as_json=format == "json",
    )
    if unmade:
        _write_explanation(unmade, format)
    else:
        shown = _fold(opened.tools.values(), target)
        if client is None:
            _write(shown, format, rules, target, python_option(python))
        else:
            _write_view(shown, client, format)


def _write_view(tools: Sequence[Tool], client: str, format: Format) -> None:
    """Write what the model of a client receives of the results of tools."""
    if format == "json":
        console.write_json([{"name": tool.name, "client": client, "results": fact_records(client)} for tool in tools])
        return
    width = min(console.data_width(), _WIDEST)
    for tool in tools:
        kinds = "text, and the same as structured content" if has_structure(tool.spec) else "text"
        head: list[Line] = [[("strong", tool.name)], [("plain", f"  returns {kinds}")], []]
        print_lines([*head, *facts_of(client, width)])


def _unmade(target: str, problems: Sequence[Problem]) -> ReadyTool | None:
    """Return the built-in tool for a target if it only lacks required options; it can still be explained."""
    grave = errors_among(problems)
    cannot_work = bool(grave) and all(problem.code == NOT_A_TOOL for problem in grave)
    return ready_tools().get(target) if cannot_work else None


def _write_explanation(ready: ReadyTool, format: Format) -> None:
    if format == "json":
        console.write_json(explanation_record(ready))
    else:
        width = min(console.data_width(), _WIDEST)
        print_lines(explained(ready, width))


def _fold(tools: Iterable[Tool], target: str) -> list[Tool]:
    """Return the tools as a model sees them: the methods of each toolbox are replaced by its facade.

    A method that the target names stays as it is, even if its toolbox has no others.
    """
    shown = list(tools)
    named = target.replace(":", ".").rpartition(".")[2]
    if all(tool.toolbox is None or tool.name == named for tool in shown):
        return shown
    return fold(shown)


def _write(tools: Sequence[Tool], format: Format, policy: "FilePolicy | None", target: str, more: str) -> None:
    match format:
        case "json":
            records = [full_record(tool, policy) for tool in tools]
            console.write_json(records[0] if len(records) == 1 else records)
        case "mermaid":
            console.write_data("\n".join(_diagram(tool) for tool in tools))
        case "svg":
            console.write_data(_drawing(tools))
        case "text":
            colour, width = console.data_has_colour(), min(console.data_width(), _WIDEST)
            shown = (paint_all(detailed(tool, width, policy, target, more=more), colour=colour) for tool in tools)
            console.write_data("\n\n".join(shown))


def _diagram(tool: Tool) -> str:
    if (agent := outline_of_agent(tool)) is not None and agent.states:
        return diagram_of(agent)

    return mermaid_of(_plan(tool))


def _drawing(tools: Sequence[Tool]) -> str:
    if len(tools) != 1:
        raise Failure(
            ExitCode.USAGE,
            f"an SVG can show only one pipeline or agent, but the target has {len(tools)} tools; name one of them",
        )
    [tool] = tools
    if (agent := outline_of_agent(tool)) is not None and agent.states:
        return svg_of(states_of(agent))
    return svg_of(chart_of(_plan(tool)))


def _plan(tool: Tool) -> "Plan":
    pipeline = pipeline_in(tool)
    if pipeline is None:
        message = f"'{tool.name}' has no diagram: it is neither a pipeline nor an agent with states"
        raise Failure(ExitCode.USAGE, message)
    return pipeline.plan
