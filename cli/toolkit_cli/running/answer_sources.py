"""Finds the calls of a run that need approval, and how they are answered: by flags, rules, the user, or a webhook."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.approvals.decisions import DEFAULT_TIMEOUT
from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import AllowAll, Chooser, DescribedCall, Policy, Risk, Verdict
from toolkit.approvals.reviewers import RefusingReviewer, Reviewer, WaitingReviewer
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.problems import Location, Problem, did_you_mean, errors_among
from toolkit.regular_files import state_folder
from toolkit.tools.base import Tool
from toolkit.tools.questions import with_arguments
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure, refuse, report
from toolkit_cli.rendering.tool_kinds import is_agent, is_facade, pipeline_in

if TYPE_CHECKING:
    from toolkit.approvals.allowances import Allowance
    from toolkit.approvals.audit_log import AuditLog
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.pipelines.plans import PlannedStep
    from toolkit.settings.configuration import Configuration
    from toolkit.webhooks.webhook_keys import WebhookSettings
    from toolkit_cli.reviewing.console_reviewer import RuleBook
    from toolkit_cli.screen import Screen
    from toolkit_cli.shared_options import AskingOptions


class ForeseenCall(NamedTuple):
    """A call that a run may make.

    Attributes:
        call: The call, with its known arguments, and the names of arguments that are computed later.
        verdict: The gate's verdict, based on what is known.
        tool: The tool; `None` for a step that only asks for approval.
        step: The step that makes the call, or `None` for the call itself.
        location: The location of the step in its file.
    """

    call: DescribedCall
    verdict: Verdict
    tool: Tool | None
    step: str | None = None
    location: Location | None = None


def questions_of(tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> list[ForeseenCall]:
    """Return the calls that need approval or are denied.

    Questions that a tool asks itself are not known in advance.
    """
    return [foreseen for foreseen in calls_of(tool, arguments, gate) if foreseen.verdict.action != "allow"]


def calls_of(tool: Tool, arguments: Mapping[str, Any], gate: Gate, chosen_by: Chooser = "person") -> list[ForeseenCall]:
    """Return every call that a run may make: that of the tool, and those of the steps of a pipeline.

    Steps are included even if their condition may be false. The steps count as chosen by a person, the pipeline's
    author, whoever chose the call.
    """
    described = tool.described._replace(chosen_by=chosen_by, earlier=gate.history.tools)
    call = with_arguments(described, tool, tool.parse(arguments))
    return [ForeseenCall(call, gate.verdict_on(call), tool), *_calls_within(tool, call.arguments or {}, gate, {})]


def calls_of_items(tool: Tool, gate: Gate) -> list[ForeseenCall]:
    """Return every call that a batch may make for an item, with unknown arguments."""
    call = tool.described._replace(arguments={}, unknown=None)
    return [ForeseenCall(call, gate.verdict_on(call), tool), *_calls_within(tool, {}, gate, {})]


def _calls_within(
    tool: Tool, arguments: Mapping[str, Any], gate: Gate, earlier: dict[Risk, None]
) -> Iterator[ForeseenCall]:
    """Yield the calls of a pipeline's steps, and add their tools to those that may have been called earlier."""
    pipeline = pipeline_in(tool)
    if pipeline is None:
        return
    from toolkit_cli.running.step_arguments import computed_names, known_arguments  # only pipelines have steps

    for step in pipeline.plan.walk():
        known = known_arguments(step, pipeline.plan, arguments)
        call = _call_of(step, known, computed_names(step, known))
        if call is None:
            continue
        if step.branches or step.definition.each is not None:  # its calls can happen in any order
            earlier.update(dict.fromkeys(_tools_in(step)))
        call = call._replace(earlier=gate.history.tools, coming=tuple(earlier))
        yield ForeseenCall(call, gate.verdict_on(call), step.tool, step.path, step.definition.location)
        if step.tool is not None:
            for inner in _calls_within(step.tool, call.arguments or {}, gate, earlier):
                yield inner._replace(step=f"{step.path}/{inner.step}")
            earlier[call.risk] = None


def _tools_in(step: "PlannedStep") -> Iterator[Risk]:
    return (each.tool.described.risk for each in step.walk() if each.tool is not None)


