"""`toolkit policy`: show what the approval rules decide about a call, list the rules, or test them."""

from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple

import typer

from toolkit.approvals.audit_log import faults_of_log, records_of_log
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import READINGS_OF, After, Risk
from toolkit.approvals.rules import KnownTool, unmatched_rules
from toolkit.problems import Problem, errors_among
from toolkit_cli import console
from toolkit_cli.arguments.argument_prompts import missing_problems
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections
from toolkit_cli.command_settings import load_configuration
from toolkit_cli.completion import complete_target
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.rendering.policy_tables import (
    ASKS_ITSELF,
    DecidedCall,
    decided_calls,
    decision_record,
    listed_decisions,
    listed_rules,
    rule_records,
)
from toolkit_cli.rendering.styles import print_lines
from toolkit_cli.running.answer_sources import audit_file, calls_of, policy_of_files
from toolkit_cli.running.opened_tools import gate_for, open_configured, open_one
from toolkit_cli.shared_options import Debug, PolicyPath, Sources, Starts

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.approvals.policies import Chooser, Verdict
    from toolkit.settings.configuration import Configuration
    from toolkit.tools.base import Tool
    from toolkit_cli.running.answer_sources import ForeseenCall

_NO_FILES = "there are no rules; add some to the project's toolkit.policy.yaml or to your own policy.yaml"

Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TARGET [ARG]...",
        help="A tool or pipeline and its arguments, as for `toolkit run`.",
        show_default=False,
        autocompletion=complete_target,
    ),
]
Shown = Annotated[Literal["text", "json"], typer.Option("--format", help="The output format.")]


class RulesOptions(NamedTuple):
    """The command-line options of `toolkit policy list` and `toolkit policy test`, one per field."""

    policy: PolicyPath = None
    tools: Sources = None
    start: Starts = None
    format: Shown = "text"
    debug: Debug = False


class CheckOptions(NamedTuple):
    """The command-line options of `toolkit policy check`, one per field."""

    words: Words = None
    chosen_by: Annotated[Literal["person", "model"], typer.Option("--chosen-by", help="Who chooses the call.")] = (
        "person"
    )
    after: Annotated[
        After | None, typer.Option("--after", help="What the run has read before the call.", show_default=False)
    ] = None
    rules: RulesOptions = RulesOptions()


class AuditOptions(NamedTuple):
    """The command-line options of `toolkit policy audit`, one per field."""

    verify: Annotated[bool, typer.Option("--verify", help="Check that no record was changed or removed.")] = False
    format: Shown = "text"
    debug: Debug = False


def _configuration(options: RulesOptions) -> "Configuration":
    return load_configuration(options.tools, start=options.start, policy=options.policy)


def check_call(options: CheckOptions) -> ExitCode:
    """Show which rule decides about a call.

    The rule is shown with its file and line. Nothing is called. The exit code is 3 unless the call runs without a
    question.
    """
    if not options.words:
        raise Failure(
            ExitCode.USAGE, "the call to check is missing", hint="write: toolkit policy check TARGET name=value"
        )
    as_json = options.rules.format == "json"
    return _check(options.words, _configuration(options.rules), options.chosen_by, options.after, as_json=as_json)


def list_rules(options: RulesOptions) -> ExitCode:
    """List the rules of all files in the order in which they apply."""
    return _list(_configuration(options), as_json=options.format == "json")


def check_rules(options: RulesOptions) -> ExitCode:
    """Run the tests in the rules.

    Rules of the project that match none of its tools are reported, too. The exit code is 1 if there are problems.
    """
    return _test(_configuration(options), as_json=options.format == "json")


def show_audit(options: AuditOptions) -> ExitCode:
    """Show past decisions, oldest first.

    With --verify, the exit code is 1 if a record was changed or removed.
    """
    return _audit(verify=options.verify, as_json=options.format == "json")


