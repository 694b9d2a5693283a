"""`toolkit lint`: check tools and pipelines for problems."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from toolkit.codes import DEFINITION_DRIFT
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.lint.configuration import settings as lint_settings
from toolkit.lint.configuration.selection import Selection, selected_codes, similar_rules
from toolkit.lint.rule import BREAKAGES
from toolkit.lint.rules import all_pages, codes, name_of, page_of
from toolkit.problems import Location, Problem, errors_among
from toolkit.replacing import followed, write_file
from toolkit_cli import console
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.completion import complete_rule, complete_target
from toolkit_cli.failures import ExitCode, Failure, cannot_write, refuse
from toolkit_cli.linting.check_runs import CheckRun, text_of_stdin
from toolkit_cli.linting.head_starts import cache_folder
from toolkit_cli.other_python import refuse_python
from toolkit_cli.rendering.compatibility_tables import as_record, as_table
from toolkit_cli.rendering.findings import FORMATS, Format, as_list, explanation_of, render, spans_of, statistics_of
from toolkit_cli.rendering.problem_texts import counted, counted_files, counted_tools
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.running.opened_tools import gate_for
from toolkit_cli.shared_options import Debug, PolicyPath, Starts

if TYPE_CHECKING:
    from toolkit.lint.configuration.interpreters import Interpreter
    from toolkit.lint.configuration.settings import LintSettings
    from toolkit.settings.configuration import Configuration
    from toolkit.sources.import_permissions import FileCounts

_WIDEST = 120
_STATIC = "read, not run"

Paths = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATH]...",
        help="Files, folders, globs or modules, or JSON files with tool definitions.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Codes = list[str] | None
Select = Annotated[
    Codes,
    typer.Option(
        metavar="CODE",
        autocompletion=complete_rule,
        help="Report only these rules, such as TK201, TK2 or ALL. Repeatable.",
    ),
]
Ignore = Annotated[
    Codes, typer.Option(metavar="CODE", autocompletion=complete_rule, help="Ignore these rules. Repeatable.")
]
ExtendSelect = Annotated[
    Codes,
    typer.Option(
        metavar="CODE",
        autocompletion=complete_rule,
        help="Report these rules as well. Repeatable.",
    ),
]
Provider = Annotated[
    Codes,
    typer.Option(metavar="NAME", help="Check the limits of this model provider or MCP client. Repeatable."),
]
Shown = Annotated[Format, typer.Option("--format", help="The output format.")]
Outputs = Annotated[
    list[str] | None, typer.Option(metavar="FORMAT=FILE", help="Also write the findings to a file. Repeatable.")
]
Baseline = Annotated[str | None, typer.Option(metavar="FILE", help="Do not report the known findings in this file.")]


class LintOptions(NamedTuple):
    """The command-line options of `toolkit lint`, one per field."""

    paths: Paths = None
    select: Select = None
    ignore: Ignore = None
    extend_select: ExtendSelect = None
    provider: Provider = None
    profile: Annotated[
        Literal["essential", "recommended", "all"] | None,
        typer.Option(
            help="Report all rules, the recommended, or the essential ones, the default for tools of other frameworks."
        ),
    ] = None
    stdin_filename: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The file name for source that is read from stdin with `-`."),
    ] = None
    against: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Report changes of tool definitions since a git revision instead."),
    ] = None
    static: Annotated[bool, typer.Option("--static", help="Only read the source; import nothing.")] = False
    python: Annotated[
        str | None,
        typer.Option(metavar="PYTHON", help="Import modules with this interpreter, such as .venv/bin/python."),
    ] = None
    fix: Annotated[bool, typer.Option("--fix", help="Apply safe fixes.")] = False
    unsafe_fixes: Annotated[bool, typer.Option("--unsafe-fixes", help="Apply or show unsafe fixes as well.")] = False
    diff: Annotated[bool, typer.Option("--diff", help="Show what --fix would change, without changing it.")] = False
    add_noqa: Annotated[bool, typer.Option("--add-noqa", help="Add suppression comments for all findings.")] = False
    baseline: Baseline = None
    update_baseline: Annotated[
        bool, typer.Option("--update-baseline", help="Replace the baseline with the current findings.")
    ] = False
    format: Shown = "text"
    output: Outputs = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only the findings.")] = False
    statistics: Annotated[bool, typer.Option("--statistics", help="Show the number of findings per rule.")] = False
    compat: Annotated[bool, typer.Option("--compat", help="Show which providers accept which tools instead.")] = False
    explain: Annotated[
        str | None, typer.Option(metavar="CODE", autocompletion=complete_rule, help="Explain a rule, or list ALL.")
    ] = None
    require_tools: Annotated[bool, typer.Option("--require-tools", help="Fail if a given path has no tools.")] = False
    warnings_as_errors: Annotated[bool, typer.Option("--warnings-as-errors", help="Fail on warnings too.")] = False
    fail_on: Annotated[
        Literal["warning", "error", "breakage"] | None,
        typer.Option("--fail-on", help="The least severe finding to fail on; a breakage stops a server or an agent."),
    ] = None
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 even if there are findings.")] = False
    policy: PolicyPath = None
    start: Starts = None
    watch: Annotated[bool, typer.Option("--watch", help="Check again when files change, until Ctrl-C.")] = False
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Ignore cached results, and check every file.")] = False
    debug: Debug = False


def lint(options: LintOptions) -> ExitCode:
    """Check tools and pipelines, and report problems with file, line and column.

    Without a path, the configured sources are checked, or the working directory if there are none. Findings go to
    stdout; the exit code is 1 if any of them is an error.
    """
    if options.explain is not None:
        return _explain(options.explain)
    if options.watch:
        from toolkit_cli.watched_files import watch as watch_paths

        return watch_paths(options.paths or (), lambda: lint(options._replace(watch=False)))
    _refuse_contradictions(options)
    outputs = [_output(text) for text in options.output or ()]
    _refuse_beside_comparison(options)
    text = text_of_stdin(
        options.paths or (), options.stdin_filename, writes=options.fix or options.diff or options.add_noqa
    )
    if text is not None:
        options = options._replace(paths=[str(options.stdin_filename)], static=True)
    if options.against is not None:
        options = options._replace(static=True)
    configuration = load_configuration(start=options.start, policy=options.policy)
    settings = _settings(configuration, options)
    if options.compat:
        return _show_compatibility(options, configuration, settings)
    cache = None if options.no_cache else cache_folder(configuration.directory)
    check_run = CheckRun(
        options.paths or (),
        configuration,
        settings,
        cache,
        update_baseline=options.update_baseline,
        text=text,
        against=options.against,
    )
    if options.diff:
        from toolkit_cli.linting.file_changes import show_diff  # few runs change files

        return show_diff(check_run(), unsafe=options.unsafe_fixes)
    problems = _changed(check_run, options) if options.fix or options.add_noqa else check_run()
    _show(options, problems, outputs, check_run, settings)
    least = options.fail_on or ("warning" if options.warnings_as_errors else "error")
    is_failure = _fails(problems, least, is_comparison=options.against is not None)
    return ExitCode.FINDINGS if is_failure and not options.exit_zero else ExitCode.SUCCESS


def _changed(check_run: CheckRun, options: LintOptions) -> list[Problem]:
    """Fix and suppress findings as the options say, and return those that remain."""
    from toolkit_cli.linting.file_changes import add_suppressions, apply_fixes  # few runs change files

    problems = apply_fixes(check_run, unsafe=options.unsafe_fixes) if options.fix else check_run()
    return add_suppressions(check_run, problems) if options.add_noqa else problems


def _refuse_contradictions(options: LintOptions) -> None:
    if options.statistics and options.format != "text":
        raise Failure(ExitCode.USAGE, f"'--statistics' does not support the format {options.format}, only text")
    if options.static:
        refuse_python(options.python, "'--static' opens no modules")


def _refuse_beside_comparison(typed: LintOptions) -> None:
    """Raise a failure if `--against` is combined with an option for another kind of check."""
    options = {
        "--fix": typed.fix,
        "--diff": typed.diff,
        "--compat": typed.compat,
        "--stdin-filename": typed.stdin_filename,
    }
    for name, given in options.items():
        if given and typed.against is not None:
            raise Failure(ExitCode.USAGE, f"'--against' and '{name}' cannot be combined")


def _show(
    options: LintOptions,
    problems: Sequence[Problem],
    outputs: Sequence[tuple[Format, Path]],
    check_run: CheckRun,
    settings: "LintSettings",
) -> None:
    """Write the findings to files and to stdout."""
    note = _note_on(check_run, problems, settings, options)
    for one, file in outputs:
        _write(file, console.redactor().text(render(problems, one, note=note)))
    if not options.quiet:
        _print_notes(check_run, settings, options)
    rendered = statistics_of(problems) if options.statistics else _render(options, problems, check_run, note)
    console.write_data(rendered)


def _fails(problems: Sequence[Problem], least: Literal["warning", "error", "breakage"], *, is_comparison: bool) -> bool:
    """Return whether any finding is severe enough to fail the command."""
    if least == "breakage":
        changes = [one for one in problems if one.code == DEFINITION_DRIFT]
        return any(one.code in BREAKAGES for one in problems) or bool(is_comparison and errors_among(changes))
    return bool(errors_among(problems)) or (least == "warning" and any(one.severity == "warning" for one in problems))


def _print_notes(check_run: CheckRun, settings: "LintSettings", options: LintOptions) -> None:
    """Print how the baseline affected the findings; for JSON formats, also print what was checked."""
    check_run.print_summary()
    last = check_run.last
    ran = last.uses or _note_on_running(last.files, settings, options.paths or ())
    if options.format in {"json", "jsonl"} and ran:
        tools = {key: value for key, value in last.tools._asdict().items() if value != {}}
        notes = {"uses": last.uses, "unseen": [str(place) for place in last.unseen]}
        told = {name: texts for name, texts in notes.items() if texts}
        console.say(json.dumps({"files": last.files._asdict(), "tools": tools, **told}))


def _settings(configuration: "Configuration", options: LintOptions) -> "LintSettings":
    """Return the project's lint settings, overridden by the options.

    Raises:
        ConfigurationError: If the project's settings are invalid; lists all problems.
        Failure: If the options are invalid; lists all problems.
    """
    settings, problems = lint_settings.read_lint_settings(configuration)
    raise_errors(ConfigurationError, problems)
    lists = (options.select, options.ignore, options.extend_select, options.provider)
    select, ignore, extend, providers = map(_parts, lists)
    wrong = [
        *lint_settings.selection_problems([*select, *ignore, *extend]),
        *lint_settings.provider_problems(providers),
    ]
    refuse(wrong)
    layer = Selection(select or None, ignore, extend)
    return settings._replace(
        selections=(*settings.selections, layer) if any(layer) else settings.selections,
        providers=providers or settings.providers,
        profile=options.profile or settings.profile,
        baseline=Path(options.baseline) if options.baseline else settings.baseline,
        baseline_folder=None if options.baseline else settings.baseline_folder,
        is_static=options.static,
        requires_tools=options.require_tools,
        interpreter=_interpreter(options.python),
    )


def _interpreter(named: str | None) -> "Interpreter | None":
    if named is None:
        return None
    from toolkit.lint.configuration.interpreters import find_interpreter  # few runs use another one

    return find_interpreter(named)


def _parts(values: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(part.strip() for value in values or () for part in value.split(",") if part.strip())


def _show_compatibility(options: LintOptions, configuration: "Configuration", settings: "LintSettings") -> ExitCode:
    """Print which providers accept which tools; and return 1 if a named provider rejects one, or there is none."""
    from toolkit.lint.changes.compatibility import EVERYBODY, compatibility_of
    from toolkit.lint.engine.checking import find_tools  # few runs ask for it

    if options.format not in {"text", "json"}:
        raise Failure(ExitCode.USAGE, f"'--compat' does not support the format {options.format}, only text and json")
    tools = find_tools(options.paths or (), configuration, settings, gate=gate_for(configuration))
    found = compatibility_of(tools, settings.providers if options.provider else EVERYBODY)
    if options.format == "json":
        console.write_json(as_record(found))
    else:
        print_lines(as_table(found, console.data_width()))
    if not found.rows:
        console.say("nothing was compared: no tools were found")
        return ExitCode.FINDINGS
    refused = any(not verdict.is_taken for row in [*found.rows, found.whole] for verdict in row.verdicts)
    return ExitCode.FINDINGS if options.provider and refused else ExitCode.SUCCESS


def _explain(wanted: str) -> ExitCode:
    """Print the documentation of a rule, given by code or name, or a list of all rules."""
    rules = list(all_pages())
    if wanted.upper() == "ALL":
        console.write_data(as_list(rules))
        return ExitCode.SUCCESS
    for rule in rules:
        if wanted.upper() == rule.code or wanted == rule.name:
            console.write_data(explanation_of(rule))
            return ExitCode.SUCCESS
    hint = similar_rules(wanted) or "`toolkit lint --explain ALL` shows all"
    raise Failure(ExitCode.USAGE, f"there is no rule '{wanted}'", hint=hint)


def _output(text: str) -> tuple[Format, Path]:
    name, equals, file = text.partition("=")
    for format in FORMATS:
        if name == format and equals and file:
            return format, Path(file)
    hint = f"write --output sarif=lint.sarif; the formats are {', '.join(FORMATS)}"
    raise Failure(ExitCode.USAGE, f"'{text}' is not FORMAT=FILE", hint=hint)


def _write(file: Path, text: str) -> None:
    try:
        followed(file).parent.mkdir(parents=True, exist_ok=True)
        write_file(file, text.encode(errors="backslashreplace"))
    except OSError as error:
        raise cannot_write(file, error) from error


def _note_on(check_run: CheckRun, problems: Sequence[Problem], settings: "LintSettings", options: LintOptions) -> str:
    """Return the note about the whole check: which tools were checked, and whether code was run."""
    last = check_run.last
    if options.against is not None:
        return f"{counted_tools(last.tools)}; compared with {options.against}; {_STATIC}"
    tools = counted_tools(last.tools) if last.tools.tools or not errors_among(problems) else ""
    minor, unseen = _note_on_minor(last.minor), _note_on_unseen(last.unseen)
    unused = f"{counted(last.unread, 'unused OpenAPI document')} not checked" if last.unread else ""
    ran = _note_on_running(last.files, settings, options.paths or ())
    return "; ".join(filter(None, [tools, *last.uses, unseen, ran, minor, unused]))


def _note_on_unseen(places: Sequence[Location]) -> str:
    """Return a note on the places that may register more tools than the source shows."""
    more = len(places) - _MOST_PLACES
    parts = [*(str(place) for place in places[:_MOST_PLACES]), *([f"{more} more"] if more > 0 else [])]
    return f"more tools may be registered at {', '.join(parts)}" if places else ""


def _note_on_minor(minor: Mapping[str, int]) -> str:
    """Return a note on what only the profile `all` reports: the rules with most findings, and the number of others."""
    if not minor:
        return ""
    counts = sorted(minor.items(), key=lambda one: (-one[1], one[0]))
    parts = [f"{count} {name_of(code)} ({code})" for code, count in counts[:_MOST_RULES]]
    more = sum(count for _, count in counts[_MOST_RULES:])
    return f"left out: {', '.join([*parts, *([f'{more} more'] if more else [])])}, see `--profile all`"


def _note_on_running(files: "FileCounts", settings: "LintSettings", paths: Sequence[str | Path]) -> str:
    """Return a note that nothing was run, or how many Python files were, unless it is the only one, and was named."""
    if settings.is_static:
        return _note_on_reading(settings)
    is_obvious = files.read == files.imported == len(paths) == 1 and str(paths[0]).endswith(".py")
    return counted_files(files) if files.read and not is_obvious else ""


def _note_on_reading(settings: "LintSettings") -> str:
    """Return a note that nothing was run, and which of the selected rules need an import."""
    selected = selected_codes(settings.selections)
    missing = {code for code in selected if page_of(code).needs_import}
    names = spans_of([code for code in codes() if code in selected], missing)
    listed = ", ".join(names) if len(names) <= _MOST_SPANS else f"{len(missing)} rules"
    return f"{_STATIC}; {listed} need{'s' if len(missing) == 1 else ''} an import" if missing else _STATIC


_MOST_RULES = 2
_MOST_PLACES = 3
_MOST_SPANS = 3


def _render(options: LintOptions, problems: Sequence[Problem], check_run: CheckRun, note: str) -> str:
    # Without a terminal, excerpts still get a readable width.
    width = min(console.data_width(), _WIDEST)
    colour, is_known = console.data_has_colour(), check_run.has_baseline
    return render(
        problems,
        options.format,
        colour=colour,
        width=width,
        note=note,
        quiet=options.quiet,
        is_known=is_known,
        places=check_run.last.places,
    )