def _call_of(step: "PlannedStep", known: Mapping[str, Any], unknown: Collection[str] | None) -> DescribedCall | None:
    """Return the call of a step, or its question without a call; `None` if it has neither."""
    asks = step.definition.approval is not None
    if step.tool is None and not asks:
        return None
    risk = step.tool.described.risk if step.tool is not None else Risk(step.label, requires_approval=True)
    call = DescribedCall(risk, "person", f"step '{step.label}'" if asks else None, known, unknown=unknown)
    if step.tool is None:
        return call
    return call._replace(base=step.tool.uses.get("base"), defaults=_defaults_of(step.tool, known, unknown))


def _defaults_of(tool: Tool, known: Mapping[str, Any], unknown: Collection[str] | None) -> Mapping[str, Any]:
    """Return the defaults of the arguments that a step certainly omits."""
    if unknown is None:
        return {}
    return {name: value for name, value in tool.defaults(known).items() if name not in unknown}


def problem_of(question: ForeseenCall, because: str) -> Problem:
    """Return the Problem for a call that is denied, or whose question cannot be asked, with a hint how to allow it."""
    tool = question.call.risk.tool
    asker = f"step '{question.step}'" if question.step else f"'{tool}'"
    what = f"{asker} needs approval" + (f" to run '{tool}'" if question.step not in {None, tool} else "")
    if question.verdict.action == "deny":
        return Problem("", f"{asker} is denied by {question.verdict.because}", question.location)
    because_of = question.verdict.because
    reason = f" ({because_of})" if because_of and because_of != asker else ""
    from toolkit_cli.running.approval_flags import flag_for  # only problems need it

    flag = flag_for(question.call)
    if flag is not None and question.tool is None:
        flag = flag._replace(open="")  # the flag names this step, which makes no call
    hint = flag.advice("allow it with") if flag is not None else "allow it with a rule in a policy file"
    if question.verdict.exact and (flag is None or flag.open):
        hint = "only a person who sees the whole call can approve it; run it in a terminal"
    return Problem("", f"{what}{reason}, and {because}", question.location, hint=hint)


# ----------------------------------------------------------------------------------------------- rules of `--approve`


def check_rules(rules: "Sequence[Allowance]", tool: Tool, arguments: Mapping[str, Any], gate: Gate) -> None:
    """Warn about rules that match no call of a run.

    Raises:
        Failure: If a rule names a tool that the run does not call.
    """
    check_rules_on(rules, calls_of(tool, arguments, gate) if rules else [])


def check_rules_on(rules: "Sequence[Allowance]", calls: Sequence[ForeseenCall]) -> None:
    """Warn about rules that match none of these calls.

    Raises:
        Failure: If a rule names a tool that the run does not call.
    """
    if any(_reveals_others(each.tool) for each in calls):
        return  # the calls of an agent or a facade are not known in advance
    found = [problem for rule in rules if (problem := _problem_of(rule, calls)) is not None]
    if errors_among(found):
        raise Failure(ExitCode.USAGE, problems=found)
    report(found)


def check_names(rules: "Sequence[Allowance]", tools: Iterable[Tool]) -> None:
    """Check that each rule names a tool that an agent may call; skipped if there are tools that reveal others.

    Raises:
        Failure: If a rule names a tool that the run does not call.
    """
    known = list(tools)
    if not rules or any(_reveals_others(tool) for tool in known):
        return
    names = [tool.name for tool in known]
    found = [_unknown_tool(rule, names) for rule in rules if not any(map(rule.names, names))]
    refuse(found)


def _reveals_others(tool: Tool | None) -> bool:
    return tool is not None and (is_facade(tool) or is_agent(tool))


def _problem_of(rule: "Allowance", calls: Sequence[ForeseenCall]) -> Problem | None:
    meant = [each for each in calls if rule.names(each.call.risk.tool)]
    if not meant:
        return _unknown_tool(rule, [each.call.risk.tool for each in calls])
    if any(rule.may_cover(each.call) for each in meant):
        return None
    message = f"--approve {rule.written!r} matches no call of this run"
    return Problem("", message, severity="warning", hint=_argument_hint(rule, meant))


def _unknown_tool(rule: "Allowance", names: Sequence[str]) -> Problem:
    known = f"this run calls {', '.join(dict.fromkeys(names))}" if names else None
    message = f"--approve {rule.written!r} names a tool that this run does not call"
    return Problem("", message, hint=did_you_mean(rule.tool, names, otherwise=known))


