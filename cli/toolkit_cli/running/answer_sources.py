"""Determines how approval questions of a run are answered (by flags, rules, the user, or a webhook), and logged."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolkit.approvals.gates import Gate
from toolkit.approvals.policies import AllowAll, Policy
from toolkit.approvals.requests import DEFAULT_TIMEOUT
from toolkit.approvals.reviewers import RefusingReviewer, Reviewer, WaitingReviewer
from toolkit.errors import ConfigurationError, raise_errors
from toolkit.paths import state_folder
from toolkit.problems import Problem
from toolkit.tools.base import Tool
from toolkit_cli import console
from toolkit_cli.failures import ExitCode, Failure
from toolkit_cli.running.foreseen_calls import problem_of, questions_of

if TYPE_CHECKING:
    from toolkit.approvals.allowances import Allowance
    from toolkit.approvals.audit_log import AuditLog
    from toolkit.approvals.file_policies import FilePolicy
    from toolkit.settings.configuration import Configuration
    from toolkit.webhooks.webhook_keys import WebhookSettings
    from toolkit_cli.reviewing.rule_choices import RuleBook
    from toolkit_cli.running.foreseen_calls import ForeseenCall
    from toolkit_cli.screen import Screen
    from toolkit_cli.shared_options import AskingOptions

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
        from toolkit_cli.reviewing.rule_choices import RuleBook  # only where somebody can be asked

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
