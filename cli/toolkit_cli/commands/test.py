"""`toolkit test`: run cases, or call tools with many inputs, and report what fails."""

from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from toolkit.codes import FAILED_CASE
from toolkit.problems import Problem, errors_among, seen_from
from toolkit.sources.targets import case_files_in, is_benchmark, is_case_file, tool_files
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.failures import ExitCode, Failure, cannot_write, code_for, report
from toolkit_cli.linting.head_starts import cache_folder, collect_less
from toolkit_cli.other_python import continue_with
from toolkit_cli.running.opened_tools import tell_warnings
from toolkit_cli.shared_options import (
    BaseUrl,
    Consented,
    Debug,
    Grants,
    PolicyPath,
    Rules,
    Sources,
    Starts,
    Targets,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolkit.cases.case import Case, Ran
    from toolkit.cases.comparisons import Comparison
    from toolkit.lint.changes.git_revisions import GitRevision
    from toolkit.settings.configuration import Configuration
    from toolkit.testing.checked_tools import Checked
    from toolkit.testing.worker_pool import Settings
    from toolkit_cli.testing.choices import Asking
    from toolkit_cli.testing.earlier_choices import EarlierReport

_WIDEST = 120
_MANY = 2


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
        typer.Option(
            metavar="PYTHON", help="Call tools and run cases with this interpreter, such as .venv/bin/python."
        ),
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
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL",
            help="The model that cases ask, as in `toolkit agent`. Repeatable: each one is asked, and compared.",
            show_default=False,
        ),
    ] = None
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, max=1000, metavar="N", help="How often each model is asked.")
    ] = 1
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REV|REPORT",
            help="Compare what models choose with the tools of a git revision, or with an earlier --format json; fail "
            "only if it has become worse. A file that exists is a report.",
            show_default=False,
        ),
    ] = None
    base_url: BaseUrl = None
    record: Annotated[
        bool, typer.Option("--record", help="Ask the models of cases, and record their replies beside the case files.")
    ] = False
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail cases whose tool definitions have changed since the recording.")
    ] = False
    update: Annotated[
        bool, typer.Option("--update", help="Rewrite the expected outputs of snapshots that have changed.")
    ] = False
    tools: Sources = None
    grant: Grants = None
    start: Starts = None
    consent: Consented = None
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Do not keep failing inputs, and do not try those that were kept.")
    ] = False
    debug: Debug = False


def test(options: TestOptions) -> ExitCode:
    """Run the cases of `….cases.yaml` files, or call tools with inputs made from their schemas and examples.

    A case says what a tool, a pipeline or an agent does with some arguments, answers and stubs; or which tools a model
    calls for a request (`ask`). These calls are compared, and made only in a whole conversation (`loop`). The model's
    replies come from a cassette that --record writes, so that such cases need no model and no key; only scripted models
    are asked each time.

    A tool may refuse an input, with a message. It must not crash, hang, end its process, or return what its definition
    does not allow. Only tools that a model could call without a question are called: those marked read-only, and those
    that --approve or a policy allows. The others are listed. Without a target, the cases below the current folder are
    run, and the tools of the configured sources are called or, if there are none, those of the current folder.

    A folder is both: the cases of the files in it are run, and its tools are called. Inputs with which a tool failed
    are kept, and tried first the next time. The exit code is 1 if a tool or a case fails, 2 if a case file is wrong,
    and 3 if there are no cases, and no tool could be called without approval.
    """
    of_cases, of_tools = _by_kind(options.targets or ["."])
    if of_cases:
        continue_with(options.python)
    configuration, has_tools = _loading(options)(), bool(of_tools)
    if not options.targets and configuration.sources:
        of_tools, has_tools = [], True
    if not of_cases:
        _refuse(options, _OF_CASES, "cases")
    elif not has_tools:
        _refuse(options, _OF_TOOLS, "tools")
    chosen, total = _read(of_cases, options.only or "")  # a mistake ends the command before anything is called
    earlier = _earlier(options, chosen)
    checked = _check(options._replace(targets=of_tools), configuration) if has_tools else None
    compared, ran = None, None
    if of_cases:
        compared, ran = _compared(options, earlier, _run(options, chosen, configuration))
    _show(checked, ran, total, options, compared=compared)
    exit_code = _exit_code(checked, ran or [], compared)
    if checked is not None:
        tell_warnings(checked.warnings)
        report(checked.problems, exit_code, as_json=options.format == "json")
    return exit_code


test.__test__ = False  # type: ignore[attr-defined]  # pytest would take it for a test