def _argument_hint(rule: "Allowance", meant: Sequence[ForeseenCall]) -> str:
    tool = meant[0]
    taken = list(tool.tool.spec.properties) if tool.tool is not None else []
    for name, _ in rule.arguments:
        if name not in taken:
            nearest = did_you_mean(name, taken, otherwise=f"it takes {', '.join(taken)}" if taken else "it takes none")
            return f"'{tool.call.risk.tool}' has no argument '{name}'; {nearest}"
    return "its arguments are already known and differ; `--dry-run` shows them"


NOT_FROM_TEXTS: Final = (
    "an agent whose kind locks tools, or whose objects provide tools, cannot be resumed from recorded text"
)
_IN_CI = "CI"
_NO_TERMINAL = "there is no terminal to ask on"
_NO_INPUT = "--no-input forbids asking"


class Answers(NamedTuple):
    """How approval questions are answered.

    Attributes:
        yes: Whether every call is approved in advance.
        no_input: Whether questions are never asked.
        approve: The rules of `--approve` as typed.
        files: The policy from policy files; `None` if there are none.
        webhook: The webhook to ask if there is no terminal; `None` if none is configured.
        book: The policy files to which the user can add rules at a question; `None` if questions cannot be asked.
        waits: Whether questions are recorded and wait for a later answer.
    """

    yes: bool = False
    no_input: bool = False
    approve: Sequence[str] = ()
    files: Policy | None = None
    webhook: "WebhookSettings | None" = None
    book: "RuleBook | None" = None
    waits: bool = False

    @classmethod
    def of_options(cls, asking: "AskingOptions") -> "Answers":
        return cls(asking.yes, asking.no_input, asking.approve or ())

    def under(self, configuration: "Configuration", targets: Sequence[str]) -> "Answers":
        """Return these answers together with the policy files, to which the user can add rules at a question.

        Args:
            configuration: The configuration of the user and the project.
            targets: The targets on the command line.

        Raises:
            ConfigurationError: If policy files are invalid; lists all problems.
        """
        answers = self._replace(files=policy_of_files(configuration, targets), webhook=configuration.webhook)
        if not self.may_ask:
            return answers
        from toolkit_cli.reviewing.console_reviewer import RuleBook  # only where somebody can be asked

        return answers._replace(book=RuleBook(configuration, targets))

    @property
    def may_ask(self) -> bool:
        """Whether the user can be asked on a terminal."""
        return not self.no_input and console.can_ask()

    @property
    def asks_elsewhere(self) -> bool:
        """Whether a webhook is asked, since there is no terminal."""
        return self.webhook is not None and not self.no_input and not console.can_ask()

    @property
    def why_not(self) -> str:
        """Why the user cannot be asked."""
        return _NO_INPUT if self.no_input else _NO_TERMINAL

    @property
    def rules(self) -> "list[Allowance]":
        """The parsed rules of `--approve`.

        Raises:
            Failure: If a rule is invalid.
        """
        return [_rule(text) for text in self.approve]

    def policy(self) -> Policy | None:
        """Return the policy from files and flags, or `None` for the default policy.

        Raises:
            Failure: If a rule is invalid.
        """
        policy = self.files
        if self.approve:
            from toolkit.approvals.allowances import Allowances  # few runs have rules

            policy = Allowances(self.rules, policy)
        return AllowAll("--yes", policy) if self.yes else policy


def _rule(text: str) -> "Allowance":
    from toolkit.approvals.allowances import Allowance  # few runs have rules

    try:
        return Allowance.parse(text)
    except ValueError as error:
        raise Failure(ExitCode.USAGE, f"--approve: {error}") from error


def policy_of_files(configuration: "Configuration", targets: Sequence[str] = ()) -> "FilePolicy | None":
    """Return the policy from the policy files of the user and the project; `None` if there are none.

    Args:
        configuration: The configuration of the user and the project.
        targets: The targets on the command line.

    Raises:
        ConfigurationError: If policy files are invalid; lists all problems. No call runs then.
    """
    if not configuration.has_policy:
        return None
    from toolkit.sources.project_policies import configured_policy  # most projects have no rules

    policy, problems = configured_policy(configuration, targets)
    raise_errors(ConfigurationError, problems)
    return policy


def waits_for_answers(on_approval: str, asking: "AskingOptions", journal: bool | None) -> bool:  # noqa: FBT001 - the option as typed
    """Return whether questions are recorded and wait for a later answer.

    Args:
        on_approval: The value of `--on-approval`: `ask` or `wait`.
        asking: The other options for approvals.
        journal: The value of `--journal` or `--no-journal`, if given.

    Raises:
        Failure: If another option contradicts that.
    """
    if on_approval != "wait":
        return False
    if asking.no_input:
        raise Failure(
            ExitCode.USAGE,
            "--no-input and --on-approval wait cannot be combined: one rejects every question, the other keeps it open",
        )
    if journal is False:
        hint = "leave out --no-journal"
        raise Failure(ExitCode.USAGE, "--on-approval wait needs a journal, which records the question", hint=hint)
    return True


