"""`toolkit test`: run cases, or call tools with many inputs, and report what fails."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from toolkit.problems import Problem, errors_among, seen_from
from toolkit.sources.targets import is_case_file
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, cannot_write, code_for, report
from toolkit_cli.linting.head_starts import cache_folder
from toolkit_cli.shared_options import Consented, Debug, Grants, PolicyPath, Rules, Sources, Targets

if TYPE_CHECKING:
    from toolkit.cases.case import Ran
    from toolkit.settings.configuration import Configuration
    from toolkit.testing.contract_checks import Checked
    from toolkit.testing.worker_pool import Settings

_WIDEST = 120


class TestOptions(NamedTuple):
    """The command-line options of `toolkit test`, one per field."""

    targets: Targets = None
    approve: Rules = None
    policy: PolicyPath = None
    examples: Annotated[
        int, typer.Option("--examples", min=1, max=10_000, metavar="N", help="Valid inputs for each tool.")
    ] = 50
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Try other combinations of values; the same seed repeats a test.")
    ] = 0
    timeout: Annotated[
        str | None,
        typer.Option(metavar="DURATION", help="Timeout of a call, such as 500ms or 30s.", show_default="10s"),
    ] = None
    python: Annotated[
        str | None,
        typer.Option(metavar="PYTHON", help="Call tools with this interpreter, such as .venv/bin/python."),
    ] = None
    format: Annotated[
        Literal["text", "json", "junit", "github", "markdown"], typer.Option("--format", help="The output format.")
    ] = "text"
    only: Annotated[
        str | None, typer.Option("-k", metavar="TEXT", help="Run only cases with this text in their names.")
    ] = None
    last_failed: Annotated[
        bool, typer.Option("--last-failed", help="Run only the cases that failed the last time, if there are any.")
    ] = False
    fail_fast: Annotated[bool, typer.Option("--fail-fast", help="Stop after the first case that fails.")] = False
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, max=64, metavar="N", help="How many cases run at the same time.")
    ] = 1
    update: Annotated[
        bool, typer.Option("--update", help="Rewrite the expected outputs of snapshots that have changed.")
    ] = False
    tools: Sources = None
    grant: Grants = None
    consent: Consented = None
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Do not keep failing inputs, and do not try those that were kept.")
    ] = False
    debug: Debug = False


def test(options: TestOptions) -> ExitCode:
    """Run the cases of `….cases.yaml` files, or call tools with inputs made from their schemas and examples.

    A case says what a tool, a pipeline or an agent does with some arguments, answers and stubs.

    A tool may refuse an input, with a message. It must not crash, hang, end its process, or return what its definition
    does not allow. Only tools that a model could call without a question are called: those marked read-only, and those
    that --approve or a policy allows. The others are listed. Without a target, the configured sources are tested.

    Inputs with which a tool failed are kept, and tried first the next time. The exit code is 1 if a tool or a case
    fails, 2 if a case file is wrong, and 3 if no tool could be called without approval.
    """
    if any(map(is_case_file, options.targets or ())):
        return _test_cases(options)
    _refuse(options, _OF_CASES, "cases")
    settings = _settings(options)
    from toolkit.testing.contract_checks import check_tools  # help needs none of it

    checked = check_tools(settings, None if options.no_cache else cache_folder(settings.configuration.directory))
    checked = _seen_from_here(checked)
    _show(checked, options)
    exit_code = _exit_code(checked)
    report(checked.problems, exit_code, as_json=options.format == "json")
    return exit_code


test.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def _settings(options: TestOptions) -> "Settings":
    """Return what is tested, and how.

    Raises:
        ConfigurationError: If the configuration or a policy is invalid.
        Failure: If an option is invalid, or there is nothing to test.
    """
    from toolkit.testing.worker_pool import Settings  # help needs none of it
    from toolkit_cli.running.answer_sources import Answers, policy_of_files
    from toolkit_cli.running.sessions import seconds_of

    configuration = load_configuration(options.tools, options.grant, consent=options.consent, policy=options.policy)
    targets = tuple(options.targets or ())
    _refuse_servers(targets, configuration)
    if not targets and not configuration.sources:
        raise Failure(
            ExitCode.USAGE, "there is nothing to test", hint="name a file, or configure `sources` in [tool.toolkit]"
        )
    policy_of_files(configuration, targets)
    written = [rule.written for rule in Answers(approve=options.approve or ()).rules]
    settings = Settings(targets, configuration, tuple(written), seed=options.seed, examples=options.examples)
    if options.timeout is not None:
        settings = settings._replace(seconds=seconds_of("--timeout", options.timeout))
    if options.python is not None:
        from toolkit.lint.configuration.interpreters import find_interpreter  # few tests use another one

        settings = settings._replace(interpreter=find_interpreter(options.python))
    return settings


def _refuse_servers(targets: tuple[str, ...], configuration: "Configuration") -> None:
    for target in targets:
        if target.partition(".")[0] in configuration.mcp and not Path(target).exists():
            message = f"'{target}' is a tool of an MCP server, or a server, and tests only call tools in Python"
            raise Failure(ExitCode.USAGE, message, hint="test the file that defines the server's tools")


def _seen_from_here(checked: "Checked") -> "Checked":
    here = Path.cwd()

    def shown(problem: Problem) -> Problem:
        return seen_from(here, problem)

    reports = [
        one._replace(findings=tuple(found._replace(problem=shown(found.problem)) for found in one.findings))
        for one in checked.reports
    ]
    return checked._replace(reports=tuple(reports))


def _show(checked: "Checked", options: TestOptions) -> None:
    from toolkit_cli.rendering import contract_reports as rendering  # help needs none of it

    match options.format:
        case "json":
            console.write_json(rendering.as_record(checked, options.seed))
        case "junit":
            console.write_data(f"{rendering.as_xml(checked)}\n")
        case "github":
            text = rendering.as_annotations(checked)
            console.write_data(f"{text}\n" if text else "")
        case "markdown":
            console.write_data(f"{rendering.as_table(checked)}\n")
        case "text":
            width = min(console.data_width(), _WIDEST)
            console.write_data(rendering.as_report(checked, colour=console.data_has_colour(), width=width))


def _exit_code(checked: "Checked") -> ExitCode:
    if any(errors_among(one.problem for one in tool.findings) for tool in checked.reports):
        return ExitCode.FINDINGS
    if errors_among(checked.problems):
        return code_for(checked.problems)
    is_any_called = any(not tool.not_called for tool in checked.reports)
    return ExitCode.SUCCESS if is_any_called or not checked.reports else ExitCode.APPROVAL


# -------------------------------------------------------------------------------------------------------------- cases

_OF_CASES: Final = {
    "only": "-k", "last_failed": "--last-failed", "fail_fast": "--fail-fast", "jobs": "--jobs", "update": "--update",
}  # fmt: skip
_OF_TOOLS: Final = {
    "approve": "--approve", "examples": "--examples", "seed": "--seed", "timeout": "--timeout", "python": "--python",
}  # fmt: skip
"""The options for cases and for tools, by field."""


def _refuse(options: TestOptions, others: dict[str, str], what: str) -> None:
    """Refuse options that have no effect on what is tested.

    Raises:
        Failure: If there is such an option.
    """
    defaults = TestOptions._field_defaults
    for field, option in others.items():
        if getattr(options, field) != defaults[field]:
            raise Failure(ExitCode.USAGE, f"{option} is for {what}, and there are none among the targets")


def _test_cases(options: TestOptions) -> ExitCode:
    """Run the cases of case files, and return the exit code.

    Raises:
        Failure: If a file is wrong, or an option does not fit.
    """
    from toolkit_cli.testing.case_pool import LastFailed, read_files, run_cases  # help needs none of it

    _refuse(options, _OF_TOOLS, "tools")
    targets = options.targets or ()
    if others := [target for target in targets if not is_case_file(target)]:
        message = f"'{others[0]}' is not a case file, and the others are"
        raise Failure(ExitCode.USAGE, message, hint="test tools and cases with a command each")
    load = partial(load_configuration, options.tools, options.grant, consent=options.consent, policy=options.policy)
    cases = [case for file in read_files(targets) for case in file.cases]
    chosen = [case for case in cases if (options.only or "").casefold() in case.name.text.casefold()]
    if not chosen:
        message, hint = f"no case has '{options.only}' in its name", f"without `-k`, all {len(cases)} cases run"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    failed = LastFailed(None if options.no_cache else cache_folder(load().directory))
    if options.last_failed and failed:
        chosen = [case for case in chosen if case in failed]
    ran = run_cases(chosen, load, jobs=options.jobs, fail_fast=options.fail_fast)
    if options.update:
        ran = _with_snapshots(ran)
    failed.keep(ran)
    _show_cases(ran, len(cases) - len(ran), options)
    if any(one.result.is_broken for one in ran):
        return ExitCode.USAGE
    return ExitCode.SUCCESS if all(one.result.passed for one in ran) else ExitCode.FINDINGS


def _with_snapshots(ran: "list[Ran]") -> "list[Ran]":
    """Rewrite the snapshots that have changed, show how, and return the results with these cases as passed.

    Raises:
        Failure: If a file cannot be rewritten.
    """
    from toolkit.cases.snapshots import updated  # few runs rewrite
    from toolkit.lint.changes.fixing import Change, diff_of, text_of
    from toolkit.replacing import write_file
    from toolkit_cli.rendering.excerpts import shown_path

    outdated = [one for one in ran if one.result.is_outdated]
    for file in dict.fromkeys(str(one.case.file) for one in outdated):
        before = text_of(file)
        try:
            after = updated(before, [(one.case, one.result.output) for one in outdated if str(one.case.file) == file])
            change = Change(file, before, after, ())
            console.say(diff_of(change, shown_path(file)).rstrip("\n"))
            write_file(Path(file), after.encode())
        except ValueError as error:
            raise Failure(ExitCode.USAGE, f"'{shown_path(file)}': {error}") from error
        except OSError as error:
            raise cannot_write(shown_path(file), error) from error
    return [one._replace(result=one.result._replace(problems=())) if one in outdated else one for one in ran]


def _show_cases(ran: "list[Ran]", left_out: int, options: TestOptions) -> None:
    from toolkit_cli.rendering import case_reports as rendering  # help needs none of it

    match options.format:
        case "json":
            console.write_json(rendering.as_record(ran))
        case "junit":
            console.write_data(f"{rendering.as_xml(ran)}\n")
        case "github":
            text = rendering.as_annotations(ran)
            console.write_data(f"{text}\n" if text else "")
        case "markdown":
            console.write_data(f"{rendering.as_table(ran)}\n")
        case "text":
            width = min(console.data_width(), _WIDEST)
            console.write_data(rendering.as_report(ran, left_out, colour=console.data_has_colour(), width=width))
