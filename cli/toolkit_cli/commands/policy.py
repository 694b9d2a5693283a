"""`toolkit policy`: show what the approval rules decide about a call, list the rules, or test them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from toolkit.approvals.flows import READINGS_OF, After
from toolkit.approvals.gates import Gate
from toolkit.approvals.risks import Risk
from toolkit.problems import Problem, errors_among
from toolkit_cli import console
from toolkit_cli.arguments.call_arguments import Given, gather_arguments, objections
from toolkit_cli.failures import ExitCode, Failure, end_at_errors, report
from toolkit_cli.options import Debug, PolicyPath, Sources, Starts
from toolkit_cli.rendering.printed_lines import print_lines
from toolkit_cli.settings import load_configuration

if TYPE_CHECKING:
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.approvals.risks import Chooser
    from toolkit.sources.configuration import Configuration
    from toolkit.tools.base import Tool

_NO_FILES = "there are no rules; add some to the project's toolkit.policy.yaml or to your own policy.yaml"

Action = Annotated[
    Literal["check", "list", "test", "audit"],
    typer.Argument(
        metavar="check|list|test|audit",
        help="Check a call, list all rules in order, test the rules, or show the audit log.",
        show_default=False,
    ),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TARGET [ARG]...]",
        help="With check: a tool or pipeline and its arguments, as for `toolkit run`.",
        show_default=False,
    ),
]
Chosen = Annotated[Literal["person", "model"], typer.Option("--chosen-by", help="With check: who chooses the call.")]
Read = Annotated[
    After | None,
    typer.Option("--after", help="With check: what the run has read before the call.", show_default=False),
]
Verified = Annotated[bool, typer.Option("--verify", help="With audit: check that no record was changed or removed.")]
Shown = Annotated[Literal["text", "json"], typer.Option("--format", help="The output format.")]


def policy(  # noqa: PLR0913 - each is an option of the command
    action: Action,
    words: Words = None,
    *,
    chosen_by: Chosen = "person",
    after: Read = None,
    verify: Verified = False,
    policy: PolicyPath = None,
    tools: Sources = None,
    start: Starts = None,
    format: Shown = "text",  # noqa: A002 - the option's name
    debug: Debug = False,  # noqa: ARG001 - read where a failure is caught
) -> ExitCode:
    """Show what the approval rules decide about a call, list the rules, or test them. Nothing is called.

    `check` shows the rule that decides, with its file and line; the exit code is 3 unless the call runs without a
    question. `list` shows the rules of all files in the order in which they apply. `test` runs the tests in the rules,
    and reports rules of the project that match none of its tools; the exit code is 1 if there are problems. `audit`
    shows past decisions, oldest first; with --verify, the exit code is 1 if a record was changed or removed.
    """
    if words and action != "check":
        raise Failure(ExitCode.USAGE, f"`policy {action}` takes no target", hint=f"leave out '{words[0]}'")
    if not words and action == "check":
        raise Failure(
            ExitCode.USAGE, "the call to check is missing", hint="write: toolkit policy check TARGET name=value"
        )
    if verify and action != "audit":
        raise Failure(ExitCode.USAGE, "--verify works only with `policy audit`")
    if action == "audit":
        return _audit(verify=verify, as_json=format == "json")
    if after is not None and action != "check":
        raise Failure(ExitCode.USAGE, "--after works only with `policy check`")
    configuration = load_configuration(tools, start=start, policy=policy)
    match action:
        case "check":
            return _check(words or (), configuration, chosen_by, after, as_json=format == "json")
        case "list":
            return _list(configuration, as_json=format == "json")
        case "test":
            return _test(configuration, as_json=format == "json")


def _check(
    words: Sequence[str], configuration: "Configuration", chosen_by: "Chooser", after: After | None, *, as_json: bool
) -> ExitCode:
    from toolkit_cli.rendering.policies import (  # noqa: PLC0415 - help needs none of it
        DecidedCall,
        decided_calls,
        decision_record,
    )
    from toolkit_cli.running.answer_sources import policy_of_files  # noqa: PLC0415
    from toolkit_cli.running.clearance import calls_of  # noqa: PLC0415
    from toolkit_cli.running.server_consent import gate_for  # noqa: PLC0415
    from toolkit_cli.running.single_tools import open_one  # noqa: PLC0415

    gate = Gate(policy=policy_of_files(configuration, words[:1]))
    tool = open_one(words[0], configuration, gate_for(configuration), "one of them is checked", warn=False, looks=True)
    gathered = gather_arguments(tool, Given(words[1:]))
    problems = [*gathered.problems, *(one.problem for one in objections(tool, gathered.arguments))]
    if problems or gathered.missing:
        raise Failure(ExitCode.USAGE, problems=[*problems, *_missing(tool, gathered.missing, words[0])])
    if after is not None:
        gate.history.add(Risk("an earlier call", flow=READINGS_OF[after]))
    foreseen = calls_of(tool, gathered.arguments, gate, chosen_by)
    calls = [DecidedCall(one.call, one.verdict, one.step) for one in foreseen]
    if as_json:
        console.write_json([decision_record(call) for call in calls])
    else:
        print_lines(decided_calls(calls, console.data_width()))
    return ExitCode.SUCCESS if all(call.verdict.action == "allow" for call in calls) else ExitCode.APPROVAL


def _missing(tool: "Tool", names: Sequence[str], target: str) -> list[Problem]:
    from toolkit_cli.arguments.argument_prompts import missing_problems  # noqa: PLC0415 - only where something is missing

    return list(missing_problems(tool, names, f"toolkit policy check {target}"))


def _list(configuration: "Configuration", *, as_json: bool) -> ExitCode:
    from toolkit_cli.rendering.policies import listed_rules, rule_records  # noqa: PLC0415 - help needs none of it
    from toolkit_cli.running.answer_sources import policy_of_files  # noqa: PLC0415

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
    from toolkit.sources.policies import configured_policy  # noqa: PLC0415 - help needs none of it

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
    from toolkit.approvals.audit_log import faults_of_log, records_of_log  # noqa: PLC0415 - help needs none of it
    from toolkit_cli.rendering.policies import listed_decisions  # noqa: PLC0415
    from toolkit_cli.running.audits import audit_file  # noqa: PLC0415

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
    from toolkit.approvals.rule_targets import KnownTool, unmatched_rules  # noqa: PLC0415 - help needs none of it
    from toolkit_cli.opening import open_configured  # noqa: PLC0415
    from toolkit_cli.running.server_consent import gate_for  # noqa: PLC0415

    opened = open_configured(None, configuration, gate_for(configuration))
    end_at_errors(opened.problems)
    known = [KnownTool(tool.described.risk, tool.spec.properties) for tool in opened.tools.values()]
    return unmatched_rules(policy.rules, known)


def _count(count: int, what: str) -> str:
    return f"{count} {what.removesuffix('s') if count == 1 else what}"