def _by_kind(targets: list[str] | tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Return the targets with cases, and those with tools; a folder may have both."""
    files = [one for one in targets if is_case_file(one) or is_benchmark(one)]
    of_cases = [one for one in targets if one in files or (Path(one).is_dir() and case_files_in(Path(one)))]
    of_tools = [one for one in targets if one not in files and (one not in of_cases or tool_files(Path(one)))]
    return of_cases, of_tools


def _check(options: TestOptions, configuration: "Configuration") -> "Checked":
    settings = _settings(options, configuration)
    from toolkit.testing.checked_tools import check_tools  # help needs none of it

    cache = None if options.no_cache else cache_folder(settings.configuration.directory)
    return _seen_from_here(check_tools(settings, cache), options.python)


def _settings(options: TestOptions, configuration: "Configuration") -> "Settings":
    """Return what is tested, and how.

    Raises:
        ConfigurationError: If the configuration or a policy is invalid.
        Failure: If an option is invalid.
    """
    from toolkit.testing.worker_pool import Settings  # help needs none of it
    from toolkit_cli.running.answer_sources import Answers, policy_of_files
    from toolkit_cli.running.sessions import seconds_of

    targets = tuple(options.targets or ())
    _refuse_servers(targets, configuration)
    policy_of_files(configuration, targets)
    written = [rule.written for rule in Answers(approve=options.approve or ()).rules]
    settings = Settings(targets, configuration, tuple(written), seed=options.seed, examples=options.examples)
    if options.timeout is not None:
        settings = settings._replace(seconds=seconds_of("--timeout", options.timeout))
    if options.python is not None:
        from toolkit.lint.configuration import interpreters  # few tests use another one

        if not interpreters.is_started_by_another():  # with cases, the whole command runs with it
            settings = settings._replace(interpreter=interpreters.find_interpreter(options.python))
    return settings


def _refuse_servers(targets: tuple[str, ...], configuration: "Configuration") -> None:
    for target in targets:
        if target.partition(".")[0] in configuration.mcp and not Path(target).exists():
            message = f"'{target}' is a tool of an MCP server, or a server, and only cases call these"
            hint = f"write a case: {{name: …, run: {target if '.' in target else f'{target}.TOOL'}}}"
            raise Failure(ExitCode.USAGE, message, hint=f"{hint}, or test the file that defines the server's tools")


def _seen_from_here(checked: "Checked", python: str | None) -> "Checked":
    here = Path.cwd()

    def shown(problem: Problem) -> Problem:
        return seen_from(here, problem)

    reports = [
        one._replace(findings=tuple(found._replace(problem=shown(found.problem)) for found in one.findings))
        for one in checked.reports
    ]
    return checked._replace(reports=tuple(reports), python=python)


def _show(
    checked: "Checked | None",
    ran: "list[Ran] | None",
    total: int,
    options: TestOptions,
    *,
    compared: "list[Comparison] | None",
) -> None:
    from toolkit_cli.rendering import case_reports, contract_reports  # help needs none of it
    from toolkit_cli.rendering.problem_texts import as_github
    from toolkit_cli.rendering.report_formats import as_junit, as_markdown

    of_tools = [] if checked is None else contract_reports.problems_of(checked)
    of_cases, tables = case_reports.problems_of(ran or []), case_reports.tables_of(ran or [], compared or ())
    match options.format:
        case "json":
            record = {} if checked is None else contract_reports.as_record(checked, options.seed)
            against = {} if compared is None else {"against": case_reports.as_compared(compared)}
            console.write_json(record | ({} if ran is None else case_reports.as_record(ran)) | against)
        case "junit":
            tools = [] if checked is None else contract_reports.tool_cases(checked)
            suites = {"tools": tools, "cases": case_reports.tool_cases(ran or [])}
            console.write_data(f"{as_junit(of_tools, command='test', suites=suites)}\n")
        case "github":
            notes = case_reports.as_notes(tables)
            text = as_github([*of_tools, *of_cases], "test", notes=notes)
            console.write_data(f"{text}\n" if text else "")
        case "markdown":
            console.write_data(f"{as_markdown([*of_tools, *of_cases], command='test', tables=tables)}\n")
        case "text":
            width, colour = min(console.data_width(), _WIDEST), console.data_has_colour()
            parts = [] if checked is None else [contract_reports.as_report(checked, colour=colour, width=width)]
            if ran is not None:
                parts.append(case_reports.as_report(ran, total, compared or (), colour=colour, width=width))
            console.write_data("\n".join(parts))


def _exit_code(checked: "Checked | None", ran: "list[Ran]", compared: "list[Comparison] | None") -> ExitCode:
    if any(one.result.is_broken for one in ran):
        return ExitCode.USAGE
    reports, problems = ((), ()) if checked is None else (checked.reports, checked.problems)
    if errors_among(one.problem for tool in reports for one in tool.findings):
        return ExitCode.FINDINGS
    if any(one.has_dropped for one in compared or ()):
        return ExitCode.FINDINGS
    if not all(one.result.passed or (compared is not None and _is_wrong_choice(one)) for one in ran):
        return ExitCode.FINDINGS
    if errors_among(problems):
        return code_for(problems)
    is_any_called = bool(ran) or any(not tool.not_called for tool in reports)
    return ExitCode.SUCCESS if is_any_called or not reports else ExitCode.APPROVAL


def _is_wrong_choice(one: "Ran") -> bool:
    """Return whether a case fails only because of what a model chose, which a comparison judges as a whole."""
    return one.result.choice is not None and all(found.code == FAILED_CASE for found in one.result.problems)


# -------------------------------------------------------------------------------------------------------------- cases

_OF_CASES: Final = {
    "only": "-k", "last_failed": "--last-failed", "fail_fast": "--fail-fast", "jobs": "--jobs", "update": "--update",
    "model": "--model", "base_url": "--base-url", "start": "--start", "record": "--record", "strict": "--strict",
    "repeat": "--repeat", "against": "--against",
}  # fmt: skip
_OF_TOOLS: Final = {
    "approve": "--approve", "examples": "--examples", "seed": "--seed", "timeout": "--timeout",
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


def _read(targets: list[str], text: str) -> "tuple[list[Case], int]":
    """Return the cases of files with this text in their names, and how many cases there are.

    Raises:
        Failure: If a file is wrong, or there is no such case.
    """
    if not targets:
        return [], 0
    from toolkit_cli.testing.case_pool import read_files  # tests of tools need none of it

    collect_less()
    cases = [case for file in read_files(targets) for case in file.cases]
    chosen = [case for case in cases if text.casefold() in case.name.text.casefold()]
    if not chosen:
        message, hint = f"no case has '{text}' in its name", f"without `-k`, all {len(cases)} cases run"
        raise Failure(ExitCode.USAGE, message, hint=hint)
    return chosen, len(cases)


def _run(options: TestOptions, chosen: "list[Case]", configuration: "Configuration") -> "list[Ran]":
    """Run cases, rewrite their snapshots if that is wanted, and remember which have failed.

    Raises:
        Failure: If a snapshot or a cassette cannot be written.
    """
    # tests of tools need none of it
    from toolkit_cli.testing.case_pool import LastFailed, attempts_of, drop_removed, run_cases

    failed = LastFailed(None if options.no_cache else cache_folder(configuration.directory))
    if options.last_failed and failed:
        chosen = [case for case in chosen if case in failed]
    asking = _asking(options)
    chosen = attempts_of(chosen, options.model or (), options.repeat, configuration.model)
    load, bar = _loading(options), _bar(len(chosen))
    ran = run_cases(chosen, load, asking=asking, jobs=options.jobs, fail_fast=options.fail_fast, bar=bar)
    if options.record and not (options.only or options.last_failed):
        drop_removed(chosen)
    if options.update:
        ran = _with_snapshots(ran)
    failed.keep(ran)
    return ran


def _loading(options: TestOptions) -> "Callable[[], Configuration]":
    granted, policy = options.grant, options.policy
    return partial(load_configuration, options.tools, granted, options.start, consent=options.consent, policy=policy)


def _asking(options: TestOptions) -> "Asking":
    from toolkit_cli.testing.choices import Asking  # tests of tools need none of it

    return Asking(options.base_url, options.record, options.strict)


def _earlier(options: TestOptions, chosen: "list[Case]") -> "EarlierReport | GitRevision | None":
    """Return what the choices of models are compared with, before any is asked.

    Raises:
        Failure: If it cannot be read, or no model is asked.
        ConfigurationError: If it is neither a file nor a revision.
    """
    for option, is_given in (("--record", options.record), ("--against", options.against is not None)):
        if is_given and not any(case.is_choice for case in chosen):
            raise Failure(ExitCode.USAGE, f"{option} is for cases that ask a model, and there are none")
    if options.against is None:
        return None
    from toolkit_cli.testing.earlier_choices import find_earlier  # few tests compare

    return find_earlier(options.against)


def _compared(
    options: TestOptions, earlier: "EarlierReport | GitRevision | None", ran: "list[Ran]"
) -> "tuple[list[Comparison] | None, list[Ran]]":
    """Return how the choices of models differ, and the results, with why some could not be compared.

    Raises:
        Failure: If none can be compared.
        ConfigurationError: If a revision cannot be read.
    """
    if earlier is None:
        return None, ran
    from toolkit_cli.testing.earlier_choices import compare_choices  # few tests compare

    return compare_choices(earlier, ran, _loading(options), asking=_asking(options), jobs=options.jobs)


@contextmanager
def _bar(total: int) -> "Iterator[Callable[[Ran], object]]":
    """Show a bar on a terminal while several cases run, and yield what receives each result."""
    if total < _MANY or not console.stderr_is_terminal():
        yield lambda _: None
        return
    from toolkit_cli.rendering.live import BatchBar  # rich is heavy, and few tests have a bar

    done: list[Ran] = []

    def words() -> str:
        failed = sum(not one.result.passed for one in done)
        return f"{len(done):,} of {total:,} cases" + (f", {failed:,} failed" if failed else "")

    bar = BatchBar(words, lambda: len(done) / total)
    bar.start()
    try:
        yield done.append
    finally:
        bar.stop()


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