def is_recorded(
    journal: bool | None,  # noqa: FBT001 - the option as typed
    *,
    waits: bool,
    resumes: bool,
    is_usual: bool,
    why_not: Problem | None,
) -> bool:
    """Return whether the journal records a single run.

    Args:
        journal: The value of `--journal` or `--no-journal`, if given.
        waits: Whether questions are recorded and wait for a later answer.
        resumes: Whether the run continues a recorded one.
        is_usual: Whether runs are recorded if no option says so.
        why_not: Why it could not be resumed from a record, worded to follow the name of an option.

    Raises:
        Failure: If an option requires it, but the run could not be resumed from a record.
    """
    needed_by = "--journal" if journal else "--on-approval wait" if waits else "`toolkit runs resume`"
    if not (journal or waits or resumes):
        return journal is not False and is_usual and why_not is None
    if why_not is not None:
        raise Failure(ExitCode.USAGE, f"{needed_by} {why_not.message}", hint=why_not.hint)
    return True


def make_gate(answers: Answers, screen: "Screen", timeout: float | None) -> Gate:
    """Return the gate of a run, with a reviewer for the terminal, for the webhook, or one that rejects everything."""
    reviewer: Reviewer
    if answers.may_ask:
        from toolkit_cli.reviewing.console_reviewer import ConsoleReviewer  # only where somebody can be asked

        reviewer = ConsoleReviewer(screen, answers.book)
    elif answers.asks_elsewhere and answers.webhook is not None:
        reviewer = answers.webhook.reviewer()
    else:
        reviewer = RefusingReviewer(answers.why_not)
    if answers.waits:
        reviewer = WaitingReviewer(reviewer)
    gate = Gate(reviewer, answers.policy(), timeout=DEFAULT_TIMEOUT if timeout is None else timeout)
    if answers.book is not None:
        answers.book.listener = lambda files: _follow(gate, answers._replace(files=files))
    return gate


def _follow(gate: Gate, answers: Answers) -> None:
    """Update the policy of a gate after policy files have changed."""
    gate.policy = answers.policy() or gate.policy


def refuse_unanswerable(tool: Tool, arguments: Mapping[str, Any], gate: Gate, answers: Answers) -> None:
    """Check before a run that no call is denied, and that every question can be answered.

    Raises:
        Failure: If a call is denied or a question cannot be answered; lists all of them, with the flags to allow them.
    """
    refuse_unanswerable_calls(questions_of(tool, arguments, gate), answers)


def refuse_unanswerable_calls(calls: "Sequence[ForeseenCall]", answers: Answers) -> None:
    """Check that none of these calls is denied, and that every question can be answered.

    Raises:
        Failure: If a call is denied or a question cannot be answered; lists all of them, with the flags to allow them.
    """
    questions = [call for call in calls if call.verdict.action != "allow"]
    denied = [each for each in questions if each.verdict.action == "deny" and not each.verdict.may_be_allowed]
    blocked = (
        denied
        if answers.may_ask or answers.asks_elsewhere or answers.waits
        else [each for each in questions if not each.verdict.may_be_allowed]
    )
    if blocked:
        problems = [problem_of(question, answers.why_not) for question in blocked]
        raise Failure(ExitCode.APPROVAL, problems=problems)


def audit_of(configuration: "Configuration", *, always: bool = False) -> "AuditLog | None":
    """Return the audit log for decisions; `None` if they are not logged.

    Args:
        configuration: The configuration of the user and the project.
        always: Whether to log by default, as for calls that a model chooses; otherwise only in CI.
    """
    wanted = configuration.audit
    if not (wanted if wanted is not None else always or _is_ci()):
        return None
    from toolkit.approvals.audit_log import AuditLog  # most calls are not logged

    return AuditLog(audit_file())


def audit_file() -> Path:
    """Return the path of the audit log: `toolkit/audit.jsonl` in `XDG_STATE_HOME` or `~/.local/state`."""
    return state_folder() / "audit.jsonl"


def _is_ci() -> bool:
    if not os.environ.get(_IN_CI):
        return False
    from toolkit.approvals.rules import is_ci  # most commands do not run in CI

    return is_ci()
