"""`toolkit list`: list tools."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolkit.codes import NO_TOOLS
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Problem, did_you_mean
from toolkit.skills.skill_folders import find_skills, project_skills
from toolkit.sources.written_lists import list_written
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, code_for, report
from toolkit_cli.other_python import Python, continue_with, refuse_python
from toolkit_cli.rendering.listings import group_record, listed_groups, listed_written, written_record
from toolkit_cli.rendering.styles import Line, print_lines
from toolkit_cli.rendering.tools import listed, listed_skills, summary_record
from toolkit_cli.running.answer_sources import policy_of_files
from toolkit_cli.running.opened_tools import gate_for, named_servers, open_configured
from toolkit_cli.shared_options import Debug, Grants, PolicyPath, Sources, Starts, Targets, Verbose

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.settings.configuration import Configuration
    from toolkit.sources.opening import Opened


def list_tools(  # noqa: PLR0913 - each is an option of the command
    targets: Targets = None,
    *,
    groups: Annotated[bool, typer.Option("--groups", help="List the groups of tools instead.")] = False,
    static: Annotated[bool, typer.Option("--static", help="Only read the source; import nothing.")] = False,
    why: Annotated[
        bool, typer.Option("--why", help="Show for each tool whether a model is offered it, and why not.")
    ] = False,
    format: Annotated[Literal["text", "json"], typer.Option("--format", help="The output format.")] = "text",
    tools: Sources = None,
    grant: Grants = None,
    start: Starts = None,
    python: Python = None,
    policy: PolicyPath = None,
    verbose: Verbose = 0,
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> ExitCode:
    """List the tools of the targets, or all configured and built-in tools.

    Sources that cannot be opened are reported on stderr, and the others are still listed. Python files that define no
    tools are not imported; their number is reported on stderr. With --static, tools of other frameworks are listed as
    well, with their location, their framework, and how they are registered. With -v, a column shows about how many
    tokens each definition adds to every request. The skills of the project, or of the folders that are targets, have a
    table of their own; JSON only has tools.
    """
    if why and (groups or static):
        raise Failure(ExitCode.USAGE, f"--why does not go with {'--groups' if groups else '--static'}")
    if groups:
        refuse_python(python, "'--groups' opens no modules")
        return _list_groups(targets, grant, format)
    if static:
        refuse_python(python, "'--static' opens no modules")
        return _list_written(targets, format)
    continue_with(python)
    configuration = load_configuration(tools, grant, start, policy=policy)
    rules = policy_of_files(configuration, targets or ())
    opened = open_configured(targets, configuration, gate_for(configuration))
    skills = _skills_of(targets, configuration.directory)
    if why:
        _list_offers(opened, targets or (), configuration, rules, format)
    elif format == "json":
        records = [summary_record(tool, rules) for tool in opened.tools.values()]
        console.write_json(records)
    else:
        tools_found = list(opened.tools.values())
        lines = listed(tools_found, console.data_width(), rules, counts=verbose > 0) if tools_found else []
        _print_tables(lines, skills)
    problems = _without_folders(opened.problems, skills)
    exit_code = code_for(problems)
    report(problems, exit_code, as_json=format == "json", files=opened.files)
    return exit_code


def _skills_of(targets: list[str] | None, directory: Path) -> dict[str, list[Path]]:
    """Return the skills in each target, or in the project if there are none."""
    return {folder: find_skills(Path(folder)) for folder in targets} if targets else {"": project_skills(directory)}


def _without_folders(problems: Iterable[Problem], skills: Mapping[str, list[Path]]) -> list[Problem]:
    """Return the problems, without those about folders that have skills and no tools."""
    known = {f"no tools were found in '{folder}'" for folder, found in skills.items() if found}
    return [one for one in problems if one.code != NO_TOOLS or one.message not in known]


def _print_tables(tools: list[Line], skills: Mapping[str, list[Path]]) -> None:
    files = [file for found in skills.values() for file in found]
    of_skills: list[Line] = []
    if files:
        of_skills = listed_skills(files, console.data_width())
    between: list[Line] = [[]] if tools and of_skills else []
    if tools or of_skills:
        print_lines([*tools, *between, *of_skills])


def _list_offers(
    opened: "Opened", targets: Sequence[str], configuration: "Configuration", rules: "FilePolicy | None", format: str
) -> None:
    from toolkit_cli.rendering.offers import left_out_offers, listed_offers, offers_of  # few lists show it

    tools = list(opened.tools.values())
    offers = offers_of(tools, rules)
    if servers := named_servers(targets, configuration):
        offers += left_out_offers(servers, configuration.context, tools, opened.problems)
    if format == "json":
        console.write_json([offer._asdict() for offer in offers])
    elif offers:
        print_lines(listed_offers(offers, console.data_width()))


def _list_written(targets: list[str] | None, format: str) -> ExitCode:
    from toolkit.lint.configuration.settings import read_lint_settings  # few lists are static

    configuration = load_configuration()
    base = Path() if targets else configuration.directory
    settings, problems = read_lint_settings(configuration)
    raise_errors(ConfigurationError, problems)
    found = list_written(targets or configuration.sources or ["."], base, settings.tool_decorators)
    skills = _skills_of(targets, configuration.directory)
    if format == "json":
        console.write_json([written_record(tool) for tool in found.tools])
    else:
        _print_tables(listed_written(found.tools, console.data_width()) if found.tools else [], skills)
    found_problems = _without_folders(found.problems, skills)
    exit_code = code_for(found_problems)
    report(found_problems, exit_code, as_json=format == "json")
    return exit_code


def _list_groups(targets: list[str] | None, grant: list[str] | None, format: str) -> ExitCode:
    configuration = load_configuration(grant=grant)
    known, granted = configuration.groups, configuration.granted
    if unknown := [name for name in targets or () if name not in known]:
        hint = did_you_mean(unknown[0], known, otherwise="define groups in the configuration, under [groups.NAME]")
        raise Failure(ExitCode.NOT_FOUND, f"there is no group '{unknown[0]}'", hint=hint)
    shown = {name: group for name, group in known.items() if not targets or name in targets}
    if format == "json":
        records = [group_record(name, group, granted) for name, group in shown.items()]
        console.write_json(records)
    elif shown:
        lines = listed_groups(shown, granted, console.data_width())
        print_lines(lines)
    return ExitCode.SUCCESS