def _check(
    words: Sequence[str], configuration: "Configuration", chosen_by: "Chooser", after: After | None, *, as_json: bool
) -> ExitCode:
    gate = Gate(policy=policy_of_files(configuration, words[:1]))
    tool = open_one(words[0], configuration, gate_for(configuration), "one of them is checked", warn=False, looks=True)
    gathered = gather_arguments(tool, Given(words[1:]))
    problems = [*gathered.problems, *(one.problem for one in objections(tool, gathered.arguments))]
    if problems or gathered.missing:
        raise Failure(ExitCode.USAGE, problems=[*problems, *_missing(tool, gathered.missing, words[0])])
    if after is not None:
        gate.history.add(Risk("an earlier call", flow=READINGS_OF[after]))
    foreseen = calls_of(tool, gathered.arguments, gate, chosen_by)
    calls = [DecidedCall(one.call, _verdict_on(one, gate), one.step) for one in foreseen]
    if as_json:
        console.write_json([decision_record(call) for call in calls])
    else:
        print_lines(decided_calls(calls, console.data_width()))
    return ExitCode.SUCCESS if all(call.verdict.action == "allow" for call in calls) else ExitCode.APPROVAL


def _verdict_on(one: "ForeseenCall", gate: Gate) -> "Verdict":
    """Return the verdict on a call; if its tool decides itself whether to ask, as if it does."""
    asks_itself = one.tool is not None and one.tool.demands and one.call.demanded_by is None
    if not asks_itself:
        return one.verdict
    return gate.verdict_on(one.call._replace(demanded_by=ASKS_ITSELF))


def _missing(tool: "Tool", names: Sequence[str], target: str) -> list[Problem]:
    return list(missing_problems(tool, names, f"toolkit policy check {quote(target)}"))


def _list(configuration: "Configuration", *, as_json: bool) -> ExitCode:
    found = policy_of_files(configuration)
    if found is None:
        console.say(_NO_FILES)
    if as_json:
        console.write_json([] if found is None else rule_records(found))
    elif found is not None and found.files:
        print_lines(listed_rules(found, console.data_width()))
    return ExitCode.SUCCESS


def _test(configuration: "Configuration", *, as_json: bool) -> ExitCode:
    if not configuration.has_policy:
        console.say(_NO_FILES)
        return ExitCode.SUCCESS
    from toolkit.sources.project_policies import configured_policy  # help needs none of it

    found, problems = configured_policy(configuration)
    problems = [*problems, *_unmatched(found, configuration)]
    report(problems, ExitCode.FINDINGS if errors_among(problems) else ExitCode.SUCCESS, as_json=as_json)
    tests = sum(len(rule.written.get(key, ())) for rule in found.rules for key in ("match", "no_match"))
    counts = {"files": len(found.files), "rules": len(found.rules), "tests": tests, "problems": len(problems)}
    if as_json:
        console.write_json(counts)
    else:
        console.write_data(", ".join(_count(count, what) for what, count in counts.items()) + "\n")
    return ExitCode.FINDINGS if errors_among(problems) else ExitCode.SUCCESS


def _audit(*, verify: bool, as_json: bool) -> ExitCode:
    file = audit_file()
    try:
        if verify:
            count, faults = faults_of_log(file)
            report([Problem("", fault) for fault in faults], ExitCode.FINDINGS, as_json=as_json)
            console.write_data(f"{_count(count, 'records')}, {_count(len(faults), 'faults')}\n")
            return ExitCode.FINDINGS if faults else ExitCode.SUCCESS
        records = list(records_of_log(file))
    except OSError as error:
        message = f"the audit log '{file}' cannot be read: {(error.strerror or str(error)).lower()}"
        raise Failure(ExitCode.USAGE, message) from error
    if as_json:
        console.write_json(records)
    elif records:
        print_lines(listed_decisions(records, console.data_width()))
    return ExitCode.SUCCESS


def _unmatched(policy: "FilePolicy", configuration: "Configuration") -> list[Problem]:
    """Return a problem for each rule of the project that matches none of its tools."""
    from toolkit.sources.collected import all_tools  # the other commands judge single calls

    opened = open_configured(None, configuration, gate_for(configuration))
    end_at_errors(opened.problems)
    known = [KnownTool(tool.described.risk, tool.spec.properties) for tool in all_tools([*opened.tools.values()])]
    return unmatched_rules(policy.rules, known)


def _count(count: int, what: str) -> str:
    return f"{count} {what.removesuffix('s') if count == 1 else what}"


POLICY: Final[Mapping[str, Callable[..., int]]] = {
    "check": check_call,
    "list": list_rules,
    "test": check_rules,
    "audit": show_audit,
}
"""The commands of `toolkit policy`."""
